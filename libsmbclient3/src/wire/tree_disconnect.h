// SMB2 TREE_DISCONNECT: [MS-SMB2] 2.2.11 (request) and 2.2.12 (response).
#pragma once

#include "wire/codec.h"
#include "wire/command.h"

namespace smb3::wire {

struct TreeDisconnectRequest {
  static constexpr Command command = Command::tree_disconnect;
  static constexpr std::string_view wire_name = "TREE_DISCONNECT request";
  static constexpr std::uint16_t structure_size = 4;

  template <class Codec, class Self>
  static constexpr void describe(Codec& c, Self&) {
    c.reserved(u16);
  }
};
static_assert(fixed_size<TreeDisconnectRequest>() == 4);

struct TreeDisconnectResponse {
  static constexpr Command command = Command::tree_disconnect;
  static constexpr std::string_view wire_name = "TREE_DISCONNECT response";
  static constexpr std::uint16_t structure_size = 4;

  template <class Codec, class Self>
  static constexpr void describe(Codec& c, Self&) {
    c.reserved(u16);
  }
};
static_assert(fixed_size<TreeDisconnectResponse>() == 4);

}  // namespace smb3::wire
