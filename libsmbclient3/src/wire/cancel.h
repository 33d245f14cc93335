// SMB2 CANCEL: [MS-SMB2] 2.2.30 (request; there is no response).
#pragma once

#include "wire/codec.h"
#include "wire/command.h"

namespace smb3::wire {

struct CancelRequest {
  static constexpr Command command = Command::cancel;
  static constexpr std::string_view wire_name = "CANCEL request";
  static constexpr std::uint16_t structure_size = 4;

  template <class Codec, class Self>
  static constexpr void describe(Codec& c, Self&) {
    c.reserved(u16);
  }
};
static_assert(fixed_size<CancelRequest>() == 4);

}  // namespace smb3::wire
