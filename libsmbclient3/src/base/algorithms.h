// The negotiable algorithms of [MS-SMB2] 2.2.3.1, under their numbers on the wire.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace smb3 {

enum class HashAlgorithm : std::uint16_t { sha_512 = 1 };

enum class Cipher : std::uint16_t {
  none = 0,
  aes_128_ccm = 1,
  aes_128_gcm = 2,
  aes_256_ccm = 3,
  aes_256_gcm = 4,
};

enum class SigningAlgorithm : std::uint16_t { hmac_sha256 = 0, aes_128_cmac = 1, aes_128_gmac = 2 };

constexpr std::string_view name_of(Cipher cipher) noexcept {
  switch (cipher) {
    case Cipher::none: return "none";
    case Cipher::aes_128_ccm: return "AES-128-CCM";
    case Cipher::aes_128_gcm: return "AES-128-GCM";
    case Cipher::aes_256_ccm: return "AES-256-CCM";
    case Cipher::aes_256_gcm: return "AES-256-GCM";
  }
  return "unknown";
}

constexpr std::string_view name_of(SigningAlgorithm algorithm) noexcept {
  switch (algorithm) {
    case SigningAlgorithm::hmac_sha256: return "HMAC-SHA256";
    case SigningAlgorithm::aes_128_cmac: return "AES-128-CMAC";
    case SigningAlgorithm::aes_128_gmac: return "AES-128-GMAC";
  }
  return "unknown";
}

constexpr std::size_t key_bytes(Cipher cipher) noexcept {
  return cipher == Cipher::aes_256_ccm || cipher == Cipher::aes_256_gcm ? 32 : 16;
}

}  // namespace smb3
