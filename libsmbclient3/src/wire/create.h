// SMB2 CREATE: [MS-SMB2] 2.2.13 (request) and 2.2.14 (response).
#pragma once

#include "wire/command.h"
#include "wire/create_context.h"

namespace smb3::wire {

struct CreateRequest {
  static constexpr Command command = Command::create;
  static constexpr std::string_view wire_name = "CREATE request";
  static constexpr std::uint16_t structure_size = 57;

  OplockLevel requested_oplock_level = OplockLevel::none;
  ImpersonationLevel impersonation_level = ImpersonationLevel::impersonation;
  AccessMask desired_access = AccessMask::none;
  FileAttributes file_attributes = FileAttributes::none;
  ShareAccess share_access = ShareAccess::none;
  CreateDisposition create_disposition = CreateDisposition::open;
  CreateOptions create_options = CreateOptions::none;
  Bytes name{};  // relative to the share, backslashes between, none in front; UTF-16LE
  std::vector<CreateContext> contexts{};

  template <class Codec, class Self>
  static constexpr void describe(Codec& c, Self& m) {
    c.reserved(u8);  // SecurityFlags
    c("requested_oplock_level", m.requested_oplock_level);
    c("impersonation_level", m.impersonation_level);
    c.reserved(u64).reserved(u64);  // SmbCreateFlags, Reserved
    c("desired_access", m.desired_access)("file_attributes", m.file_attributes);
    c("share_access", m.share_access)("create_disposition", m.create_disposition);
    c("create_options", m.create_options);
    c.offset(u16, m.name).length(u16, m.name);
    c.offset(u32, m.contexts).length(u32, m.contexts);
    c.part("name", m.name, text_part).chain("contexts", m.contexts);
    c.minimum_size(structure_size);
  }
};
static_assert(fixed_size<CreateRequest>() == 56);

enum class CreateResponseFlags : std::uint8_t { none = 0, reparsepoint = 0x1 };
template <>
inline constexpr bool is_flags<CreateResponseFlags> = true;

enum class CreateAction : std::uint32_t {
  superseded = 0,
  opened = 1,
  created = 2,
  overwritten = 3
};

struct CreateResponse {
  static constexpr Command command = Command::create;
  static constexpr std::string_view wire_name = "CREATE response";
  static constexpr std::uint16_t structure_size = 89;

  OplockLevel oplock_level = OplockLevel::none;
  CreateResponseFlags flags = CreateResponseFlags::none;
  CreateAction create_action = CreateAction::opened;
  FileTime creation_time{};
  FileTime last_access_time{};
  FileTime last_write_time{};
  FileTime change_time{};
  std::uint64_t allocation_size = 0;
  std::uint64_t end_of_file = 0;
  FileAttributes file_attributes = FileAttributes::none;
  FileId file_id{};
  std::vector<CreateContext> contexts{};

  template <class Codec, class Self>
  static constexpr void describe(Codec& c, Self& m) {
    c("oplock_level", m.oplock_level)("flags", m.flags)("create_action", m.create_action);
    c("creation_time", m.creation_time)("last_access_time", m.last_access_time);
    c("last_write_time", m.last_write_time)("change_time", m.change_time);
    c("allocation_size", m.allocation_size)("end_of_file", m.end_of_file);
    c("file_attributes", m.file_attributes).reserved(u32)("file_id", m.file_id);
    c.offset(u32, m.contexts).length(u32, m.contexts);
    c.chain("contexts", m.contexts);
  }
};
static_assert(fixed_size<CreateResponse>() == 88);

}  // namespace smb3::wire
