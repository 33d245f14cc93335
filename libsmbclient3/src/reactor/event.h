// One waiter on this thread, woken from the loop.
#pragma once

#include "reactor/reactor.h"

#include <cassert>

namespace smb3 {

// set() before wait() is remembered once; several set() count as one.
class Event {
 public:
  explicit Event(Reactor& reactor) noexcept : reactor_(reactor) {}
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event() { assert(!waiter_); }

  void set() {
    if (waiter_) {
      reactor_.ready(std::exchange(waiter_, {}));
    } else {
      is_set_ = true;
    }
  }

  auto wait() noexcept {
    struct Wait {
      Event& event;
      bool await_ready() const noexcept { return std::exchange(event.is_set_, false); }
      void await_suspend(std::coroutine_handle<> handle) const noexcept {
        assert(!event.waiter_);
        event.waiter_ = handle;
      }
      void await_resume() const noexcept {}
    };
    return Wait{*this};
  }

 private:
  Reactor& reactor_;
  std::coroutine_handle<> waiter_{};
  bool is_set_ = false;
};

}  // namespace smb3
