// The way from a thread that may block to a coroutine on a reactor's thread, and back.
#pragma once

#include "reactor/one_shot_event.h"
#include "reactor/reactor.h"

#include <cassert>
#include <optional>
#include <type_traits>
#include <utility>

namespace smb3 {

// Calls `make` on the reactor's thread, runs the task that it returns, and waits for its result
// here. `make` and what it refers to stay alive until then, so it may itself be a coroutine.
template <class Make>
auto run_on(Reactor& reactor, Make make) {
  using T = typename std::invoke_result_t<Make&>::Value;
  struct Call : Waiter {
    Make& make;
    std::optional<Task<T>> task{};
    std::optional<Result<T>> result{};
    OneShotEvent ended{};

    explicit Call(Make& m) : make(m) {}
    void begin() {
      task.emplace(make());
      task->run();
      if (task->done()) {
        end();
      } else {
        wake = [](Waiter& waiter) noexcept { static_cast<Call&>(waiter).end(); };
        task->notify(*this);
      }
    }
    void end() noexcept {
      result.emplace(std::move(task->result()));
      task.reset();
      ended.set();
    }
  };
  assert(!reactor.is_current());
  Call call(make);
  reactor.post([&call] { call.begin(); });
  call.ended.wait();
  return Result<T>(std::move(*call.result));
}

}  // namespace smb3
