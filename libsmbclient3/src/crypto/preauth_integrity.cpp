// The preauthentication integrity hash chain.
#include "crypto/preauth_integrity.h"

#include "crypto/openssl.h"

namespace smb3 {

Result<> PreauthIntegrity::update(Bytes message) {
  const auto sha_512 = openssl::fetch_digest("SHA512");
  if (!sha_512) return std::unexpected(openssl::lacks("SHA-512"));
  const openssl::DigestContextPtr context(EVP_MD_CTX_new());
  if (!context || !EVP_DigestInit_ex2(context.get(), sha_512.get(), nullptr) ||
      !EVP_DigestUpdate(context.get(), value_.data(), value_.size()) ||
      !EVP_DigestUpdate(context.get(), message.data(), message.size()) ||
      !EVP_DigestFinal_ex(context.get(), openssl::out(value_.data()), nullptr)) {
    return std::unexpected(openssl::failed("EVP_Digest"));
  }
  return {};
}

}  // namespace smb3
