// Owners for OpenSSL's objects and the two ways in which it fails.
#include "crypto/openssl.h"

#include <openssl/err.h>

#include <array>
#include <string>

namespace smb3::openssl {
namespace {

// The queue belongs to the thread, so to the application: only our own entries are taken away.
template <class Fetch>
auto fetch_quietly(Fetch fetch, std::string_view name) {
  ERR_set_mark();
  auto* algorithm = fetch(nullptr, std::string(name).c_str(), nullptr);
  ERR_pop_to_mark();
  return algorithm;
}

}  // namespace

Error lacks(std::string_view algorithm) {
  return Error(ErrorKind::local, "OpenSSL on this machine offers no " + std::string(algorithm))
      .advise(
          "it is part of OpenSSL's default provider (package libssl3): look for a disabled "
          "provider or a FIPS policy in openssl.cnf and in OPENSSL_CONF, and at the output of "
          "`openssl list -providers`");
}

Error failed(std::string_view function) {
  std::string what = "OpenSSL failed";
  if (const unsigned long code = ERR_peek_last_error(); code != 0) {
    std::array<char, 256> text{};
    ERR_error_string_n(code, text.data(), text.size());
    what += ": ";
    what += text.data();
  }
  return Error(ErrorKind::local, std::move(what)).during(function);
}

CipherPtr fetch_cipher(std::string_view name) {
  return CipherPtr(fetch_quietly(EVP_CIPHER_fetch, name));
}

DigestPtr fetch_digest(std::string_view name) {
  return DigestPtr(fetch_quietly(EVP_MD_fetch, name));
}

MacPtr fetch_mac(std::string_view name) { return MacPtr(fetch_quietly(EVP_MAC_fetch, name)); }

}  // namespace smb3::openssl
