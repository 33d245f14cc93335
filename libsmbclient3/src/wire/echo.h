// SMB2 ECHO: [MS-SMB2] 2.2.28 (request) and 2.2.29 (response).
#pragma once

#include "wire/codec.h"
#include "wire/command.h"

namespace smb3::wire {

struct EchoRequest {
  static constexpr Command command = Command::echo;
  static constexpr std::string_view wire_name = "ECHO request";
  static constexpr std::uint16_t structure_size = 4;

  template <class Codec, class Self>
  static constexpr void describe(Codec& c, Self&) {
    c.reserved(u16);
  }
};
static_assert(fixed_size<EchoRequest>() == 4);

struct EchoResponse {
  static constexpr Command command = Command::echo;
  static constexpr std::string_view wire_name = "ECHO response";
  static constexpr std::uint16_t structure_size = 4;

  template <class Codec, class Self>
  static constexpr void describe(Codec& c, Self&) {
    c.reserved(u16);
  }
};
static_assert(fixed_size<EchoResponse>() == 4);

}  // namespace smb3::wire
