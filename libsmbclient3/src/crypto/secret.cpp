// Keys: bytes that are wiped when they go.
#include "crypto/secret.h"

#include <openssl/crypto.h>

namespace smb3 {

void cleanse(MutableBytes bytes) noexcept { OPENSSL_cleanse(bytes.data(), bytes.size()); }

bool equal_in_constant_time(Bytes a, Bytes b) noexcept {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace smb3
