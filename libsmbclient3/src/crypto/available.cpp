// What this machine's OpenSSL offers, and in which order we offer it to a server.
#include "crypto/available.h"

#include "crypto/openssl.h"

#include <algorithm>
#include <array>

namespace smb3 {

bool has_cipher(Cipher cipher) { return openssl::fetch_cipher(name_of(cipher)) != nullptr; }

bool has_signing(SigningAlgorithm algorithm) {
  switch (algorithm) {
    case SigningAlgorithm::hmac_sha256:
      return openssl::fetch_mac("HMAC") && openssl::fetch_digest("SHA256");
    case SigningAlgorithm::aes_128_cmac: return openssl::fetch_mac("CMAC") != nullptr;
    case SigningAlgorithm::aes_128_gmac: return openssl::fetch_cipher("AES-128-GCM") != nullptr;
  }
  return false;
}

Result<> check_crypto() {
  if (!openssl::fetch_digest("SHA512")) return std::unexpected(openssl::lacks("SHA-512"));
  for (const auto algorithm : {SigningAlgorithm::hmac_sha256, SigningAlgorithm::aes_128_cmac}) {
    if (!has_signing(algorithm)) return std::unexpected(openssl::lacks(name_of(algorithm)));
  }
  return {};
}

std::vector<Cipher> preferred_ciphers() {
  // GCM before CCM: it encrypts and authenticates in one pass that fills the CPU's pipelines,
  // while CCM's CBC-MAC goes block after block, at a quarter of the speed. 128 before 256 bits:
  // four rounds less for each block, and SMB derives both from a session key that is often 128
  // bits.
  std::vector<Cipher> ciphers{Cipher::aes_128_gcm, Cipher::aes_256_gcm, Cipher::aes_128_ccm,
                              Cipher::aes_256_ccm};
  std::erase_if(ciphers, [](Cipher cipher) { return !has_cipher(cipher); });
  return ciphers;
}

std::vector<SigningAlgorithm> preferred_signing_algorithms() {
  // GMAC is several times faster than the other two, for the same reason.
  std::vector<SigningAlgorithm> algorithms{SigningAlgorithm::aes_128_gmac,
                                           SigningAlgorithm::aes_128_cmac,
                                           SigningAlgorithm::hmac_sha256};
  std::erase_if(algorithms, [](SigningAlgorithm one) { return !has_signing(one); });
  return algorithms;
}

}  // namespace smb3
