// The preauthentication integrity hash chain, [MS-SMB2] 3.2.5.2 and 3.2.5.3.
#pragma once

#include "base/bytes.h"

#include <smbclient3/error.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

namespace smb3 {

// Copy it to begin a session's chain where the connection's chain stands.
class PreauthIntegrity {
 public:
  static constexpr std::size_t value_bytes = 64;

  PreauthIntegrity() = default;  // the beginning of a chain: zeros
  explicit PreauthIntegrity(std::span<const std::byte, value_bytes> value) noexcept {
    std::copy(value.begin(), value.end(), value_.begin());
  }

  // value = SHA-512(value || message). `message` is a whole message as it was on the wire, from
  // its ProtocolId to its last byte, signature included. The final successful SESSION_SETUP
  // response does not belong in the chain.
  Result<> update(Bytes message);

  Bytes value() const noexcept { return value_; }

 private:
  std::array<std::byte, value_bytes> value_{};
};

}  // namespace smb3
