#include "crypto/nonce.h"

#include "unit/crypto/vectors.h"

#include <gtest/gtest.h>

#include <barrier>
#include <set>
#include <thread>

namespace smb3 {
namespace {

using namespace test;

TEST(Nonce, RangeAboveCounterInTheLowEightBytes) {
  NonceRange range(0x0102, 0x030405060708);
  EXPECT_EQ(to_hex(range.next().value()), "08070605040302010000000000000000");
  EXPECT_EQ(to_hex(range.next().value()), "09070605040302010000000000000000");
}

TEST(Nonce, ARangeEndsBeforeTheNextOne) {
  NonceRange range(1, NonceRange::counters - 2);
  EXPECT_EQ(to_hex(range.next().value()), "feffffffffff01000000000000000000");
  EXPECT_EQ(to_hex(range.next().value()), "ffffffffffff01000000000000000000");
  for (int i = 0; i < 3; ++i) {
    const auto nonce = range.next();
    ASSERT_FALSE(nonce);
    EXPECT_EQ(nonce.error().kind(), ErrorKind::security);
  }
}

TEST(Nonce, AMovedRangeIsEmpty) {
  static_assert(!std::is_copy_constructible_v<NonceRange>);
  static_assert(!std::is_copy_assignable_v<NonceRange>);
  NonceRange from(1);
  const Nonce first = from.next().value();
  NonceRange to = std::move(from);
  EXPECT_FALSE(from.next());
  EXPECT_NE(to.next().value(), first);
  NonceRange assigned(2);
  assigned = std::move(to);
  EXPECT_FALSE(to.next());
  EXPECT_EQ(to_hex(assigned.next().value()), "02000000000001000000000000000000");
}

TEST(Nonce, ASourceRunsOutForGood) {
  NonceSource source;
  std::set<Nonce> seen;
  for (std::uint64_t i = 0; i < NonceSource::ranges; ++i) {
    seen.insert(source.next_range().value().next().value());
  }
  EXPECT_EQ(seen.size(), NonceSource::ranges);
  for (int i = 0; i < 100; ++i) {
    const auto range = source.next_range();
    ASSERT_FALSE(range);
    EXPECT_EQ(range.error().kind(), ErrorKind::security);
  }
}

TEST(Nonce, ThreadsNeverShareOne) {
  constexpr std::size_t threads = 8, ranges = 8000, nonces = 2;
  NonceSource source;
  std::barrier together(threads);
  std::vector<std::vector<Nonce>> taken(threads);
  {
    std::vector<std::jthread> running;
    for (auto& mine : taken) {
      running.emplace_back([&] {
        together.arrive_and_wait();
        std::vector<NonceRange> own;
        own.reserve(ranges);
        for (std::size_t i = 0; i < ranges; ++i) own.push_back(source.next_range().value());
        for (NonceRange& range : own) {
          for (std::size_t k = 0; k < nonces; ++k) mine.push_back(range.next().value());
        }
      });
    }
  }
  std::set<Nonce> all;
  std::set<std::array<std::byte, 11>> as_ccm_sees_them;
  for (const auto& mine : taken) {
    for (const Nonce& nonce : mine) {
      all.insert(nonce);
      std::array<std::byte, 11> head;
      std::copy_n(nonce.begin(), head.size(), head.begin());
      as_ccm_sees_them.insert(head);
    }
  }
  EXPECT_EQ(all.size(), threads * ranges * nonces);
  EXPECT_EQ(as_ccm_sees_them.size(), threads * ranges * nonces);
}

}  // namespace
}  // namespace smb3
