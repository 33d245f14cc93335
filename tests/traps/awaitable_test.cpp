// g++ 12 copies an awaitable that is an lvalue; whoever is woken later then waits on a copy.
#include <smbclient3/task.h>

#include <gtest/gtest.h>

using namespace smb3;

namespace {

struct Place {
  Place* self = nullptr;  // where it was when the coroutine stopped
  std::coroutine_handle<> waiter{};
  int value = 0;

  Place() = default;
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> handle) noexcept {
    self = this;
    waiter = handle;
  }
  int await_resume() const noexcept { return value; }
};

Task<int> wait_at(Place& place) { co_return co_await place; }

TEST(Awaitable, AnLvalueIsUsedWhereItIs) {
  Place place;
  Task<int> task = wait_at(place);
  task.run();
  ASSERT_EQ(place.self, &place);
  place.value = 42;
  place.waiter.resume();
  ASSERT_TRUE(task.done());
  EXPECT_EQ(task.result(), 42);
}

// Copyable ones are the dangerous kind: the copy compiles.
struct Copyable {
  const Copyable* made = this;
  bool await_ready() const noexcept { return true; }
  void await_suspend(std::coroutine_handle<>) const noexcept {}
  bool await_resume() const noexcept { return made == this; }
};

Task<bool> in_place() {
  Copyable copyable;
  co_return co_await copyable;
}

TEST(Awaitable, ACopyableLvalueIsNotCopied) {
  Task<bool> task = in_place();
  task.run();
  ASSERT_TRUE(task.done());
  EXPECT_EQ(task.result(), true);
}

}  // namespace
