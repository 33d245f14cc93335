#include "crypto/signer.h"

#include "unit/crypto/vectors.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace smb3 {
namespace {

using namespace test;

constexpr std::size_t header_bytes = 64;
constexpr std::size_t flags_at = 16;
constexpr std::size_t message_id_at = 24;
constexpr std::size_t signature_at = 48;

constexpr SigningAlgorithm every_algorithm[] = {
    SigningAlgorithm::hmac_sha256, SigningAlgorithm::aes_128_cmac, SigningAlgorithm::aes_128_gmac};

SigningAlgorithm algorithm_named(std::string_view name) {
  for (const SigningAlgorithm algorithm : every_algorithm) {
    if (name_of(algorithm) == name) return algorithm;
  }
  throw std::runtime_error("unknown algorithm");
}

Signer signer_of(SigningAlgorithm algorithm, std::uint8_t seed = 0x10) {
  Octets key(16);
  for (std::byte& byte : key) byte = static_cast<std::byte>(seed++);
  return Signer::create(algorithm, Key(key)).value();
}

// A request with the given MessageId and `body_bytes` behind its header.
Octets message_of(std::size_t body_bytes, std::uint64_t message_id = 7) {
  std::mt19937_64 random(body_bytes);
  Octets message = random_octets(header_bytes + body_bytes, random);
  store_le(message.data(), std::uint32_t{0x424D53FE});
  store_le(message.data() + 12, std::uint16_t{9});
  store_le(message.data() + flags_at, std::uint32_t{0});
  store_le(message.data() + message_id_at, message_id);
  return message;
}

Result<> sign_whole(Signer& signer, MutableBytes message) {
  const Bytes rest[] = {message.subspan(header_bytes)};
  return signer.sign(message.first(header_bytes), rest);
}

void check_element(const Vector& vector, Bytes element, std::string_view signature) {
  auto signer = Signer::create(algorithm_named(vector.text("algorithm")), vector.key("key"));
  ASSERT_TRUE(signer);
  EXPECT_TRUE(signer->verify(element));

  Octets unsigned_element(element.begin(), element.end());
  store_le(unsigned_element.data() + flags_at,
           load_le<std::uint32_t>(unsigned_element.data() + flags_at) & ~std::uint32_t{8});
  std::fill_n(unsigned_element.begin() + signature_at, 16, std::byte{0xAA});
  EXPECT_FALSE(signer->verify(unsigned_element));
  ASSERT_TRUE(sign_whole(*signer, unsigned_element));
  EXPECT_EQ(to_hex(unsigned_element), to_hex(element));
  EXPECT_EQ(to_hex(Bytes(unsigned_element).subspan(signature_at, 16)), signature);
}

TEST(Signer, PublishedSignatures) {
  for (const Vector& vector : vectors_of("smb_sign")) {
    SCOPED_TRACE(vector.name);
    const Octets message = vector.bytes("message");
    if (vector.has("signature")) {
      check_element(vector, message, vector.text("signature"));
    } else {
      // A compound: each element is signed over its header up to the next one.
      const std::size_t first = std::stoul(vector.text("element1_len"));
      check_element(vector, Bytes(message).first(first), vector.text("signature1"));
      check_element(vector, Bytes(message).subspan(first), vector.text("signature2"));
    }
  }
}

TEST(Signer, PiecesSignLikeTheWhole) {
  std::mt19937_64 random(3);
  for (const SigningAlgorithm algorithm : every_algorithm) {
    Signer signer = signer_of(algorithm);
    for (const std::size_t size : {0, 1, 15, 16, 17, 64, 4095, 4096, 65535, 1'048'576 + 80}) {
      SCOPED_TRACE(testing::Message() << name_of(algorithm) << ' ' << size);
      Octets whole = message_of(size);
      Octets gathered = whole;
      ASSERT_TRUE(sign_whole(signer, whole));
      const auto pieces =
          random_pieces(Bytes(gathered).subspan(header_bytes), 1 + random() % 6, random);
      ASSERT_TRUE(signer.sign(MutableBytes(gathered).first(header_bytes), pieces));
      EXPECT_TRUE(gathered == whole);
      const Octets before = whole;
      EXPECT_TRUE(signer.verify(whole));
      EXPECT_TRUE(whole == before);
    }
  }
}

TEST(Signer, EveryChangedByteIsRefused) {
  for (const SigningAlgorithm algorithm : every_algorithm) {
    Signer signer = signer_of(algorithm);
    Octets message = message_of(100);
    ASSERT_TRUE(sign_whole(signer, message));
    for (std::size_t i = 0; i < message.size(); ++i) {
      for (const unsigned flip : {0x01U, 0x08U, 0x80U}) {
        message[i] ^= static_cast<std::byte>(flip);
        const auto verified = signer.verify(message);
        ASSERT_FALSE(verified) << name_of(algorithm) << " byte " << i;
        EXPECT_EQ(verified.error().kind(), ErrorKind::security);
        message[i] ^= static_cast<std::byte>(flip);
      }
    }
    EXPECT_TRUE(signer.verify(message));
  }
}

TEST(Signer, AnotherLengthOrKeyIsRefused) {
  for (const SigningAlgorithm algorithm : every_algorithm) {
    Signer signer = signer_of(algorithm);
    Octets message = message_of(32);
    ASSERT_TRUE(sign_whole(signer, message));
    EXPECT_FALSE(signer_of(algorithm, 0x11).verify(message));
    for (std::size_t size = 0; size < message.size(); ++size) {
      EXPECT_FALSE(signer.verify(Bytes(message).first(size))) << size;
    }
    message.push_back(std::byte{0});
    EXPECT_FALSE(signer.verify(message));
  }
  Signer signer = signer_of(SigningAlgorithm::aes_128_cmac);
  const auto verified = signer.verify(Octets(63));
  ASSERT_FALSE(verified);
  EXPECT_EQ(verified.error().kind(), ErrorKind::protocol);
}

TEST(Signer, GmacRefusesMessageIdsThatRepeat) {
  for (const std::uint64_t id : {std::uint64_t{0}, ~std::uint64_t{0}}) {
    Octets message = message_of(16, id);
    Signer gmac = signer_of(SigningAlgorithm::aes_128_gmac);
    EXPECT_FALSE(sign_whole(gmac, message));
    EXPECT_FALSE(gmac.verify(message));
    Signer cmac = signer_of(SigningAlgorithm::aes_128_cmac);
    EXPECT_TRUE(sign_whole(cmac, message));
    EXPECT_TRUE(cmac.verify(message));
  }
}

TEST(Signer, KeysOfTheWrongSizeAreRefused) {
  for (const SigningAlgorithm algorithm : every_algorithm) {
    for (const std::size_t size : {0, 15, 17, 32}) {
      EXPECT_FALSE(Signer::create(algorithm, Key::zeros(size)));
    }
  }
}

}  // namespace
}  // namespace smb3
