// AES-GMAC and HMAC-SHA256; AES-CMAC has its own file.
#include "crypto/mac.h"

#include "crypto/cmac.h"
#include "crypto/openssl.h"

#include <openssl/core_names.h>
#include <openssl/params.h>

#include <algorithm>
#include <climits>
#include <utility>

namespace smb3 {
namespace {

// GCM without a plaintext: the message is the additional data. OpenSSL's "GMAC" says the same with
// a parameter list for each nonce.
class Gmac final : public Mac {
 public:
  explicit Gmac(openssl::CipherContextPtr gcm) noexcept : gcm_(std::move(gcm)) {}

  bool begin(const GmacNonce& nonce) override {
    return EVP_EncryptInit_ex2(gcm_.get(), nullptr, nullptr, openssl::in(nonce.data()), nullptr);
  }

  bool update(Bytes piece) override {
    if (piece.empty()) return true;
    int length = 0;
    return piece.size() <= INT_MAX &&
           EVP_EncryptUpdate(gcm_.get(), nullptr, &length, openssl::in(piece.data()),
                             static_cast<int>(piece.size()));
  }

  bool finish(Tag& tag) override {
    int length = 0;
    return EVP_EncryptFinal_ex(gcm_.get(), openssl::out(tag.data()), &length) &&
           EVP_CIPHER_CTX_ctrl(gcm_.get(), EVP_CTRL_AEAD_GET_TAG, int{std::tuple_size_v<Tag>},
                               tag.data()) > 0;
  }

 private:
  openssl::CipherContextPtr gcm_;
};

class Hmac final : public Mac {
 public:
  explicit Hmac(openssl::MacContextPtr hmac) noexcept : hmac_(std::move(hmac)) {}

  bool begin(const GmacNonce&) override {
    return EVP_MAC_init(hmac_.get(), nullptr, 0, nullptr);  // the key stays
  }

  bool update(Bytes piece) override {
    return EVP_MAC_update(hmac_.get(), openssl::in(piece.data()), piece.size());
  }

  bool finish(Tag& tag) override {
    std::array<std::byte, 32> whole;
    std::size_t length = 0;
    if (!EVP_MAC_final(hmac_.get(), openssl::out(whole.data()), &length, whole.size()) ||
        length != whole.size()) {
      return false;
    }
    std::copy_n(whole.begin(), tag.size(), tag.begin());
    return true;
  }

 private:
  openssl::MacContextPtr hmac_;
};

Result<std::unique_ptr<Mac>> make_gmac(const Key& key) {
  const auto cipher = openssl::fetch_cipher("AES-128-GCM");
  if (!cipher) return std::unexpected(openssl::lacks("AES-128-GCM"));
  openssl::CipherContextPtr gcm(EVP_CIPHER_CTX_new());
  if (!gcm || !EVP_EncryptInit_ex2(gcm.get(), cipher.get(), openssl::in(key.bytes().data()),
                                   nullptr, nullptr)) {
    return std::unexpected(openssl::failed("EVP_EncryptInit_ex2"));
  }
  return std::make_unique<Gmac>(std::move(gcm));
}

Result<std::unique_ptr<Mac>> make_hmac(const Key& key) {
  const auto mac = openssl::fetch_mac("HMAC");
  if (!mac || !openssl::fetch_digest("SHA256")) return std::unexpected(openssl::lacks("SHA-256"));
  openssl::MacContextPtr hmac(EVP_MAC_CTX_new(mac.get()));
  char digest[] = "SHA256";
  const OSSL_PARAM parameters[] = {
      OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0),
      OSSL_PARAM_construct_end(),
  };
  if (!hmac || !EVP_MAC_init(hmac.get(), openssl::in(key.bytes().data()), key.size(), parameters)) {
    return std::unexpected(openssl::failed("EVP_MAC_init"));
  }
  return std::make_unique<Hmac>(std::move(hmac));
}

}  // namespace

Result<std::unique_ptr<Mac>> make_mac(SigningAlgorithm algorithm, const Key& key) {
  switch (algorithm) {
    case SigningAlgorithm::hmac_sha256: return make_hmac(key);
    case SigningAlgorithm::aes_128_cmac: return Cmac::make(key);
    case SigningAlgorithm::aes_128_gmac: return make_gmac(key);
  }
  return std::unexpected(Error(ErrorKind::unsupported, "unknown signing algorithm"));
}

}  // namespace smb3
