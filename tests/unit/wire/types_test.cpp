#include "wire/file_types.h"
#include "wire/types.h"

#include <gtest/gtest.h>

namespace smb3::wire::testing {

namespace {

void expect_same(FileTime file_time, std::int64_t seconds, long nanoseconds) {
  const std::timespec unix_time = to_unix(file_time);
  EXPECT_EQ(unix_time.tv_sec, seconds);
  EXPECT_EQ(unix_time.tv_nsec, nanoseconds);
  EXPECT_EQ(to_file_time(unix_time), file_time);
}

}  // namespace

TEST(FileTime, IsExactBothWays) {
  expect_same(FileTime{116444736000000000}, 0, 0);
  expect_same(FileTime{116444736000000001}, 0, 100);
  expect_same(FileTime{116444735999999999}, -1, 999'999'900);  // 100 ns before 1970
  expect_same(FileTime{116444735990000000}, -1, 0);
  expect_same(FileTime{1}, -11'644'473'600, 100);  // 1601
  expect_same(FileTime{133'000'000'001'234'567}, 1'655'526'400, 123'456'700);
  expect_same(FileTime{0x7FFFFFFFFFFFFFFF}, 910'692'730'085, 477'580'700);
}

TEST(FileTime, CutsOffBelow100Nanoseconds) {
  EXPECT_EQ(to_file_time({0, 199}), FileTime{116444736000000001});
  EXPECT_EQ(to_file_time({-1, 999'999'999}), FileTime{116444735999999999});
}

TEST(FileTime, StaysInsideWhatItCanSay) {
  EXPECT_EQ(to_file_time({-11'644'473'601, 0}), FileTime{1});
  EXPECT_EQ(to_file_time({-11'644'473'600, 0}), FileTime{1});  // 0 means something else
  EXPECT_EQ(to_file_time({std::numeric_limits<std::int64_t>::min(), 0}), FileTime{1});
  EXPECT_EQ(to_file_time({std::numeric_limits<std::int64_t>::max(), 0}),
            FileTime{0x7FFFFFFFFFFFFFFF});
  EXPECT_EQ(to_unix(FileTime{0xFFFFFFFFFFFFFFFF}).tv_sec, 910'692'730'085);
  EXPECT_EQ(to_unix(FileTime{0}).tv_sec, -11'644'473'600);
}

TEST(Flags, CombineAndTell) {
  AccessMask access = AccessMask::read_data | AccessMask::synchronize;
  EXPECT_TRUE(has(access, AccessMask::read_data));
  EXPECT_FALSE(has(access, AccessMask::read_data | AccessMask::write_data));
  access |= AccessMask::write_data;
  access &= ~AccessMask::synchronize;
  EXPECT_EQ(access, AccessMask{3});
}

}  // namespace smb3::wire::testing
