// SMB2 CLOSE: [MS-SMB2] 2.2.15 (request) and 2.2.16 (response).
#pragma once

#include "wire/codec.h"
#include "wire/command.h"
#include "wire/file_types.h"
#include "wire/types.h"

namespace smb3::wire {

enum class CloseFlags : std::uint16_t { none = 0, postquery_attrib = 0x1 };
template <>
inline constexpr bool is_flags<CloseFlags> = true;

struct CloseRequest {
  static constexpr Command command = Command::close;
  static constexpr std::string_view wire_name = "CLOSE request";
  static constexpr std::uint16_t structure_size = 24;

  CloseFlags flags = CloseFlags::none;
  FileId file_id{};

  template <class Codec, class Self>
  static constexpr void describe(Codec& c, Self& m) {
    c("flags", m.flags).reserved(u32)("file_id", m.file_id);
  }
};
static_assert(fixed_size<CloseRequest>() == 24);

struct CloseResponse {
  static constexpr Command command = Command::close;
  static constexpr std::string_view wire_name = "CLOSE response";
  static constexpr std::uint16_t structure_size = 60;

  CloseFlags flags = CloseFlags::none;  // without postquery_attrib the rest says nothing
  FileTime creation_time{};
  FileTime last_access_time{};
  FileTime last_write_time{};
  FileTime change_time{};
  std::uint64_t allocation_size = 0;
  std::uint64_t end_of_file = 0;
  FileAttributes file_attributes = FileAttributes::none;

  template <class Codec, class Self>
  static constexpr void describe(Codec& c, Self& m) {
    c("flags", m.flags).reserved(u32);
    c("creation_time", m.creation_time)("last_access_time", m.last_access_time);
    c("last_write_time", m.last_write_time)("change_time", m.change_time);
    c("allocation_size", m.allocation_size)("end_of_file", m.end_of_file);
    c("file_attributes", m.file_attributes);
  }
};
static_assert(fixed_size<CloseResponse>() == 60);

}  // namespace smb3::wire
