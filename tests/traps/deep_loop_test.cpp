// A loop that awaits tasks which end at once must not grow the stack: neither on success nor on
// errors, with any compiler and any flags.
#include <smbclient3/task.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

using namespace smb3;

namespace {

constexpr int rounds = 1'000'000;

// The lowest and highest place of the stack that the callees have seen.
struct StackMarks {
  std::uintptr_t lowest = UINTPTR_MAX;
  std::uintptr_t highest = 0;
  void note() {
    const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
    lowest = std::min(lowest, here);
    highest = std::max(highest, here);
  }
};

Task<int> leaf(int number, StackMarks& marks) {
  marks.note();
  co_return number & 1;
}

Task<int> middle(int number, StackMarks& marks) { co_return co_await leaf(number, marks); }

Task<int> sum_of(int count, StackMarks& marks) {
  int sum = 0;
  for (int i = 0; i < count; ++i) sum += co_await middle(i, marks);
  co_return sum;
}

TEST(DeepLoop, AMillionReadyTasksNeedNoStack) {
  StackMarks marks;
  Task<int> task = sum_of(rounds, marks);
  task.run();
  ASSERT_TRUE(task.done());
  EXPECT_EQ(task.result(), rounds / 2);
  EXPECT_LT(marks.highest - marks.lowest, 4096u);
}

Task<void> refuse(StackMarks& marks) {
  marks.note();
  co_await Error(ErrorKind::failed, "no");
}

Task<int> failures_of(int count, StackMarks& marks) {
  int failures = 0;
  for (int i = 0; i < count; ++i) {
    Result<void> result = co_await attempt(refuse(marks));
    if (!result) ++failures;
  }
  co_return failures;
}

TEST(DeepLoop, AMillionFailuresNeedNoStack) {
  StackMarks marks;
  Task<int> task = failures_of(rounds / 10, marks);
  task.run();
  ASSERT_TRUE(task.done());
  EXPECT_EQ(task.result(), rounds / 10);
  EXPECT_LT(marks.highest - marks.lowest, 4096u);
}

// The same with a caller that really waits each time.
struct Gate {
  std::coroutine_handle<> waiter{};
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> handle) noexcept { waiter = handle; }
  void await_resume() const noexcept {}
};

Task<void> pass(Gate& gate, StackMarks& marks) {
  co_await gate;
  marks.note();
}

Task<int> passes(Gate& gate, int count, StackMarks& marks) {
  int done = 0;
  for (; done < count; ++done) co_await pass(gate, marks);
  co_return done;
}

TEST(DeepLoop, AMillionWaitsNeedNoStack) {
  Gate gate;
  StackMarks marks;
  Task<int> task = passes(gate, rounds, marks);
  task.run();
  while (!task.done()) std::exchange(gate.waiter, {}).resume();
  EXPECT_EQ(task.result(), rounds);
  EXPECT_LT(marks.highest - marks.lowest, 4096u);
}

}  // namespace
