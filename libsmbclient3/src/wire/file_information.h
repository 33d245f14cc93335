// Information about a file: [MS-FSCC] 2.4, the classes that a client needs.
#pragma once

#include "wire/codec.h"
#include "wire/file_types.h"
#include "wire/types.h"

namespace smb3::wire {

enum class FileInformationClass : std::uint8_t {
  basic = 4,
  standard = 5,
  internal = 6,
  rename = 10,
  disposition = 13,
  full_ea = 15,
  all = 18,
  allocation = 19,
  end_of_file = 20,
  stream = 22,
  network_open = 34,
  attribute_tag = 35,
  disposition_ex = 64,
};

// Setting 0 leaves a time or the attributes as they are.
struct FileBasicInformation {
  static constexpr std::string_view wire_name = "FileBasicInformation";
  static constexpr auto information_class = FileInformationClass::basic;

  FileTime creation_time{};
  FileTime last_access_time{};
  FileTime last_write_time{};
  FileTime change_time{};
  FileAttributes file_attributes = FileAttributes::none;

  template <class Codec, class Self>
  static constexpr void describe(Codec& c, Self& m) {
    c("creation_time", m.creation_time)("last_access_time", m.last_access_time);
    c("last_write_time", m.last_write_time)("change_time", m.change_time);
    c("file_attributes", m.file_attributes).reserved(u32);
  }
};
static_assert(fixed_size<FileBasicInformation>() == 40);

struct FileStandardInformation {
  static constexpr std::string_view wire_name = "FileStandardInformation";
  static constexpr auto information_class = FileInformationClass::standard;

  std::uint64_t allocation_size = 0;
  std::uint64_t end_of_file = 0;
  std::uint32_t number_of_links = 0;
  bool delete_pending = false;
  bool directory = false;

  template <class Codec, class Self>
  static constexpr void describe(Codec& c, Self& m) {
    c("allocation_size", m.allocation_size)("end_of_file", m.end_of_file);
    c("number_of_links", m.number_of_links)("delete_pending", m.delete_pending);
    c("directory", m.directory).reserved(u16);
  }
};
static_assert(fixed_size<FileStandardInformation>() == 24);

struct FileInternalInformation {
  static constexpr std::string_view wire_name = "FileInternalInformation";
  static constexpr auto information_class = FileInformationClass::internal;

  std::uint64_t index_number = 0;

  template <class Codec, class Self>
  static constexpr void describe(Codec& c, Self& m) {
    c("index_number", m.index_number);
  }
};
static_assert(fixed_size<FileInternalInformation>() == 8);

// The name may be cut off with STATUS_BUFFER_OVERFLOW; then file_name holds what came of it.
struct FileAllInformation {
  static constexpr std::string_view wire_name = "FileAllInformation";
  static constexpr auto information_class = FileInformationClass::all;

  FileBasicInformation basic_information{};
  FileStandardInformation standard_information{};
  FileInternalInformation internal_information{};
  std::uint32_t ea_size = 0;
  AccessMask access_flags = AccessMask::none;
  std::uint64_t current_byte_offset = 0;
  CreateOptions mode = CreateOptions::none;
  std::uint32_t alignment_requirement = 0;
  std::uint32_t file_name_length = 0;
  Bytes file_name{};

  template <class Codec, class Self>
  static constexpr void describe(Codec& c, Self& m) {
    c("basic_information", m.basic_information)("standard_information", m.standard_information);
    c("internal_information", m.internal_information)("ea_size", m.ea_size);
    c("access_flags", m.access_flags)("current_byte_offset", m.current_byte_offset);
    c("mode", m.mode)("alignment_requirement", m.alignment_requirement);
    c("file_name_length", m.file_name_length).rest("file_name", m.file_name, text_part);
  }
};
static_assert(fixed_size<FileAllInformation>() == 100);

struct FileEndOfFileInformation {
  static constexpr std::string_view wire_name = "FileEndOfFileInformation";
  static constexpr auto information_class = FileInformationClass::end_of_file;

  std::uint64_t end_of_file = 0;

  template <class Codec, class Self>
  static constexpr void describe(Codec& c, Self& m) {
    c("end_of_file", m.end_of_file);
  }
};
static_assert(fixed_size<FileEndOfFileInformation>() == 8);

struct FileAllocationInformation {
  static constexpr std::string_view wire_name = "FileAllocationInformation";
  static constexpr auto information_class = FileInformationClass::allocation;

