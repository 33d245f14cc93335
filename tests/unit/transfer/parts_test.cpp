// The small parts of a copy: chunks, turns, temporary names, times.
#include "reactor/reactor_thread.h"
#include "support/running.h"
#include "transfer/chunk_cursor.h"
#include "transfer/local_target.h"
#include "transfer/temporary_name.h"
#include "transfer/turnstile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <set>

namespace smb3 {
namespace {

using test::on;
using test::Running;

std::vector<std::pair<std::uint64_t, std::uint32_t>> chunks(std::uint64_t size,
                                                            std::uint32_t chunk) {
  ChunkCursor cursor(size, chunk);
  std::vector<std::pair<std::uint64_t, std::uint32_t>> list;
  while (auto next = cursor.next()) list.push_back({next->offset, next->length});
  EXPECT_FALSE(cursor.next());
  return list;
}

TEST(ChunkCursor, CoversAFileOnce) {
  using List = std::vector<std::pair<std::uint64_t, std::uint32_t>>;
  EXPECT_EQ(chunks(0, 10), List{});
  EXPECT_EQ(chunks(1, 10), (List{{0, 1}}));
  EXPECT_EQ(chunks(9, 10), (List{{0, 9}}));
  EXPECT_EQ(chunks(10, 10), (List{{0, 10}}));
  EXPECT_EQ(chunks(11, 10), (List{{0, 10}, {10, 1}}));
  EXPECT_EQ(chunks(30, 10), (List{{0, 10}, {10, 10}, {20, 10}}));
}

TEST(ChunkCursor, CountsBeyond32Bits) {
  constexpr std::uint64_t size = (std::uint64_t{1} << 33) + 5;
  const auto list = chunks(size, 1U << 30);
  ASSERT_EQ(list.size(), 9U);
  EXPECT_EQ(list.back(), (std::pair<std::uint64_t, std::uint32_t>{size - 5, 5}));
}

TEST(ChunkCursor, StopsWhenToldAndGoesOnWithoutAnEnd) {
  ChunkCursor cursor(ChunkCursor::unknown_size, 1 << 20);
  for (std::uint64_t i = 0; i < 10000; ++i) ASSERT_EQ(cursor.next()->offset, i << 20);
  EXPECT_FALSE(cursor.stopped());
  cursor.stop();
  EXPECT_TRUE(cursor.stopped());
  EXPECT_FALSE(cursor.next());
}

class TransferParts : public testing::Test {
 protected:
  TransferParts() { thread_ = std::move(ReactorThread::start().value()); }
  Reactor& reactor() { return thread_->reactor(); }
  std::unique_ptr<ReactorThread> thread_;
};
using Turns = TransferParts;

Task<bool> take_turn(Turnstile& turns, std::uint64_t offset, std::vector<std::uint64_t>& order) {
  const bool mine = co_await turns.turn_of(offset);
  if (mine) order.push_back(offset);
  if (mine) turns.pass_to(offset + 10);
  co_return mine;
}

TEST_F(Turns, ComeInOrderOfOffsetWhoeverAsksFirst) {
  Turnstile turns(reactor());
  std::vector<std::uint64_t> order;
  std::vector<std::unique_ptr<Running<bool>>> lanes;
  for (std::uint64_t offset : {30, 10, 20, 0, 50, 40}) {
    lanes.push_back(std::make_unique<Running<bool>>(
        reactor(), [&turns, &order, offset] { return take_turn(turns, offset, order); }));
  }
  for (auto& lane : lanes) EXPECT_TRUE(lane->result().value());
  EXPECT_EQ(order, (std::vector<std::uint64_t>{0, 10, 20, 30, 40, 50}));
}

TEST_F(Turns, EndForAllWhoWaitAndWhoComeLater) {
  Turnstile turns(reactor());
  std::vector<std::uint64_t> order;
  Running<bool> first(reactor(), [&] { return take_turn(turns, 20, order); });
  Running<bool> second(reactor(), [&] { return take_turn(turns, 30, order); });
  on(reactor(), [&] { turns.end(); });
  EXPECT_FALSE(first.result().value());
  EXPECT_FALSE(second.result().value());
  Running<bool> third(reactor(), [&] { return take_turn(turns, 0, order); });
  EXPECT_FALSE(third.result().value());
  EXPECT_TRUE(order.empty());
}

using TemporaryNames = TransferParts;

TEST_F(TemporaryNames, FitAnyNameAndAreOfChance) {
  std::set<std::string> names;
  for (int i = 0; i < 100; ++i) {
    const std::string name = on(reactor(), [this] { return temporary_name(reactor()); });
    EXPECT_THAT(name, testing::MatchesRegex("\\.smbcp-[0-9a-f]{16}\\.part"));
    names.insert(name);
  }
  EXPECT_EQ(names.size(), 100U);
}

TEST(Beside, KeepsTheFolder) {
  EXPECT_EQ(beside("file", "new"), "new");
  EXPECT_EQ(beside("folder/file", "new"), "folder/new");
  EXPECT_EQ(beside("/file", "new"), "/new");
  EXPECT_EQ(beside("a/b/c", "new"), "a/b/new");
}

constexpr FileTime per_second = 10'000'000;
constexpr std::int64_t of_1601 = -11'644'473'600;  // seconds from 1970

void expect_time(FileTime time, std::int64_t seconds, long nanoseconds) {
  const timespec converted = to_timespec(time);
  EXPECT_EQ(converted.tv_sec, seconds) << time;
  EXPECT_EQ(converted.tv_nsec, nanoseconds) << time;
  EXPECT_EQ(to_file_time(seconds, static_cast<std::uint32_t>(nanoseconds)), time);
}

TEST(Times, AreExactTo100Nanoseconds) {
  expect_time(116'444'736'000'000'000, 0, 0);  // 1970
  expect_time(116'444'736'000'000'001, 0, 100);
  expect_time(116'444'735'999'999'999, -1, 999'999'900);
  expect_time(1, of_1601, 100);
  expect_time(per_second, of_1601 + 1, 0);
  expect_time(116'444'736'000'000'000 + (std::int64_t{1} << 31) * per_second, std::int64_t{1} << 31,
              0);                                                           // 2038
  expect_time((13'569'465'600 - of_1601) * per_second, 13'569'465'600, 0);  // 2400
  EXPECT_EQ(to_file_time(0, 199), to_file_time(0, 100)) << "cut off below";
}

TEST(Times, Of0AreLeftAlone) { EXPECT_EQ(to_timespec(0).tv_nsec, UTIME_OMIT); }

// A file system may hold any 64 bits; what a server would take for "leave alone" or for a time
// before 1601 is not sent.
TEST(Times, ThatNoFileTimeCanSayBecomeItsFirstOrLast) {
  EXPECT_EQ(to_file_time(of_1601, 0), 1);
  EXPECT_EQ(to_file_time(of_1601 - 1, 999'999'999), 1);
  EXPECT_EQ(to_file_time(std::numeric_limits<std::int64_t>::min(), 0), 1);
  EXPECT_EQ(to_file_time(std::numeric_limits<std::int64_t>::max(), 0),
            std::numeric_limits<FileTime>::max());
  const timespec last = to_timespec(std::numeric_limits<FileTime>::max());
  EXPECT_GT(last.tv_sec, 0);
  EXPECT_LT(last.tv_nsec, 1'000'000'000);
}

}  // namespace
}  // namespace smb3
