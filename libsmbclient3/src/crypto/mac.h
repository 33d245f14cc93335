// Message authentication codes under one key, made once and used for message after message.
#pragma once

#include "base/algorithms.h"
#include "base/bytes.h"
#include "crypto/secret.h"

#include <smbclient3/error.h>

#include <array>
#include <cstddef>
#include <memory>

namespace smb3 {

// begin(), update() for each piece, finish(). Each tells whether OpenSSL did it.
class Mac {
 public:
  using Tag = std::array<std::byte, 16>;
  using GmacNonce = std::array<std::byte, 12>;

  virtual ~Mac() = default;
  // Only GMAC looks at the nonce.
  virtual bool begin(const GmacNonce& nonce) = 0;
  virtual bool update(Bytes piece) = 0;
  // Longer codes are cut to 16 bytes.
  virtual bool finish(Tag& tag) = 0;
};

// Precondition: key.size() is 16 for the two AES algorithms.
Result<std::unique_ptr<Mac>> make_mac(SigningAlgorithm algorithm, const Key& key);

}  // namespace smb3
