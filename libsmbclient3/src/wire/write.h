// SMB2 WRITE: [MS-SMB2] 2.2.21 (request) and 2.2.22 (response).
#pragma once

#include "wire/codec.h"
#include "wire/command.h"
#include "wire/flags.h"
#include "wire/types.h"

namespace smb3::wire {

// write_through alone is refused on a buffered open ([MS-SMB2] 3.3.5.13): send both.
enum class WriteFlags : std::uint32_t { none = 0, write_through = 0x1, write_unbuffered = 0x2 };
template <>
inline constexpr bool is_flags<WriteFlags> = true;

struct WriteRequest {
  static constexpr Command command = Command::write;
  static constexpr std::string_view wire_name = "WRITE request";
  static constexpr std::uint16_t structure_size = 49;

  std::uint64_t offset = 0;
  FileId file_id{};
  WriteFlags flags = WriteFlags::none;
  Bytes data{};

  template <class Codec, class Self>
  static constexpr void describe(Codec& c, Self& m) {
    c.offset(u16, m.data).length(u32, m.data);
    c("offset", m.offset)("file_id", m.file_id);
    c.reserved(u32).reserved(u32);  // Channel: not RDMA; RemainingBytes
    c.reserved(u16).reserved(u16);  // WriteChannelInfoOffset, WriteChannelInfoLength
    c("flags", m.flags).payload("data", m.data);
  }
};
static_assert(fixed_size<WriteRequest>() == 48);

struct WriteResponse {
  static constexpr Command command = Command::write;
  static constexpr std::string_view wire_name = "WRITE response";
  static constexpr std::uint16_t structure_size = 17;

  std::uint32_t count = 0;

  template <class Codec, class Self>
  static constexpr void describe(Codec& c, Self& m) {
    c.reserved(u16)("count", m.count);
    c.reserved(u32).reserved(u16).reserved(u16);  // Remaining, WriteChannelInfo
  }
};
static_assert(fixed_size<WriteResponse>() == 16);

}  // namespace smb3::wire
