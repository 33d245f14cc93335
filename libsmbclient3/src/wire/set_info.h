// SMB2 SET_INFO: [MS-SMB2] 2.2.39 (request) and 2.2.40 (response).
#pragma once

#include "wire/query_info.h"

namespace smb3::wire {

struct SetInfoRequest {
  static constexpr Command command = Command::set_info;
  static constexpr std::string_view wire_name = "SET_INFO request";
  static constexpr std::uint16_t structure_size = 33;

  InfoType info_type = InfoType::file;
  std::uint8_t file_info_class = 0;
  AdditionalInformation additional_information = AdditionalInformation::none;
  FileId file_id{};
  Bytes buffer{};

  template <class Codec, class Self>
  static constexpr void describe(Codec& c, Self& m) {
    c("info_type", m.info_type)("file_info_class", m.file_info_class);
    c.length(u32, m.buffer).offset(u16, m.buffer).reserved(u16);
    c("additional_information", m.additional_information)("file_id", m.file_id);
    c.part("buffer", m.buffer).minimum_size(structure_size);
  }
};
static_assert(fixed_size<SetInfoRequest>() == 32);

struct SetInfoResponse {
  static constexpr Command command = Command::set_info;
  static constexpr std::string_view wire_name = "SET_INFO response";
  static constexpr std::uint16_t structure_size = 2;

  template <class Codec, class Self>
  static constexpr void describe(Codec&, Self&) {}
};
static_assert(fixed_size<SetInfoResponse>() == 2);

}  // namespace smb3::wire
