// Runs tasks side by side on one thread and waits for all of them.
#pragma once

#include <smbclient3/task.h>

#include <cassert>
#include <cstddef>
#include <memory>
#include <utility>

namespace smb3 {

// Owns every task that it starts. join() ends when all have ended; the first error is kept and
// becomes join()'s error. Must not be destroyed while tasks run.
class TaskGroup {
 public:
  TaskGroup() = default;
  TaskGroup(const TaskGroup&) = delete;
  TaskGroup& operator=(const TaskGroup&) = delete;
  ~TaskGroup() { assert(running_ == 0); }

  // Runs the task until it first waits, and keeps it until it ends.
  void start(Task<void> task) {
    ++running_;
    auto node = std::make_unique<Node>(*this, std::move(task));
    node->task.run();
    if (node->task.done()) {
      ended(node->task.result());
    } else {
      Node* waiting = node.release();  // deletes itself in woken()
      waiting->wake = &woken;
      waiting->task.notify(*waiting);
    }
  }

  std::size_t running() const noexcept { return running_; }

  // Awaitable: ends when fewer than `limit` tasks run (1: when none does). One waiter at a time.
  auto below(std::size_t limit) noexcept {
    struct Below {
      TaskGroup& group;
      std::size_t limit;
      bool await_ready() const noexcept { return group.running_ < limit; }
      void await_suspend(std::coroutine_handle<> handle) noexcept {
        assert(!group.waiter_);
        group.waiter_ = handle;
        group.limit_ = limit;
      }
      void await_resume() const noexcept {}
    };
    return Below{*this, limit};
  }

  Task<void> join() {
    co_await below(1);
    if (!first_error_) co_return;
    Error error = std::move(*first_error_);
    first_error_.reset();
    co_await std::move(error);
  }

 private:
  struct Node : Waiter {
    TaskGroup& group;
    Task<void> task;
    Node(TaskGroup& g, Task<void> t) : group(g), task(std::move(t)) {}
  };

  static void woken(Waiter& waiter) noexcept {
    auto node = std::unique_ptr<Node>(&static_cast<Node&>(waiter));
    TaskGroup& group = node->group;
    Result<void> result = std::move(node->task.result());
    node.reset();
    group.ended(result);
  }

  void ended(Result<void>& result) noexcept {
    --running_;
    if (!result && !first_error_) first_error_.emplace(std::move(result).error());
    if (waiter_ && running_ < limit_) std::exchange(waiter_, {}).resume();
  }

  std::size_t running_ = 0;
  std::size_t limit_ = 0;
  std::coroutine_handle<> waiter_{};
  std::optional<Error> first_error_;
};

}  // namespace smb3
