#include "crypto/key_derivation.h"

#include "unit/crypto/vectors.h"

#include <gtest/gtest.h>

namespace smb3 {
namespace {

using namespace test;
using namespace std::string_view_literals;

PreauthIntegrity preauth_of(const Vector& vector) {
  const Octets value = vector.bytes("context");
  return PreauthIntegrity(std::span<const std::byte, 64>(value));
}

void expect_key(const Vector& vector, std::string_view field, const Key& key) {
  if (!vector.has(field)) return;
  EXPECT_EQ(to_hex(key.bytes()), vector.text(field)) << field;
}

TEST(KeyDerivation, Sp800_108) {
  for (const Vector& vector : vectors_of("kdf_sp800_108")) {
    const auto key = derive_key(vector.bytes("ki"), vector.bytes("fixed_input"), 16);
    ASSERT_TRUE(key);
    EXPECT_EQ(to_hex(key->bytes()), vector.text("ko"));
  }
}

TEST(KeyDerivation, SessionKeysOf311) {
  int sessions = 0;
  for (const Vector& vector : vectors_of("smb_keys")) {
    if (vector.text("dialect") != "0x0311" || vector.has("channel_signing")) continue;
    SCOPED_TRACE(vector.name);
    ++sessions;
    const bool aes_256 = vector.has("full_session_key");
    const Octets exported = vector.bytes(aes_256 ? "full_session_key" : "session_key");
    const auto keys = derive_session_keys(
        exported, aes_256 ? Cipher::aes_256_gcm : Cipher::aes_128_gcm, preauth_of(vector));
    ASSERT_TRUE(keys);
    expect_key(vector, "signing", keys->signing);
    expect_key(vector, "application", keys->application);
    expect_key(vector, "c2s_encryption", keys->encryption);
    expect_key(vector, "s2c_decryption", keys->decryption);
  }
  EXPECT_EQ(sessions, 5);
}

// The two channels of one session: the label of the second is that of the first.
TEST(KeyDerivation, ChannelSigningKeyOf311) {
  int channels = 0;
  for (const Vector& vector : vectors_of("smb_keys")) {
    if (vector.text("dialect") != "0x0311" || !vector.has("channel_signing")) continue;
    SCOPED_TRACE(vector.name);
    ++channels;
    const auto key = derive_channel_signing_key(vector.bytes("session_key"), preauth_of(vector));
    ASSERT_TRUE(key);
    expect_key(vector, "channel_signing", *key);
  }
  EXPECT_EQ(channels, 1);
}

// We do not speak 3.0, but its published keys check the derivation with other labels.
TEST(KeyDerivation, LabelsAndContextsOf30) {
  struct Row {
    std::string_view field, label, context;
  };
  const Row rows[] = {
      {"signing", "SMB2AESCMAC\0"sv, "SmbSign\0"sv},
      {"channel_signing", "SMB2AESCMAC\0"sv, "SmbSign\0"sv},
      {"application", "SMB2APP\0"sv, "SmbRpc\0"sv},
      {"c2s_encryption", "SMB2AESCCM\0"sv, "ServerIn \0"sv},
      {"s2c_decryption", "SMB2AESCCM\0"sv, "ServerOut\0"sv},
  };
  int keys = 0;
  for (const Vector& vector : vectors_of("smb_keys")) {
    if (vector.text("dialect") != "0x0300") continue;
    SCOPED_TRACE(vector.name);
    for (const Row& row : rows) {
      if (!vector.has(row.field)) continue;
      const auto key = derive_key(vector.bytes("session_key"), row.label,
                                  std::as_bytes(std::span(row.context)), 16);
      ASSERT_TRUE(key);
      expect_key(vector, row.field, *key);
      ++keys;
    }
  }
  EXPECT_EQ(keys, 9);
}

TEST(KeyDerivation, OnlyTheKeysOfAes256TakeTheWholeSessionKey) {
  const Octets whole = from_hex("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f");
  const Bytes half = Bytes(whole).first(16);
  const PreauthIntegrity preauth;
  const auto of_whole = derive_session_keys(whole, Cipher::aes_256_ccm, preauth);
  const auto of_half = derive_session_keys(half, Cipher::aes_256_ccm, preauth);
  ASSERT_TRUE(of_whole && of_half);
  EXPECT_EQ(of_whole->signing, of_half->signing);
  EXPECT_EQ(of_whole->application, of_half->application);
  EXPECT_FALSE(of_whole->encryption == of_half->encryption);
  EXPECT_FALSE(of_whole->decryption == of_half->decryption);
  EXPECT_EQ(of_whole->signing.size(), 16U);
  EXPECT_EQ(of_whole->encryption.size(), 32U);

  const auto narrow = derive_session_keys(whole, Cipher::aes_128_gcm, preauth);
  const auto narrow_half = derive_session_keys(half, Cipher::aes_128_gcm, preauth);
  ASSERT_TRUE(narrow && narrow_half);
  EXPECT_EQ(narrow->encryption, narrow_half->encryption);
  EXPECT_EQ(narrow->encryption.size(), 16U);
}

TEST(KeyDerivation, AShortSessionKeyIsPaddedWithZeros) {
  const auto a = derive_channel_signing_key(from_hex("0102030405060708"), PreauthIntegrity());
  const auto b =
      derive_channel_signing_key(from_hex("01020304050607080000000000000000"), PreauthIntegrity());
  ASSERT_TRUE(a && b);
  EXPECT_EQ(*a, *b);
}

TEST(KeyDerivation, WithoutACipherThereAreNoKeysForIt) {
  const auto keys = derive_session_keys(from_hex("01"), Cipher::none, PreauthIntegrity());
  ASSERT_TRUE(keys);
  EXPECT_TRUE(keys->encryption.empty());
  EXPECT_TRUE(keys->decryption.empty());
  EXPECT_EQ(keys->signing.size(), 16U);
}

TEST(KeyDerivation, AnEmptySessionKeyIsRefused) {
  const auto keys = derive_session_keys({}, Cipher::aes_128_gcm, PreauthIntegrity());
  ASSERT_FALSE(keys);
  EXPECT_EQ(keys.error().kind(), ErrorKind::security);
  EXPECT_FALSE(derive_channel_signing_key({}, PreauthIntegrity()));
}

}  // namespace
}  // namespace smb3
