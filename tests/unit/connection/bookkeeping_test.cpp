// MessageIds and credits, the table of outstanding requests, and frame buffers: no connection.
#include "connection/frame_buffer.h"
#include "connection/request_table.h"
#include "connection/sequence_window.h"
#include "reactor/reactor_thread.h"
#include "support/running.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace smb3 {
namespace {

TEST(SequenceWindow, BeginsWithOneCreditForId0) {
  SequenceWindow window;
  EXPECT_EQ(window.available(), 1U);
  EXPECT_EQ(window.reserve(1), 0U);
  EXPECT_EQ(window.available(), 0U);
  EXPECT_EQ(window.spent(), 1U);
}

TEST(SequenceWindow, AChargeTakesAsManyIds) {
  SequenceWindow window;
  ASSERT_TRUE(window.grant(40));
  EXPECT_EQ(window.reserve(16), 0U);
  EXPECT_EQ(window.reserve(1), 16U);
  EXPECT_EQ(window.reserve(7), 17U);
  EXPECT_EQ(window.available(), 17U);
  EXPECT_EQ(window.spent(), 24U);
  window.finished(16);
  EXPECT_EQ(window.spent(), 8U);
  EXPECT_EQ(window.available(), 17U) << "only a grant brings credits";
  EXPECT_EQ(window.reserve(1), 24U);
}

TEST(SequenceWindow, HoldsAtMost65535Credits) {
  SequenceWindow window;
  ASSERT_TRUE(window.grant(65534));
  EXPECT_EQ(window.available(), 65535U);
  EXPECT_TRUE(window.grant(0));
  auto refused = window.grant(1);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind(), ErrorKind::protocol);
  EXPECT_EQ(window.available(), 65535U);
  window.reserve(2);
  EXPECT_FALSE(window.grant(65535));
  EXPECT_TRUE(window.grant(2));
}

TEST(SequenceWindow, AsksForWhatIsMissingFromTheTarget) {
  SequenceWindow window;
  EXPECT_EQ(window.to_request(1), limits::credit_target);  // one is held
  ASSERT_TRUE(window.grant(limits::credit_target - 1 - 10));
  EXPECT_EQ(window.to_request(1), 11U);
  window.reserve(16);
  EXPECT_EQ(window.to_request(16), 26U) << "what is in flight comes back";
  window.finished(16);
  EXPECT_EQ(window.to_request(1), 27U);
  ASSERT_TRUE(window.grant(1000));
  EXPECT_EQ(window.to_request(1), 1U);
  EXPECT_EQ(window.to_request(16), 16U);
}

TEST(RequestTable, FindsCollidingIds) {
  constexpr std::uint64_t slots = 2 * limits::requests_max;
  RequestTable table;
  std::array<Request, 4> requests;
  const std::uint64_t ids[] = {3, 3 + slots, 4, 3 + 2 * slots};  // homes 3, 3, 4, 3
  for (std::size_t i = 0; i < 4; ++i) {
    requests[i].message_id = ids[i];
    table.insert(requests[i]);
  }
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(table.find(ids[i]), &requests[i]);
  table.erase(requests[0]);
  EXPECT_FALSE(requests[0].in_table);
  EXPECT_EQ(table.find(ids[0]), nullptr);
  for (std::size_t i = 1; i < 4; ++i) EXPECT_EQ(table.find(ids[i]), &requests[i]);
  table.erase(requests[2]);
  EXPECT_EQ(table.find(ids[1]), &requests[1]);
  EXPECT_EQ(table.find(ids[3]), &requests[3]);
  EXPECT_EQ(table.size(), 2U);
}

TEST(RequestTable, ClosesGapsAcrossItsEnd) {
  constexpr std::uint64_t slots = 2 * limits::requests_max;
  RequestTable table;
  std::array<Request, 5> requests;
  const std::uint64_t ids[] = {slots - 1, 2 * slots - 1, slots, 1, 3 * slots - 1};
  for (std::size_t i = 0; i < 5; ++i) {
    requests[i].message_id = ids[i];
    table.insert(requests[i]);
  }
  for (std::size_t gone = 0; gone < 5; ++gone) {
    table.erase(requests[gone]);
    for (std::size_t i = 0; i < 5; ++i) {
      EXPECT_EQ(table.find(ids[i]), i <= gone ? nullptr : &requests[i]) << gone << " " << i;
    }
  }
}

