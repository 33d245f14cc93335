// Encrypted frames: the TRANSFORM_HEADER and AES-GCM or AES-CCM, [MS-SMB2] 2.2.41 and 3.1.4.3.
#pragma once

#include "base/algorithms.h"
#include "base/bytes.h"
#include "crypto/nonce.h"
#include "crypto/secret.h"

#include <smbclient3/error.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

struct evp_cipher_ctx_st;  // OpenSSL's EVP_CIPHER_CTX

namespace smb3 {

inline constexpr std::size_t transform_header_bytes = 52;

// The session that a received frame belongs to; none when it is too short for a TRANSFORM_HEADER
// or does not begin with one. Tells which Sealer to use, and is proven only by unseal().
std::optional<std::uint64_t> sealed_session_id(Bytes frame) noexcept;

// One session's keys on one connection. One thread uses it; sealing allocates nothing.
class Sealer {
 public:
  // Keys of another size than the cipher's are refused.
  static Result<Sealer> create(Cipher cipher, const Key& encryption_key, const Key& decryption_key);
  Sealer(Sealer&&) noexcept;
  Sealer& operator=(Sealer&&) noexcept;
  ~Sealer();

  Cipher cipher() const noexcept { return cipher_; }

  // Writes TRANSFORM_HEADER and ciphertext of the pieces, one after the other, into `out`. The
  // pieces stay as they are, so that they can be sent again (under another nonce) on another
  // channel. Preconditions: out.size() == transform_header_bytes + the sum of the pieces, which is
  // not zero; `out` overlaps no piece; the nonce was never used.
  Result<> seal(std::uint64_t session_id, const Nonce& nonce, std::span<const Bytes> pieces,
                MutableBytes out);

  // Checks a whole received frame and decrypts it in place. Returns the plaintext within it. After
  // an error nothing of the plaintext is left in the frame.
  Result<MutableBytes> unseal(MutableBytes frame);

 private:
  struct ContextDeleter {
    void operator()(evp_cipher_ctx_st* context) const noexcept;
  };
  using Context = std::unique_ptr<evp_cipher_ctx_st, ContextDeleter>;

  Sealer(Cipher cipher, Context encryption, Context decryption) noexcept;
  static Result<Context> make_context(Cipher cipher, const Key& key, bool encrypts);

  Cipher cipher_;
  Context encryption_;
  Context decryption_;
};

}  // namespace smb3
