// SMB2 QUERY_INFO: [MS-SMB2] 2.2.37 (request) and 2.2.38 (response).
#pragma once

#include "wire/codec.h"
#include "wire/command.h"
#include "wire/flags.h"
#include "wire/types.h"

namespace smb3::wire {

enum class InfoType : std::uint8_t { file = 1, filesystem = 2, security = 3, quota = 4 };

enum class AdditionalInformation : std::uint32_t {
  none = 0,
  owner_security_information = 0x1,
  group_security_information = 0x2,
  dacl_security_information = 0x4,
  sacl_security_information = 0x8,
  label_security_information = 0x10,
  attribute_security_information = 0x20,
  scope_security_information = 0x40,
  backup_security_information = 0x10000,
};
template <>
inline constexpr bool is_flags<AdditionalInformation> = true;

struct QueryInfoRequest {
  static constexpr Command command = Command::query_info;
  static constexpr std::string_view wire_name = "QUERY_INFO request";
  static constexpr std::uint16_t structure_size = 41;

  InfoType info_type = InfoType::file;
  std::uint8_t file_info_class = 0;  // a FileInformationClass or a FileSystemInformationClass
  std::uint32_t output_buffer_length = 0;
  AdditionalInformation additional_information = AdditionalInformation::none;
  std::uint32_t flags = 0;
  FileId file_id{};
  Bytes input{};

  template <class Codec, class Self>
  static constexpr void describe(Codec& c, Self& m) {
    c("info_type", m.info_type)("file_info_class", m.file_info_class);
    c("output_buffer_length", m.output_buffer_length);
    c.offset(u16, m.input).reserved(u16).length(u32, m.input);
    c("additional_information", m.additional_information)("flags", m.flags);
    c("file_id", m.file_id).part("input", m.input, Part{.zero_if_empty = true});
  }
};
static_assert(fixed_size<QueryInfoRequest>() == 40);

struct QueryInfoResponse {
  static constexpr Command command = Command::query_info;
  static constexpr std::string_view wire_name = "QUERY_INFO response";
  static constexpr std::uint16_t structure_size = 9;

  Bytes output_buffer{};  // see file_information.h

  template <class Codec, class Self>
  static constexpr void describe(Codec& c, Self& m) {
    c.offset(u16, m.output_buffer).length(u32, m.output_buffer);
    c.part("output_buffer", m.output_buffer);
  }
};
static_assert(fixed_size<QueryInfoResponse>() == 8);

}  // namespace smb3::wire
