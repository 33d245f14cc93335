// SMB2 QUERY_DIRECTORY: [MS-SMB2] 2.2.33 (request) and 2.2.34 (response).
#pragma once

#include "wire/codec.h"
#include "wire/command.h"
#include "wire/flags.h"
#include "wire/types.h"

namespace smb3::wire {

// [MS-FSCC] 2.4: the classes that list a directory.
enum class DirectoryInformationClass : std::uint8_t {
  file_directory_information = 0x01,
  file_full_directory_information = 0x02,
  file_both_directory_information = 0x03,
  file_names_information = 0x0C,
  file_id_both_directory_information = 0x25,
  file_id_full_directory_information = 0x26,
  file_id_extd_directory_information = 0x3C,
};

enum class QueryDirectoryFlags : std::uint8_t {
  none = 0,
  restart_scans = 0x01,
  return_single_entry = 0x02,
  index_specified = 0x04,
  reopen = 0x10,
};
template <>
inline constexpr bool is_flags<QueryDirectoryFlags> = true;

struct QueryDirectoryRequest {
  static constexpr Command command = Command::query_directory;
  static constexpr std::string_view wire_name = "QUERY_DIRECTORY request";
  static constexpr std::uint16_t structure_size = 33;

  DirectoryInformationClass file_information_class =
      DirectoryInformationClass::file_id_both_directory_information;
  QueryDirectoryFlags flags = QueryDirectoryFlags::none;
  std::uint32_t file_index = 0;
  FileId file_id{};
  std::uint32_t output_buffer_length = 0;
  Bytes file_name{};  // the pattern, UTF-16LE

  template <class Codec, class Self>
  static constexpr void describe(Codec& c, Self& m) {
    c("file_information_class", m.file_information_class)("flags", m.flags);
    c("file_index", m.file_index)("file_id", m.file_id);
    c.offset(u16, m.file_name).length(u16, m.file_name);
    c("output_buffer_length", m.output_buffer_length);
    c.part("file_name", m.file_name, text_part).minimum_size(structure_size);
  }
};
static_assert(fixed_size<QueryDirectoryRequest>() == 32);

struct QueryDirectoryResponse {
  static constexpr Command command = Command::query_directory;
  static constexpr std::string_view wire_name = "QUERY_DIRECTORY response";
  static constexpr std::uint16_t structure_size = 9;

  Bytes output_buffer{};  // a chain of entries, see directory_information.h

  template <class Codec, class Self>
  static constexpr void describe(Codec& c, Self& m) {
    c.offset(u16, m.output_buffer).length(u32, m.output_buffer);
    c.part("output_buffer", m.output_buffer);
  }
};
static_assert(fixed_size<QueryDirectoryResponse>() == 8);

}  // namespace smb3::wire
