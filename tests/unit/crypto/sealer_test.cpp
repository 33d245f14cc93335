#include "crypto/sealer.h"

#include "unit/crypto/vectors.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace smb3 {
namespace {

using namespace test;

constexpr std::uint64_t session_id = 0x0000100000000025;
constexpr Cipher every_cipher[] = {Cipher::aes_128_ccm, Cipher::aes_128_gcm, Cipher::aes_256_ccm,
                                   Cipher::aes_256_gcm};

Cipher cipher_named(std::string_view name) {
  for (const Cipher cipher : every_cipher) {
    if (name_of(cipher) == name) return cipher;
  }
  throw std::runtime_error("unknown cipher");
}

Key key_of(Cipher cipher, std::uint8_t seed) {
  Key key = Key::zeros(key_bytes(cipher));
  for (std::byte& byte : key.mutable_bytes()) byte = static_cast<std::byte>(seed++);
  return key;
}

// Two ends of one session: what one seals the other unseals.
Sealer client_of(Cipher cipher) {
  return Sealer::create(cipher, key_of(cipher, 1), key_of(cipher, 101)).value();
}
Sealer server_of(Cipher cipher) {
  return Sealer::create(cipher, key_of(cipher, 101), key_of(cipher, 1)).value();
}

Nonce next_nonce() {
  static NonceRange range(3);
  return range.next().value();
}

Octets sealed(Sealer& sealer, std::span<const Bytes> pieces) {
  std::size_t total = 0;
  for (const Bytes piece : pieces) total += piece.size();
  Octets frame(transform_header_bytes + total);
  const auto done = sealer.seal(session_id, next_nonce(), pieces, frame);
  EXPECT_TRUE(done);
  return frame;
}

Octets sealed(Sealer& sealer, Bytes plaintext) {
  const Bytes pieces[] = {plaintext};
  return sealed(sealer, pieces);
}

bool all_zero(Bytes bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](std::byte b) { return b == std::byte{0}; });
}

TEST(Sealer, PublishedFramesUnsealAndSealAgain) {
  int frames = 0;
  for (const Vector& vector : vectors_of("smb_encrypt")) {
    SCOPED_TRACE(vector.name);
    ++frames;
    const Cipher cipher = cipher_named(vector.text("algorithm"));
    auto sealer = Sealer::create(cipher, vector.key("key"), vector.key("key"));
    ASSERT_TRUE(sealer);

    Octets frame = vector.bytes("transformed");
    const auto id = sealed_session_id(frame);
    ASSERT_TRUE(id);
    EXPECT_EQ(*id, std::stoull(vector.text("session_id"), nullptr, 16));
    const auto plaintext = sealer->unseal(frame);
    ASSERT_TRUE(plaintext);
    EXPECT_EQ(to_hex(*plaintext), vector.text("plaintext"));
    EXPECT_EQ(plaintext->data(), frame.data() + transform_header_bytes);

    Nonce nonce;
    std::copy_n(vector.bytes("transformed").begin() + 20, nonce.size(), nonce.begin());
    const Octets message = vector.bytes("plaintext");
    const Bytes pieces[] = {Bytes(message).first(64), Bytes(message).subspan(64)};
    Octets again(frame.size());
    ASSERT_TRUE(sealer->seal(*id, nonce, pieces, again));
    EXPECT_EQ(to_hex(again), vector.text("transformed"));
  }
  EXPECT_EQ(frames, 14);
}

TEST(Sealer, AnySizeInAnyPieces) {
  std::mt19937_64 random(4);
  for (const Cipher cipher : every_cipher) {
    Sealer client = client_of(cipher);
    Sealer server = server_of(cipher);
    for (const std::size_t size : {1, 15, 16, 17, 64, 65535, 1'048'576 + 80}) {
      SCOPED_TRACE(testing::Message() << name_of(cipher) << ' ' << size);
      const Octets plaintext = random_octets(size, random);
      const Octets before = plaintext;
      const Nonce nonce = next_nonce();
      const Bytes whole[] = {plaintext};
      const auto pieces = random_pieces(plaintext, 1 + random() % 6, random);
      Octets frame(transform_header_bytes + size);
      Octets gathered(frame.size(), std::byte{0xEE});
      ASSERT_TRUE(client.seal(session_id, nonce, whole, frame));
      ASSERT_TRUE(client.seal(session_id, nonce, pieces, gathered));
      EXPECT_TRUE(frame == gathered);
      EXPECT_TRUE(plaintext == before) << "the plaintext must be left for a second attempt";

      const auto unsealed = server.unseal(frame);
      ASSERT_TRUE(unsealed);
      EXPECT_TRUE(std::equal(unsealed->begin(), unsealed->end(), before.begin(), before.end()));
    }
  }
}

TEST(Sealer, NothingIsNotAMessage) {
  for (const Cipher cipher : every_cipher) {
    Sealer sealer = client_of(cipher);
    Octets frame(transform_header_bytes);
    EXPECT_FALSE(sealer.seal(session_id, next_nonce(), {}, frame));
    const Bytes empty_pieces[] = {Bytes(), Bytes()};
    EXPECT_FALSE(sealer.seal(session_id, next_nonce(), empty_pieces, frame));
  }
}

