#include "support/server/sequence_window.h"

#include <gtest/gtest.h>

namespace smb3::server {
namespace {

TEST(SequenceWindow, BeginsWithOneIdWhichIsTakenOnce) {
  SequenceWindow window;
  EXPECT_EQ(window.available(), 1U);
  EXPECT_FALSE(window.take(1, 1));
  EXPECT_TRUE(window.take(0, 1));
  EXPECT_FALSE(window.take(0, 1));
  EXPECT_EQ(window.available(), 0U);
}

TEST(SequenceWindow, TakesRangesOutOfOrder) {
  SequenceWindow window;
  window.grant(9);  // 0 to 9
  EXPECT_TRUE(window.take(4, 3));
  EXPECT_EQ(window.available(), 7U);
  EXPECT_FALSE(window.take(2, 3)) << "4 was used";
  EXPECT_FALSE(window.take(6, 1));
  EXPECT_FALSE(window.take(8, 3)) << "10 was not granted";
  EXPECT_TRUE(window.take(0, 4));
  EXPECT_FALSE(window.take(5, 1));
  EXPECT_TRUE(window.take(7, 3));
  EXPECT_EQ(window.available(), 0U);
  window.grant(1);
  EXPECT_TRUE(window.take(10, 1));
}

TEST(SequenceWindow, SumsThatWouldOverflowLieOutside) {
  SequenceWindow window;
  window.grant(100);
  EXPECT_FALSE(window.take(~std::uint64_t{0}, 2));
  EXPECT_FALSE(window.take(50, ~std::uint32_t{0}));
  EXPECT_EQ(window.available(), 101U);
}

}  // namespace
}  // namespace smb3::server
