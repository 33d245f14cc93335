// The keys of a session and of its channels.
#include "crypto/key_derivation.h"

#include "crypto/openssl.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>
#include <utility>
#include <vector>

namespace smb3 {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t hmac_bytes = 32;
constexpr std::size_t session_key_bytes = 16;

// 3.1.1 knows one signing label. [MS-SMB2] 3.2.5.3.3 prints that of 3.0 for a bound channel, which
// no server uses.
constexpr auto signing_label = "SMBSigningKey\0"sv;
constexpr auto application_label = "SMBAppKey\0"sv;
constexpr auto encryption_label = "SMBC2SCipherKey\0"sv;
constexpr auto decryption_label = "SMBS2CCipherKey\0"sv;

// Session.SessionKey: the first 16 bytes, padded with zeros on the right if there are fewer.
Key session_key_of(Bytes full_session_key) {
  Key key = Key::zeros(session_key_bytes);
  const Bytes head = full_session_key.first(std::min(session_key_bytes, full_session_key.size()));
  std::copy(head.begin(), head.end(), key.mutable_bytes().begin());
  return key;
}

Error no_session_key() {
  return Error(ErrorKind::security, "the logon gave no session key, so nothing can be signed");
}

}  // namespace

Result<Key> derive_key(Bytes kdk, Bytes fixed_input, std::size_t size) {
  assert(size <= hmac_bytes);
  std::vector<std::byte> input(sizeof(std::uint32_t) + fixed_input.size());
  store_be(input.data(), std::uint32_t{1});
  std::copy(fixed_input.begin(), fixed_input.end(), input.begin() + sizeof(std::uint32_t));

  Key block = Key::zeros(hmac_bytes);
  std::size_t written = 0;
  if (!EVP_Q_mac(nullptr, "HMAC", nullptr, "SHA256", nullptr, kdk.data(), kdk.size(),
                 openssl::in(input.data()), input.size(),
                 openssl::out(block.mutable_bytes().data()), hmac_bytes, &written) ||
      written != hmac_bytes) {
    return std::unexpected(openssl::failed("EVP_Q_mac"));
  }
  return Key(block.bytes().first(size));
}

Result<Key> derive_key(Bytes kdk, std::string_view label, Bytes context, std::size_t size) {
  const Bytes label_bytes = std::as_bytes(std::span(label));
  std::vector<std::byte> fixed_input(label_bytes.begin(), label_bytes.end());
  fixed_input.push_back(std::byte{0});
  fixed_input.insert(fixed_input.end(), context.begin(), context.end());
  std::array<std::byte, sizeof(std::uint32_t)> bits;
  store_be(bits.data(), static_cast<std::uint32_t>(size * 8));
  fixed_input.insert(fixed_input.end(), bits.begin(), bits.end());
  return derive_key(kdk, fixed_input, size);
}

Result<SessionKeys> derive_session_keys(Bytes full_session_key, Cipher cipher,
                                        const PreauthIntegrity& preauth) {
  if (full_session_key.empty()) return std::unexpected(no_session_key());
  const Key session_key = session_key_of(full_session_key);
  // AES-256 alone derives from the whole key; [MS-SMB2] 3.1.4.2 reads as if every key did, but the
  // signing and the application key stay at 128 bits from 16 bytes.
  const std::size_t cipher_key_bytes = cipher == Cipher::none ? 0 : key_bytes(cipher);
  const Bytes cipher_kdk = cipher_key_bytes == 32 ? full_session_key : session_key.bytes();

  struct Step {
    Key SessionKeys::* key;
    Bytes kdk;
    std::string_view label;
    std::size_t size;
  };
  const std::array<Step, 4> steps{{
      {&SessionKeys::signing, session_key.bytes(), signing_label, session_key_bytes},
      {&SessionKeys::application, session_key.bytes(), application_label, session_key_bytes},
      {&SessionKeys::encryption, cipher_kdk, encryption_label, cipher_key_bytes},
      {&SessionKeys::decryption, cipher_kdk, decryption_label, cipher_key_bytes},
  }};
  SessionKeys keys;
  for (const Step& step : steps) {
    if (step.size == 0) continue;
    Result<Key> key = derive_key(step.kdk, step.label, preauth.value(), step.size);
    if (!key) return std::unexpected(std::move(key.error()));
    keys.*step.key = *std::move(key);
  }
  return keys;
}

Result<Key> derive_channel_signing_key(Bytes full_session_key, const PreauthIntegrity& binding) {
  if (full_session_key.empty()) return std::unexpected(no_session_key());
  return derive_key(session_key_of(full_session_key).bytes(), signing_label, binding.value(),
                    session_key_bytes);
}

}  // namespace smb3
