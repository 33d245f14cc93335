// SMB2 LOGOFF: [MS-SMB2] 2.2.7 (request) and 2.2.8 (response).
#pragma once

#include "wire/codec.h"
#include "wire/command.h"

namespace smb3::wire {

struct LogoffRequest {
  static constexpr Command command = Command::logoff;
  static constexpr std::string_view wire_name = "LOGOFF request";
  static constexpr std::uint16_t structure_size = 4;

  template <class Codec, class Self>
  static constexpr void describe(Codec& c, Self&) {
    c.reserved(u16);
  }
};
static_assert(fixed_size<LogoffRequest>() == 4);

struct LogoffResponse {
  static constexpr Command command = Command::logoff;
  static constexpr std::string_view wire_name = "LOGOFF response";
  static constexpr std::uint16_t structure_size = 4;

  template <class Codec, class Self>
  static constexpr void describe(Codec& c, Self&) {
    c.reserved(u16);
  }
};
static_assert(fixed_size<LogoffResponse>() == 4);

}  // namespace smb3::wire
