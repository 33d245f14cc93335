// SMB2 FLUSH: [MS-SMB2] 2.2.17 (request) and 2.2.18 (response).
#pragma once

#include "wire/codec.h"
#include "wire/command.h"
#include "wire/types.h"

namespace smb3::wire {

struct FlushRequest {
  static constexpr Command command = Command::flush;
  static constexpr std::string_view wire_name = "FLUSH request";
  static constexpr std::uint16_t structure_size = 24;

  FileId file_id{};

  template <class Codec, class Self>
  static constexpr void describe(Codec& c, Self& m) {
    c.reserved(u16).reserved(u32)("file_id", m.file_id);
  }
};
static_assert(fixed_size<FlushRequest>() == 24);

struct FlushResponse {
  static constexpr Command command = Command::flush;
  static constexpr std::string_view wire_name = "FLUSH response";
  static constexpr std::uint16_t structure_size = 4;

  template <class Codec, class Self>
  static constexpr void describe(Codec& c, Self&) {
    c.reserved(u16);
  }
};
static_assert(fixed_size<FlushResponse>() == 4);

}  // namespace smb3::wire
