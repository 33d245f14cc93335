#include "crypto/secret.h"

#include "unit/crypto/vectors.h"

#include <gtest/gtest.h>

#include <new>
#include <ostream>
#include <type_traits>

namespace smb3 {
namespace {

using namespace test;

template <class T>
concept printable = requires(std::ostream& stream, const T& value) { stream << value; };

static_assert(!printable<Key>);
static_assert(!std::is_copy_constructible_v<Key> && !std::is_copy_assignable_v<Key>);
static_assert(std::is_nothrow_move_constructible_v<Key>);

const Octets sixteen = from_hex("a0a1a2a3a4a5a6a7a8a9aaabacadaeaf");

bool holds(Bytes storage, Bytes pattern) {
  return std::search(storage.begin(), storage.end(), pattern.begin(), pattern.end()) !=
         storage.end();
}

TEST(Secret, HoldsWhatItWasGiven) {
  const Key key(sixteen);
  EXPECT_EQ(key.size(), 16U);
  EXPECT_EQ(to_hex(key.bytes()), to_hex(sixteen));
  EXPECT_EQ(key.clone(), key);
  EXPECT_TRUE(Key().empty());
  EXPECT_EQ(to_hex(Key::zeros(3).bytes()), "000000");
}

TEST(Secret, EqualityLooksAtSizeAndEveryByte) {
  for (std::size_t i = 0; i < sixteen.size(); ++i) {
    Octets other = sixteen;
    other[i] ^= std::byte{1};
    EXPECT_FALSE(Key(sixteen) == Key(other)) << i;
  }
  EXPECT_FALSE(Key(sixteen) == Key(Bytes(sixteen).first(15)));
  EXPECT_TRUE(Key(sixteen) == Key(sixteen));
  EXPECT_TRUE(Key() == Key());
  EXPECT_FALSE(Key::zeros(3) == Key::zeros(4));
  EXPECT_FALSE(Key::zeros(4) == Key::zeros(3));
}

TEST(Secret, IsWipedWhenDestroyed) {
  alignas(Key) std::array<std::byte, sizeof(Key)> storage{};
  Key* key = new (storage.data()) Key(sixteen);
  ASSERT_TRUE(holds(storage, sixteen));
  key->~Key();
  EXPECT_FALSE(holds(storage, Bytes(sixteen).first(4)));
}

TEST(Secret, IsWipedWhenMovedFrom) {
  Key from(sixteen);
  const Bytes storage(reinterpret_cast<const std::byte*>(&from), sizeof from);
  Key to = std::move(from);
  EXPECT_EQ(to_hex(to.bytes()), to_hex(sixteen));
  EXPECT_TRUE(from.empty());
  EXPECT_FALSE(holds(storage, Bytes(sixteen).first(4)));
  from = std::move(to);
  EXPECT_TRUE(to.empty());
  EXPECT_EQ(to_hex(from.bytes()), to_hex(sixteen));
}

TEST(Secret, AShorterValueLeavesNothingOfALongerOne) {
  Key key(sixteen);
  const Bytes storage(reinterpret_cast<const std::byte*>(&key), sizeof key);
  key = Key(from_hex("01"));
  EXPECT_EQ(key.size(), 1U);
  EXPECT_FALSE(holds(storage, Bytes(sixteen).subspan(4, 4)));
}

}  // namespace
}  // namespace smb3
