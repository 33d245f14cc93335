// The body of run_blocking(): the answer and the deadline race, the first one wins.
#pragma once

#include "reactor/reactor.h"

#include <optional>

namespace smb3 {

template <class T>
struct BlockingCall {
  std::optional<Result<T>> result;
  std::coroutine_handle<> waiter{};  // cleared by whoever resumes it
};

template <class T>
Task<T> run_blocking(Reactor& reactor, TimePoint deadline, std::function<Result<T>()> work) {
  auto call = std::make_shared<BlockingCall<T>>();
  reactor.offload([call, work = std::move(work)] { call->result.emplace(work()); },
                  [call, &reactor] {
                    if (call->waiter) reactor.ready(std::exchange(call->waiter, {}));
                  });
  struct Wait {
    Reactor& reactor;
    BlockingCall<T>& call;
    TimePoint deadline;
    Timer timer;
    bool late = false;
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> handle) {
      call.waiter = handle;
      if (deadline == never) return;
      timer.set(
          deadline,
          [](void* self) {
            auto& wait = *static_cast<Wait*>(self);
            if (!wait.call.waiter) return;  // the answer has come in this very turn
            wait.late = true;
            wait.reactor.ready(std::exchange(wait.call.waiter, {}));
          },
          this);
    }
    bool await_resume() noexcept {
      timer.clear();
      return late;
    }
  };
  Wait wait{reactor, *call, deadline, Timer(reactor)};
  const bool late = co_await wait;
  if (late) {
    co_await Error(ErrorKind::timed_out, "no answer within the time allowed");
  }
  if constexpr (std::is_void_v<T>) {
    co_await std::move(*call->result);
  } else {
    co_return std::move(*call->result);
  }
}

}  // namespace smb3
