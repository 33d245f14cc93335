// The pool: its buffers, its budget, and the line of those who wait for it.
#include "unit/reactor/reactor_fixture.h"

#include "reactor/buffer_pool.h"

#include <sys/mman.h>
#include <unistd.h>

#include <set>
#include <vector>

using namespace smb3;
using namespace std::chrono_literals;

namespace {

class BufferPoolTest : public ReactorTest {
 protected:
  // A test's body as a coroutine on the reactor's thread, with a pool of its own.
  using Body = Task<void> (*)(Reactor&, BufferPool&);
  static Task<void> with_pool(Reactor& reactor, std::size_t count, Body body) {
    BufferPool pool(reactor, count, 5000);
    co_await body(reactor, pool);
  }
  void with_pool(std::size_t count, Body body) {
    EXPECT_TRUE(succeeded(run([&](Reactor& r) { return with_pool(r, count, body); })));
  }
};

Task<void> distinct_buffers(Reactor&, BufferPool& pool) {
  std::vector<Buffer> buffers;
  std::set<std::byte*> places;
  while (auto buffer = pool.take()) {
    EXPECT_EQ(buffer->size(), 5000u);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer->data()) % 4096, 0u);
    std::fill_n(buffer->data(), buffer->size(), static_cast<std::byte>(buffers.size()));
    places.insert(buffer->data());
    buffers.push_back(std::move(*buffer));
  }
  EXPECT_EQ(buffers.size(), 4u);
  EXPECT_EQ(places.size(), 4u);
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    EXPECT_EQ(buffers[i].data()[0], static_cast<std::byte>(i));
    EXPECT_EQ(buffers[i].data()[4999], static_cast<std::byte>(i));
  }
  buffers.clear();
  EXPECT_EQ(pool.free_buffers(), 4u);
  co_return;
}

TEST_F(BufferPoolTest, GivesOutDistinctAlignedBuffersAndTakesThemBack) {
  with_pool(4, distinct_buffers);
}

Task<void> shared_buffers(Reactor&, BufferPool& pool) {
  SharedBuffer first = std::move(*pool.take());
  EXPECT_EQ(pool.free_buffers(), 1u);
  SharedBuffer second = first;
  SharedBuffer third;
  third = second;
  EXPECT_EQ(third.data(), first.data());
  EXPECT_EQ(third.size(), 5000u);
  EXPECT_EQ(third.registered_index(), pool.registered_index());
  first.reset();
  second = SharedBuffer();
  EXPECT_EQ(pool.free_buffers(), 1u);
  SharedBuffer fourth = std::move(third);
  EXPECT_FALSE(third);
  EXPECT_TRUE(fourth);
  fourth.reset();
  EXPECT_EQ(pool.free_buffers(), 2u);
  co_return;
}

TEST_F(BufferPoolTest, ASharedBufferGoesBackWithItsLastHolder) { with_pool(2, shared_buffers); }

Task<void> one_is_left(Reactor&, BufferPool& pool) {
  std::vector<Reservation> reservations;
  std::vector<Buffer> buffers;
  while (auto reservation = pool.try_reserve()) reservations.push_back(std::move(*reservation));
  EXPECT_EQ(reservations.size(), 3u);
  for (int i = 0; i < 4; ++i) {
    auto buffer = pool.take();
    if (!buffer) co_await Error(ErrorKind::local, "a reservation without a buffer");
    buffers.push_back(std::move(*buffer));
  }
  EXPECT_FALSE(pool.take());
}

TEST_F(BufferPoolTest, EveryReservationHasABufferAndOneIsLeft) { with_pool(4, one_is_left); }

Task<void> reserve_once(Reactor& reactor, BufferPool& pool, int number, std::vector<int>& order) {
  Reservation reservation = co_await pool.reserve();
  order.push_back(number);
  co_await sleep_until(reactor, reactor.now() + 100us);
}

Task<void> in_line(Reactor& reactor, BufferPool& pool) {
  std::vector<int> order;
  TaskGroup group;
  for (int i = 0; i < 50; ++i) group.start(reserve_once(reactor, pool, i, order));
  EXPECT_EQ(order.size(), 3u);
  EXPECT_EQ(pool.waiting(), 47u);
  EXPECT_FALSE(pool.try_reserve());  // nobody jumps the line
  co_await group.join();
  EXPECT_EQ(order.size(), 50u);
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
  EXPECT_EQ(pool.reserved(), 0u);
}

TEST_F(BufferPoolTest, WaitersAreServedInTheirOrder) { with_pool(4, in_line); }

Task<void> with_deadline(Reactor& reactor, BufferPool& pool) {
  Reservation only = co_await pool.reserve();
  Result<Reservation> late = co_await attempt(pool.reserve(reactor.now() + 5ms));
  EXPECT_EQ(late.error().kind(), ErrorKind::timed_out);
  EXPECT_EQ(pool.waiting(), 0u);
  only.reset();
  Reservation again = co_await pool.reserve(reactor.now() + 5ms);
  EXPECT_TRUE(again);
  EXPECT_EQ(pool.reserved(), 1u);
}

TEST_F(BufferPoolTest, AWaitEndsAtItsDeadlineAndLeavesTheLine) { with_pool(2, with_deadline); }

Task<void> count_failure(BufferPool& pool, int& failures) {
  Result<Reservation> reservation = co_await attempt(pool.reserve());
  if (!reservation && reservation.error().kind() == ErrorKind::disconnected) ++failures;
}

Task<void> fails_all(Reactor&, BufferPool& pool) {
  Reservation only = co_await pool.reserve();
  int failures = 0;
  TaskGroup group;
  for (int i = 0; i < 10; ++i) group.start(count_failure(pool, failures));
  pool.fail_waiters(Error(ErrorKind::disconnected, "gone"));
  EXPECT_EQ(failures, 0);  // they are resumed from the loop
  co_await group.join();
  EXPECT_EQ(failures, 10);
  only.reset();
  EXPECT_TRUE(pool.try_reserve());
}

TEST_F(BufferPoolTest, AllWaitersCanBeFailed) { with_pool(2, fails_all); }

std::size_t resident_pages(std::byte* memory, std::size_t size) {
  std::vector<unsigned char> pages(size / 4096);
  if (mincore(memory, size, pages.data()) != 0) return SIZE_MAX;
  std::size_t count = 0;
  for (unsigned char page : pages) count += page & 1;
  return count;
}

Task<std::size_t> untouched(Reactor& reactor) {
  BufferPool pool(reactor, 8, 1'048'576, false);
  Buffer buffer = std::move(*pool.take());
  buffer.data()[0] = std::byte{1};
  co_return resident_pages(buffer.data(), buffer.size());
}

TEST_F(BufferPoolTest, PlainMemoryIsTouchedOnlyWhenUsed) {
  Result<std::size_t> pages = run(untouched);
  ASSERT_TRUE(succeeded(pages));
  EXPECT_GE(*pages, 1u);
  EXPECT_LT(*pages, 256u);
}

Task<void> too_large(Reactor& reactor) {
  BufferPool pool(reactor, 1024, std::size_t{1} << 44, false);
  EXPECT_FALSE(pool.take());
  EXPECT_FALSE(pool.try_reserve());
  Result<Reservation> reservation = co_await attempt(pool.reserve());
  EXPECT_EQ(reservation.error().kind(), ErrorKind::local);
  EXPECT_EQ(reservation.error().system_errno(), ENOMEM);
}

TEST_F(BufferPoolTest, WithoutMemoryAReserveFails) { EXPECT_TRUE(succeeded(run(too_large))); }

}  // namespace
