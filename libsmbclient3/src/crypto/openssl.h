// Owners for OpenSSL's objects and the two ways in which it fails. Included by the .cpp files of
// this folder alone.
#pragma once

#include "base/bytes.h"

#include <smbclient3/error.h>

#include <openssl/evp.h>

#include <memory>
#include <string_view>

namespace smb3::openssl {

template <auto free>
struct Free {
  template <class T>
  void operator()(T* object) const noexcept {
    free(object);
  }
};

using CipherPtr = std::unique_ptr<EVP_CIPHER, Free<EVP_CIPHER_free>>;
using DigestPtr = std::unique_ptr<EVP_MD, Free<EVP_MD_free>>;
using MacPtr = std::unique_ptr<EVP_MAC, Free<EVP_MAC_free>>;
using CipherContextPtr = std::unique_ptr<EVP_CIPHER_CTX, Free<EVP_CIPHER_CTX_free>>;
using DigestContextPtr = std::unique_ptr<EVP_MD_CTX, Free<EVP_MD_CTX_free>>;
using MacContextPtr = std::unique_ptr<EVP_MAC_CTX, Free<EVP_MAC_CTX_free>>;

// An algorithm is missing, or a policy of this machine forbids it.
Error lacks(std::string_view algorithm);
// A call failed that has no reason to: memory, or a broken installation.
Error failed(std::string_view function);

inline const unsigned char* in(const std::byte* bytes) noexcept {
  return reinterpret_cast<const unsigned char*>(bytes);
}
inline unsigned char* out(std::byte* bytes) noexcept {
  return reinterpret_cast<unsigned char*>(bytes);
}

// Null when OpenSSL has no such algorithm; leaves nothing in the thread's queue of errors.
CipherPtr fetch_cipher(std::string_view name);
DigestPtr fetch_digest(std::string_view name);
MacPtr fetch_mac(std::string_view name);

}  // namespace smb3::openssl
