// The keys of one session on one connection: what signs, verifies, seals and unseals.
#pragma once

#include "crypto/nonce.h"
#include "crypto/sealer.h"
#include "crypto/signer.h"

#include <cstdint>
#include <optional>

namespace smb3 {

// [MS-SMB2] 3.2.1.8: the channel's signing key, and the session's sealing keys with the channel's
// own range of nonces. Belongs to the connection's thread.
class Protection {
 public:
  Protection(std::uint64_t session_id, Signer signer, std::optional<Sealer> sealer,
             NonceRange nonces)
      : session_id_(session_id),
        signer_(std::move(signer)),
        sealer_(std::move(sealer)),
        nonces_(std::move(nonces)) {}

  std::uint64_t session_id() const noexcept { return session_id_; }
  bool can_seal() const noexcept { return sealer_.has_value(); }
  Signer& signer() noexcept { return signer_; }
  Sealer& sealer() noexcept { return *sealer_; }  // precondition: can_seal()

  Result<void> seal(std::span<const Bytes> pieces, MutableBytes out) {
    auto nonce = nonces_.next();
    if (!nonce) return std::unexpected(std::move(nonce).error());
    return sealer_->seal(session_id_, *nonce, pieces, out);
  }

 private:
  std::uint64_t session_id_;
  Signer signer_;
  std::optional<Sealer> sealer_;
  NonceRange nonces_;
};

}  // namespace smb3