TEST(Sealer, TheHeaderIsAsTheStandardSays) {
  Sealer sealer = client_of(Cipher::aes_128_gcm);
  const Octets frame = sealed(sealer, Octets(33));
  EXPECT_EQ(to_hex(Bytes(frame).first(4)), "fd534d42");
  EXPECT_EQ(load_le<std::uint32_t>(frame.data() + 36), 33U);
  EXPECT_EQ(load_le<std::uint16_t>(frame.data() + 40), 0U);
  EXPECT_EQ(load_le<std::uint16_t>(frame.data() + 42), 1U);
  EXPECT_EQ(load_le<std::uint64_t>(frame.data() + 44), session_id);
  EXPECT_EQ(sealed_session_id(frame), session_id);
}

TEST(Sealer, EveryChangedByteIsRefusedAndLeavesNoPlaintext) {
  for (const Cipher cipher : every_cipher) {
    Sealer client = client_of(cipher);
    Sealer server = server_of(cipher);
    const Octets good = sealed(client, Octets(80, std::byte{0x5A}));
    for (std::size_t i = 0; i < good.size(); ++i) {
      for (const unsigned flip : {0x01U, 0x80U}) {
        SCOPED_TRACE(testing::Message() << name_of(cipher) << " byte " << i);
        Octets frame = good;
        frame[i] ^= static_cast<std::byte>(flip);
        const Octets received = frame;
        const auto unsealed = server.unseal(frame);
        ASSERT_FALSE(unsealed);
        // The body was not touched (the header was wrong) or is wiped (the tag was).
        const Bytes body = Bytes(frame).subspan(transform_header_bytes);
        EXPECT_TRUE(frame == received || all_zero(body));
        if (unsealed.error().kind() == ErrorKind::security) {
          EXPECT_TRUE(all_zero(body));
        }
      }
    }
    Octets frame = good;
    EXPECT_TRUE(server.unseal(frame)) << "a refused frame must not spoil the next";
  }
}

TEST(Sealer, HeadersThatLieAreRefusedAsProtocolErrors) {
  const auto expect_refused = [](Octets frame, std::string_view what) {
    Sealer server = server_of(Cipher::aes_128_gcm);
    const auto unsealed = server.unseal(frame);
    ASSERT_FALSE(unsealed) << what;
    EXPECT_EQ(unsealed.error().kind(), ErrorKind::protocol) << what;
  };
  Sealer client = client_of(Cipher::aes_128_gcm);
  const Octets good = sealed(client, Octets(80));
  for (const std::size_t size : {0, 1, 4, 51, 52, 53, 131}) {
    expect_refused(Octets(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size)),
                   "cut short");
  }
  Octets frame = good;
  frame.push_back(std::byte{0});
  expect_refused(frame, "a byte too many");
  for (const std::uint32_t size : {0U, 79U, 81U, 0xFFFFFFFFU}) {
    frame = good;
    store_le(frame.data() + 36, size);
    expect_refused(frame, "OriginalMessageSize");
  }
  for (const std::uint16_t flags : {0, 2, 3, 0x0101}) {
    frame = good;
    store_le(frame.data() + 42, flags);
    expect_refused(frame, "Flags");
  }
  for (const char* id : {"fe534d42", "fc534d42", "ff534d42"}) {
    frame = good;
    std::ranges::copy(from_hex(id), frame.begin());
    expect_refused(frame, "ProtocolId");
    EXPECT_FALSE(sealed_session_id(frame));
  }
  EXPECT_FALSE(sealed_session_id(Bytes(good).first(51)));
  EXPECT_FALSE(sealed_session_id({}));
}

TEST(Sealer, AFrameWithinAFrameIsRefused) {
  Sealer client = client_of(Cipher::aes_256_gcm);
  Sealer server = server_of(Cipher::aes_256_gcm);
  const Octets inner = sealed(client, Octets(80));
  Octets outer = sealed(client, inner);
  const auto unsealed = server.unseal(outer);
  ASSERT_FALSE(unsealed);
  EXPECT_EQ(unsealed.error().kind(), ErrorKind::protocol);
}

TEST(Sealer, AReflectedFrameOrAnotherKeyIsRefused) {
  for (const Cipher cipher : every_cipher) {
    Sealer client = client_of(cipher);
    const Octets frame = sealed(client, Octets(80));
    Octets reflected = frame;
    EXPECT_FALSE(client.unseal(reflected));
    auto other = Sealer::create(cipher, key_of(cipher, 2), key_of(cipher, 2));
    ASSERT_TRUE(other);
    Octets received = frame;
    const auto unsealed = other->unseal(received);
    ASSERT_FALSE(unsealed);
    EXPECT_EQ(unsealed.error().kind(), ErrorKind::security);
  }
}

TEST(Sealer, KeysOfTheWrongSizeAreRefused) {
  for (const Cipher cipher : every_cipher) {
    const std::size_t wrong = key_bytes(cipher) == 16 ? 32 : 16;
    EXPECT_FALSE(Sealer::create(cipher, key_of(cipher, 1), Key::zeros(wrong)));
    EXPECT_FALSE(Sealer::create(cipher, Key::zeros(wrong), key_of(cipher, 1)));
    EXPECT_FALSE(Sealer::create(cipher, Key(), Key()));
  }
  EXPECT_FALSE(Sealer::create(Cipher::none, Key::zeros(16), Key::zeros(16)));
}

}  // namespace
}  // namespace smb3
