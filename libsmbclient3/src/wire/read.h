// SMB2 READ: [MS-SMB2] 2.2.19 (request) and 2.2.20 (response).
#pragma once

#include "wire/codec.h"
#include "wire/command.h"
#include "wire/flags.h"
#include "wire/types.h"

namespace smb3::wire {

enum class ReadFlags : std::uint8_t { none = 0, read_unbuffered = 0x1, request_compressed = 0x2 };
template <>
inline constexpr bool is_flags<ReadFlags> = true;

struct ReadRequest {
  static constexpr Command command = Command::read;
  static constexpr std::string_view wire_name = "READ request";
  static constexpr std::uint16_t structure_size = 49;

  ReadFlags flags = ReadFlags::none;
  std::uint32_t length = 0;
  std::uint64_t offset = 0;
  FileId file_id{};
  std::uint32_t minimum_count = 0;

  template <class Codec, class Self>
  static constexpr void describe(Codec& c, Self& m) {
    c.reserved(u8, 0x50);  // Padding: ask for the data right behind the response
    c("flags", m.flags)("length", m.length)("offset", m.offset)("file_id", m.file_id);
    c("minimum_count", m.minimum_count);
    c.reserved(u32).reserved(u32);   // Channel: not RDMA; RemainingBytes
    c.reserved(u16).reserved(u16);   // ReadChannelInfoOffset, ReadChannelInfoLength
    c.minimum_size(structure_size);  // a byte of Buffer is due though it says nothing
  }
};
static_assert(fixed_size<ReadRequest>() == 48);

struct ReadResponse {
  static constexpr Command command = Command::read;
  static constexpr std::string_view wire_name = "READ response";
  static constexpr std::uint16_t structure_size = 17;

  std::uint32_t data_remaining = 0;
  std::uint32_t flags = 0;  // other than 0 only on RDMA
  Bytes data{};

  template <class Codec, class Self>
  static constexpr void describe(Codec& c, Self& m) {
    c.offset(u8, m.data).reserved(u8).length(u32, m.data);
    c("data_remaining", m.data_remaining)("flags", m.flags);
    c.payload("data", m.data);
  }
};
static_assert(fixed_size<ReadResponse>() == 16);

// Where the data of a READ response lies when the server follows our Padding: from the header.
inline constexpr std::size_t read_data_offset = 0x50;

}  // namespace smb3::wire
