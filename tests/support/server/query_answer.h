// Answers of QUERY_INFO, cut to what the client has room for.
#pragma once

#include "support/server/data_checks.h"
#include "wire/query_info.h"

namespace smb3::server {

// What was asked for: in whole, and how much of it must fit ([MS-SMB2] 3.3.5.20.1).
struct Information {
  ByteBuffer bytes{};
  std::size_t fixed_bytes = 0;

  template <wire::Structure S>
  void put(const S& structure) {
    wire::encode(structure, bytes);
    fixed_bytes = wire::fixed_size<S>();
  }
  // One number that is the whole class.
  template <std::unsigned_integral T>
  void put_number(T value) {
    store_le(bytes.extend(sizeof value), value);
    fixed_bytes += sizeof value;
  }
};

// An error with one ERROR context of these bytes ([MS-SMB2] 2.2.2.1).
Answer refusal_with_context(NtStatus status, Bytes data);
Answer answer_information(const Information& information, std::uint32_t room);

// file_information.cpp, file_system_information.cpp: success, or why there is none.
NtStatus query_file(const Request& request, const Open& open, std::uint8_t kind,
                    Information& information);
NtStatus query_file_system(const Request& request, std::uint8_t kind, Information& information);

// security_descriptor.cpp
Answer query_security(const Open& open, const wire::QueryInfoRequest& query);
NtStatus set_security(const Open& open, wire::AdditionalInformation which);

inline constexpr std::uint32_t volume_serial_number = 0x5342'3301;
inline constexpr std::uint32_t bytes_per_sector = 512;
inline constexpr std::uint32_t sectors_per_cluster = 8;

}  // namespace smb3::server
