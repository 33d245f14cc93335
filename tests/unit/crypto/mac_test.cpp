#include "crypto/mac.h"

#include "unit/crypto/vectors.h"

#include <openssl/evp.h>

#include <gtest/gtest.h>

namespace smb3 {
namespace {

using namespace test;

std::string tag_of(Mac& mac, const Mac::GmacNonce& nonce, std::span<const Bytes> pieces) {
  Mac::Tag tag{};
  bool done = mac.begin(nonce);
  for (const Bytes piece : pieces) done = done && mac.update(piece);
  return done && mac.finish(tag) ? to_hex(tag) : "failed";
}

void check_vectors(std::string_view kind, SigningAlgorithm algorithm, std::string_view input) {
  std::mt19937_64 random(1);
  for (const Vector& vector : vectors_of(kind)) {
    SCOPED_TRACE(vector.name);
    auto mac = make_mac(algorithm, vector.key("key"));
    ASSERT_TRUE(mac);
    Mac::GmacNonce nonce{};
    if (vector.has("nonce")) {
      const Octets bytes = vector.bytes("nonce");
      ASSERT_EQ(bytes.size(), nonce.size());
      std::copy(bytes.begin(), bytes.end(), nonce.begin());
    }
    const Octets message = vector.bytes(input);
    // Twice: the state of a message must not reach the next one.
    for (int i = 0; i < 2; ++i) {
      const Bytes whole[] = {message};
      EXPECT_EQ(tag_of(**mac, nonce, whole), vector.text("tag"));
      EXPECT_EQ(tag_of(**mac, nonce, random_pieces(message, 4, random)), vector.text("tag"));
    }
  }
}

TEST(Mac, CmacVectors) { check_vectors("aes_cmac", SigningAlgorithm::aes_128_cmac, "message"); }
TEST(Mac, GmacVectors) { check_vectors("aes_gmac", SigningAlgorithm::aes_128_gmac, "aad"); }
TEST(Mac, HmacVectors) { check_vectors("hmac_sha256", SigningAlgorithm::hmac_sha256, "message"); }

// Ours against OpenSSL's, at every length around the blocks and the runs of blocks.
TEST(Mac, CmacEqualsOpenSslsOwn) {
  std::mt19937_64 random(2);
  const Octets data = random_octets(20'000, random);
  for (int round = 0; round < 8; ++round) {
    const Key key(random_octets(16, random));
    auto mac = make_mac(SigningAlgorithm::aes_128_cmac, key);
    ASSERT_TRUE(mac);
    for (std::size_t size = 0; size < data.size(); size += size < 100 ? 1 : 1 + random() % 700) {
      const Bytes message = Bytes(data).first(size);
      Mac::Tag expected{};
      std::size_t written = 0;
      ASSERT_TRUE(EVP_Q_mac(nullptr, "CMAC", nullptr, "AES-128-CBC", nullptr, key.bytes().data(),
                            key.size(), reinterpret_cast<const unsigned char*>(message.data()),
                            message.size(), reinterpret_cast<unsigned char*>(expected.data()),
                            expected.size(), &written));
      ASSERT_EQ(tag_of(**mac, {}, random_pieces(message, 1 + random() % 5, random)),
                to_hex(expected))
          << size;
    }
    for (const std::size_t size : {4095, 4096, 4097, 4111, 4112, 4113, 8192, 8208}) {
      const Bytes message = Bytes(data).first(size);
      const Bytes whole[] = {message};
      EXPECT_EQ(tag_of(**mac, {}, whole), tag_of(**mac, {}, random_pieces(message, 9, random)));
    }
  }
}

}  // namespace
}  // namespace smb3
