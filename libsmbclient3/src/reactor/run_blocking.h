// The body of run_blocking(): the answer and the deadline race, the first one wins.
#pragma once

#include "reactor/early_end.h"
#include "reactor/reactor.h"

#include <cassert>
#include <optional>

namespace smb3 {

template <class T>
struct BlockingCall {
  std::optional<Result<T>> result;
  std::coroutine_handle<> waiter{};  // cleared by whoever resumes it
};

template <class T>
Task<T> run_blocking(Reactor& reactor, TimePoint deadline, std::function<Result<T>()> work,
                     EarlyEnd* early_end) {
  assert(!early_end || deadline != never);
  auto call = std::make_shared<BlockingCall<T>>();
  reactor.offload([call, work = std::move(work)] { call->result.emplace(work()); },
                  [call, &reactor] {
                    if (call->waiter) reactor.ready(std::exchange(call->waiter, {}));
                  });
  struct Wait {
    Reactor& reactor;
    BlockingCall<T>& call;
    TimePoint deadline;
    EarlyEnd* early_end;
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
      if (early_end) early_end->join(timer);
    }
    bool await_resume() noexcept {
      if (early_end) early_end->leave(timer);
      timer.clear();
      return late;
    }
  };
  Wait wait{reactor, *call, deadline, early_end, Timer(reactor)};
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
