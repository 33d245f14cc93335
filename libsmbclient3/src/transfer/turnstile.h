// Lets lanes through one by one, in order of offset: for streams, which know no positions.
#pragma once

#include "reactor/reactor.h"

#include <coroutine>
#include <cstdint>
#include <vector>

namespace smb3 {

// A lane waits for the turn of its offset and passes the turn on with the next offset.
class Turnstile {
 public:
  explicit Turnstile(Reactor& reactor) noexcept : reactor_(reactor) {}

  // Awaitable; yields false when the turns have ended before this one came.
  auto turn_of(std::uint64_t offset) noexcept {
    struct Turn {
      Turnstile& turnstile;
      std::uint64_t offset;
      bool await_ready() const noexcept {
        return turnstile.ended_ || turnstile.position_ == offset;
      }
      void await_suspend(std::coroutine_handle<> handle) const {
        turnstile.waiting_.push_back({offset, handle});
      }
      bool await_resume() const noexcept { return !turnstile.ended_; }
    };
    return Turn{*this, offset};
  }

  void pass_to(std::uint64_t offset) {
    position_ = offset;
    for (std::size_t i = 0; i < waiting_.size(); ++i) {
      if (waiting_[i].offset != offset) continue;
      reactor_.ready(waiting_[i].handle);
      waiting_[i] = waiting_.back();
      waiting_.pop_back();
      return;
    }
  }

  // No more turns: everybody who waits goes on and is told.
  void end() {
    ended_ = true;
    for (const Waiting& waiting : waiting_) reactor_.ready(waiting.handle);
    waiting_.clear();
  }

 private:
  struct Waiting {
    std::uint64_t offset;
    std::coroutine_handle<> handle;
  };

  Reactor& reactor_;
  std::uint64_t position_ = 0;
  bool ended_ = false;
  std::vector<Waiting> waiting_;
};

}  // namespace smb3
