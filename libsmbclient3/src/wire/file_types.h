// The flags and choices of CREATE and of file information ([MS-SMB2] 2.2.13, [MS-FSCC] 2.6).
#pragma once

#include "wire/flags.h"

#include <cstdint>

namespace smb3::wire {

// [MS-SMB2] 2.2.13.1
enum class AccessMask : std::uint32_t {
  none = 0,
  read_data = 0x1,
  list_directory = 0x1,
  write_data = 0x2,
  add_file = 0x2,
  append_data = 0x4,
  add_subdirectory = 0x4,
  read_ea = 0x8,
  write_ea = 0x10,
  execute = 0x20,
  traverse = 0x20,
  delete_child = 0x40,
  read_attributes = 0x80,
  write_attributes = 0x100,
  delete_access = 0x10000,
  read_control = 0x20000,
  write_dac = 0x40000,
  write_owner = 0x80000,
  synchronize = 0x100000,
  access_system_security = 0x1000000,
  maximum_allowed = 0x2000000,
  generic_all = 0x10000000,
  generic_execute = 0x20000000,
  generic_write = 0x40000000,
  generic_read = 0x80000000,
};
template <>
inline constexpr bool is_flags<AccessMask> = true;

// [MS-FSCC] 2.6
enum class FileAttributes : std::uint32_t {
  none = 0,
  readonly = 0x1,
  hidden = 0x2,
  system = 0x4,
  directory = 0x10,
  archive = 0x20,
  normal = 0x80,
  temporary = 0x100,
  sparse_file = 0x200,
  reparse_point = 0x400,
  compressed = 0x800,
  offline = 0x1000,
  not_content_indexed = 0x2000,
  encrypted = 0x4000,
  integrity_stream = 0x8000,
  no_scrub_data = 0x20000,
  recall_on_open = 0x40000,
  pinned = 0x80000,
  unpinned = 0x100000,
  recall_on_data_access = 0x400000,
};
template <>
inline constexpr bool is_flags<FileAttributes> = true;

enum class ShareAccess : std::uint32_t { none = 0, read = 0x1, write = 0x2, delete_access = 0x4 };
template <>
inline constexpr bool is_flags<ShareAccess> = true;

enum class CreateDisposition : std::uint32_t {
  supersede = 0,
  open = 1,
  create = 2,
  open_if = 3,
  overwrite = 4,
  overwrite_if = 5,
};

enum class CreateOptions : std::uint32_t {
  none = 0,
  directory_file = 0x1,
  write_through = 0x2,
  sequential_only = 0x4,
  no_intermediate_buffering = 0x8,
  non_directory_file = 0x40,
  no_ea_knowledge = 0x200,
  random_access = 0x800,
  delete_on_close = 0x1000,
  open_by_file_id = 0x2000,
  open_for_backup_intent = 0x4000,
  no_compression = 0x8000,
  open_reparse_point = 0x200000,
  open_no_recall = 0x400000,
};
template <>
inline constexpr bool is_flags<CreateOptions> = true;

enum class OplockLevel : std::uint8_t {
  none = 0,
  level_ii = 0x01,
  exclusive = 0x08,
  batch = 0x09,
  lease = 0xFF,
};

enum class ImpersonationLevel : std::uint32_t {
  anonymous = 0,
  identification = 1,
  impersonation = 2,
  delegate = 3,
};

// [MS-SMB2] 2.2.13.2.8
enum class LeaseState : std::uint32_t {
  none = 0,
  read_caching = 0x1,
  handle_caching = 0x2,
  write_caching = 0x4,
};
template <>
inline constexpr bool is_flags<LeaseState> = true;

// [MS-FSCC] 2.1.2.1: what a reparse point stands for.
enum class ReparseTag : std::uint32_t {
  none = 0,
  mount_point = 0xA0000003,
  symlink = 0xA000000C,
  nfs = 0x80000014,
  lx_symlink = 0xA000001D,
};

}  // namespace smb3::wire
