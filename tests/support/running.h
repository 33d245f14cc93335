// Coroutines that a test starts on a reactor's thread, and whose ends it waits for with a bound.
#pragma once

#include "reactor/one_shot_event.h"
#include "reactor/reactor.h"

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <optional>

namespace smb3::test {

// For what should take no time at all, on a machine that may be busy.
inline constexpr std::chrono::seconds patience{30};

// Lives on the test's thread; its task on the reactor's.
template <class T>
class Running : Waiter {
 public:
  // `make` may not be a coroutine itself, and what it refers to outlives this.
  Running(Reactor& reactor, std::function<Task<T>()> make) : make_(std::move(make)) {
    reactor.post([this] { begin(); });
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  ~Running() { wait_for_end(); }

  bool ended_within(std::chrono::milliseconds time) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, time, [this] { return result_.has_value(); });
  }
  // Once.
  Result<T> result() {
    wait_for_end();
    return std::move(*result_);
  }

 private:
  void begin() {
    task_.emplace(make_());
    task_->run();
    if (task_->done()) return end();
    wake = [](Waiter& waiter) noexcept { static_cast<Running&>(waiter).end(); };
    task_->notify(*this);
  }
  void end() noexcept {
    Result<T> result = std::move(task_->result());
    task_.reset();
    std::lock_guard lock(mutex_);
    result_.emplace(std::move(result));
    changed_.notify_all();
  }
  void wait_for_end() {
    if (ended_within(patience)) return;
    std::fputs("a coroutine of the test does not end\n", stderr);
    std::abort();  // it refers to the frames of the test, which cannot be left
  }

  std::function<Task<T>()> make_;
  std::optional<Task<T>> task_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<Result<T>> result_;
};

// Calls a plain function on the reactor's thread and waits for it.
template <class Function>
auto on(Reactor& reactor, Function function) {
  using T = std::invoke_result_t<Function&>;
  OneShotEvent done;
  if constexpr (std::is_void_v<T>) {
    reactor.post([&] {
      function();
      done.set();
    });
    done.wait();
  } else {
    std::optional<T> result;
    reactor.post([&] {
      result.emplace(function());
      done.set();
    });
    done.wait();
    return std::move(*result);
  }
}

}  // namespace smb3::test
