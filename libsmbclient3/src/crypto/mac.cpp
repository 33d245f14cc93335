#include "crypto/mac.h"

#include "crypto/openssl.h"

#include <openssl/core_names.h>
#include <openssl/params.h>

#include <algorithm>
#include <climits>
#include <string>
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

// HMAC-SHA256 and AES-CMAC.
class Evp final : public Mac {
 public:
  explicit Evp(openssl::MacContextPtr mac) noexcept : mac_(std::move(mac)) {}

  bool begin(const GmacNonce&) override {
    return EVP_MAC_init(mac_.get(), nullptr, 0, nullptr);  // the key stays
  }

  bool update(Bytes piece) override {
    return EVP_MAC_update(mac_.get(), openssl::in(piece.data()), piece.size());
  }

  bool finish(Tag& tag) override {
    std::array<std::byte, 32> whole;
    std::size_t length = 0;
    if (!EVP_MAC_final(mac_.get(), openssl::out(whole.data()), &length, whole.size()) ||
        length < tag.size()) {
      return false;
    }
    std::copy_n(whole.begin(), tag.size(), tag.begin());
    return true;
  }

 private:
  openssl::MacContextPtr mac_;
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

Result<std::unique_ptr<Mac>> make_evp(const char* name, const Key& key, const char* parameter,
                                      std::string algorithm) {
  const auto fetched = openssl::fetch_mac(name);
  if (!fetched) return std::unexpected(openssl::lacks(name));
  openssl::MacContextPtr mac(EVP_MAC_CTX_new(fetched.get()));
  const OSSL_PARAM parameters[] = {
      OSSL_PARAM_construct_utf8_string(parameter, algorithm.data(), 0),
      OSSL_PARAM_construct_end(),
  };
  if (!mac || !EVP_MAC_init(mac.get(), openssl::in(key.bytes().data()), key.size(), parameters)) {
    return std::unexpected(openssl::failed("EVP_MAC_init"));
  }
  return std::make_unique<Evp>(std::move(mac));
}

}  // namespace

Result<std::unique_ptr<Mac>> make_mac(SigningAlgorithm algorithm, const Key& key) {
  switch (algorithm) {
    case SigningAlgorithm::hmac_sha256:
      return make_evp("HMAC", key, OSSL_MAC_PARAM_DIGEST, "SHA256");
    case SigningAlgorithm::aes_128_cmac:
      return make_evp("CMAC", key, OSSL_MAC_PARAM_CIPHER, "AES-128-CBC");
    case SigningAlgorithm::aes_128_gmac: return make_gmac(key);
  }
  return std::unexpected(Error(ErrorKind::unsupported, "unknown signing algorithm"));
}

}  // namespace smb3
