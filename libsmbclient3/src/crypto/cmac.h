// AES-128-CMAC, RFC 4493, on top of OpenSSL's AES-CBC.
#pragma once

#include "crypto/mac.h"
#include "crypto/openssl.h"

#include <array>
#include <cstddef>
#include <memory>

namespace smb3 {

// CMAC is CBC encryption of which only the last block is kept. OpenSSL 3.0's own CMAC calls the
// cipher once for each block of 16 bytes; with long runs it is twice as fast.
class Cmac final : public Mac {
 public:
  static Result<std::unique_ptr<Mac>> make(const Key& key);
  ~Cmac() override;

  bool begin(const GmacNonce&) override;
  bool update(Bytes piece) override;
  bool finish(Tag& tag) override;

 private:
  static constexpr std::size_t block_bytes = 16;
  using Block = std::array<std::byte, block_bytes>;

  explicit Cmac(openssl::CipherContextPtr cbc) noexcept : cbc_(std::move(cbc)) {}
  bool make_subkeys();
  bool encrypt(Bytes blocks);

  openssl::CipherContextPtr cbc_;
  Block subkey_full_{};    // RFC 4493's K1, for a last block that is whole
  Block subkey_padded_{};  // RFC 4493's K2
  Block held_{};           // up to one block, kept back because it may be the last
  std::size_t held_bytes_ = 0;
  std::array<std::byte, 4096> ciphertext_{};  // looked at after a lone block, the last one, only
};

}  // namespace smb3