// Against a map, at every degree of filling, with ids that collide often.
TEST(RequestTable, DoesWhatAMapDoes) {
  std::mt19937 chance(1);
  RequestTable table;
  std::vector<Request> requests(limits::requests_max);
  std::vector<Request*> free;
  for (Request& request : requests) free.push_back(&request);
  std::map<std::uint64_t, Request*> map;
  for (int step = 0; step < 60000; ++step) {
    const bool grow = chance() % 1000 < (step / 15000 % 2 == 0 ? 600U : 400U);
    if (grow && !table.full()) {
      const std::uint64_t id = chance() % 64 + std::uint64_t{chance() % 96} * 2048 / 3;
      if (map.contains(id)) continue;
      Request* request = free.back();
      free.pop_back();
      request->message_id = id;
      table.insert(*request);
      map[id] = request;
    } else if (!map.empty()) {
      auto victim = map.lower_bound(chance() % 65536);
      if (victim == map.end()) victim = map.begin();
      table.erase(*victim->second);
      free.push_back(victim->second);
      map.erase(victim);
    }
    ASSERT_EQ(table.size(), map.size());
    const std::uint64_t asked = chance() % 64 + std::uint64_t{chance() % 96} * 2048 / 3;
    const auto known = map.find(asked);
    ASSERT_EQ(table.find(asked), known == map.end() ? nullptr : known->second);
  }
  std::size_t visited = 0;
  table.for_each([&](Request& request) {
    ++visited;
    EXPECT_EQ(map.at(request.message_id), &request);
  });
  EXPECT_EQ(visited, map.size());
}

class FrameBufferTest : public testing::Test {
 protected:
  FrameBufferTest() {
    thread_ = std::move(ReactorThread::start().value());
    test::on(reactor(), [this] {
      pool_ = std::make_unique<BufferPool>(reactor(), 2, limits::large_frame_bytes, false);
      buffers_ = std::make_unique<FrameBuffers>(*pool_);
    });
  }
  ~FrameBufferTest() override {
    test::on(reactor(), [this] {
      buffers_.reset();
      pool_.reset();
    });
  }
  Reactor& reactor() { return thread_->reactor(); }
  template <class Function>
  void run(Function function) {
    test::on(reactor(), function);
  }

  std::unique_ptr<ReactorThread> thread_;
  std::unique_ptr<BufferPool> pool_;
  std::unique_ptr<FrameBuffers> buffers_;
};

TEST_F(FrameBufferTest, SmallOnesAreUsedAgain) {
  run([this] {
    FrameBuffer first = buffers_->small();
    ASSERT_EQ(first.bytes().size(), limits::small_frame_bytes);
    const std::byte* memory = first.bytes().data();
    FrameBuffer second = buffers_->small();
    EXPECT_NE(second.bytes().data(), memory);
    first = {};
    EXPECT_EQ(buffers_->small().bytes().data(), memory);
  });
}

TEST_F(FrameBufferTest, CopiesShareAndTheLastOneReleases) {
  run([this] {
    FrameBuffer first = buffers_->large();
    FrameBuffer copy = first;
    FrameBuffer moved = std::move(first);
    EXPECT_FALSE(first);
    EXPECT_EQ(copy.bytes().data(), moved.bytes().data());
    copy = moved;  // of itself, in effect
    EXPECT_EQ(pool_->free_buffers(), 1U);
    moved = {};
    EXPECT_EQ(pool_->free_buffers(), 1U);
    copy = {};
    EXPECT_EQ(pool_->free_buffers(), 2U);
  });
}

TEST_F(FrameBufferTest, LargeOnesEndWithThePool) {
  run([this] {
    FrameBuffer first = buffers_->large();
    FrameBuffer second = buffers_->large();
    EXPECT_EQ(first.bytes().size(), limits::large_frame_bytes);
    EXPECT_EQ(first.index(), -1);
    EXPECT_FALSE(buffers_->large());
    second = {};
    EXPECT_TRUE(buffers_->large());
  });
}

TEST_F(FrameBufferTest, ABufferMayOutliveItsSource) {
  run([this] {
    FrameBuffer last = buffers_->small();
    buffers_.reset();
    last.bytes()[0] = std::byte{1};
  });
}

}  // namespace
}  // namespace smb3
