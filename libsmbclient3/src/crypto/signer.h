// Signatures of messages under one key: AES-GMAC, AES-CMAC, HMAC-SHA256, [MS-SMB2] 3.1.4.1.
#pragma once

#include "base/algorithms.h"
#include "base/bytes.h"
#include "crypto/secret.h"

#include <smbclient3/error.h>

#include <array>
#include <cstddef>
#include <memory>
#include <span>

namespace smb3 {

class Mac;

// One channel's signing key. One thread uses it; signing and verifying allocate nothing.
class Signer {
 public:
  using Signature = std::array<std::byte, 16>;

  // A key of another size than 16 bytes is refused.
  static Result<Signer> create(SigningAlgorithm algorithm, const Key& signing_key);
  Signer(Signer&&) noexcept;
  Signer& operator=(Signer&&) noexcept;
  ~Signer();

  SigningAlgorithm algorithm() const noexcept { return algorithm_; }

  // Sets SMB2_FLAGS_SIGNED and Signature in the 64-byte `header` of one element; `rest` is what
  // follows it on the wire, up to the end of the element with its padding.
  Result<> sign(MutableBytes header, std::span<const Bytes> rest);

  // `element` is one whole element as it was received. It is left as it is.
  Result<> verify(Bytes element);

 private:
  Signer(SigningAlgorithm algorithm, std::unique_ptr<Mac> mac) noexcept;
  Result<> compute(Bytes header, std::span<const Bytes> rest, Signature& signature);

  SigningAlgorithm algorithm_;
  std::unique_ptr<Mac> mac_;
};

}  // namespace smb3