  std::uint64_t allocation_size = 0;

  template <class Codec, class Self>
  static constexpr void describe(Codec& c, Self& m) {
    c("allocation_size", m.allocation_size);
  }
};
static_assert(fixed_size<FileAllocationInformation>() == 8);

struct FileDispositionInformation {
  static constexpr std::string_view wire_name = "FileDispositionInformation";
  static constexpr auto information_class = FileInformationClass::disposition;

  bool delete_pending = false;

  template <class Codec, class Self>
  static constexpr void describe(Codec& c, Self& m) {
    c("delete_pending", m.delete_pending);
  }
};
static_assert(fixed_size<FileDispositionInformation>() == 1);

enum class DispositionFlags : std::uint32_t {
  none = 0,
  delete_file = 0x1,
  posix_semantics = 0x2,
  force_image_section_check = 0x4,
  on_close = 0x8,
  ignore_readonly_attribute = 0x10,
};
template <>
inline constexpr bool is_flags<DispositionFlags> = true;

struct FileDispositionInformationEx {
  static constexpr std::string_view wire_name = "FileDispositionInformationEx";
  static constexpr auto information_class = FileInformationClass::disposition_ex;

  DispositionFlags flags = DispositionFlags::none;

  template <class Codec, class Self>
  static constexpr void describe(Codec& c, Self& m) {
    c("flags", m.flags);
  }
};
static_assert(fixed_size<FileDispositionInformationEx>() == 4);

// For SMB2 ([MS-FSCC] 2.4.42.2): the new name is relative to the share.
struct FileRenameInformation {
  static constexpr std::string_view wire_name = "FileRenameInformation";
  static constexpr auto information_class = FileInformationClass::rename;

  bool replace_if_exists = false;
  Bytes file_name{};

  template <class Codec, class Self>
  static constexpr void describe(Codec& c, Self& m) {
    c("replace_if_exists", m.replace_if_exists).reserved(u8).reserved(u16).reserved(u32);
    c.reserved(u64).length(u32, m.file_name);  // RootDirectory is none
    c.follows("file_name", m.file_name, text_part).minimum_size(24);
  }
};
static_assert(fixed_size<FileRenameInformation>() == 20);

struct FileNetworkOpenInformation {
  static constexpr std::string_view wire_name = "FileNetworkOpenInformation";
  static constexpr auto information_class = FileInformationClass::network_open;

  FileTime creation_time{};
  FileTime last_access_time{};
  FileTime last_write_time{};
  FileTime change_time{};
  std::uint64_t allocation_size = 0;
  std::uint64_t end_of_file = 0;
  FileAttributes file_attributes = FileAttributes::none;

  template <class Codec, class Self>
  static constexpr void describe(Codec& c, Self& m) {
    c("creation_time", m.creation_time)("last_access_time", m.last_access_time);
    c("last_write_time", m.last_write_time)("change_time", m.change_time);
    c("allocation_size", m.allocation_size)("end_of_file", m.end_of_file);
    c("file_attributes", m.file_attributes).reserved(u32);
  }
};
static_assert(fixed_size<FileNetworkOpenInformation>() == 56);

struct FileAttributeTagInformation {
  static constexpr std::string_view wire_name = "FileAttributeTagInformation";
  static constexpr auto information_class = FileInformationClass::attribute_tag;

  FileAttributes file_attributes = FileAttributes::none;
  ReparseTag reparse_tag = ReparseTag::none;

  template <class Codec, class Self>
  static constexpr void describe(Codec& c, Self& m) {
    c("file_attributes", m.file_attributes)("reparse_tag", m.reparse_tag);
  }
};
static_assert(fixed_size<FileAttributeTagInformation>() == 8);

// An entry of a chain.
struct FileStreamInformation {
  static constexpr std::string_view wire_name = "FileStreamInformation";
  static constexpr auto information_class = FileInformationClass::stream;

  std::uint64_t stream_size = 0;
  std::uint64_t stream_allocation_size = 0;
  Bytes stream_name{};

  template <class Codec, class Self>
  static constexpr void describe(Codec& c, Self& m) {
    c.next_entry().length(u32, m.stream_name)("stream_size", m.stream_size);
    c("stream_allocation_size", m.stream_allocation_size);
    c.follows("stream_name", m.stream_name, text_part);
  }
};
static_assert(fixed_size<FileStreamInformation>() == 24);

}  // namespace smb3::wire
