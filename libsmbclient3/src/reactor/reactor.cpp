// What all engines share: the queue of coroutines to resume, and the timers.
#include "reactor/reactor.h"

#include "reactor/early_end.h"
#include "reactor/endpoint.h"

#include <sys/socket.h>
#include <unistd.h>

#include <cassert>
#include <cerrno>

namespace smb3 {

Timer::~Timer() { clear(); }

void Timer::set(TimePoint when, void (*fire)(void* context), void* context) {
  clear();
  if (when == never) return;
  when_ = when;
  fire_ = fire;
  context_ = context;
  reactor_.timer_insert(*this);
}

void Timer::clear() noexcept {
  if (is_set()) reactor_.timer_remove(*this);
}

void Timer::hasten() {
  if (!is_set()) return;
  when_ = TimePoint::zero();  // the past, from which a wait can be computed
  reactor_.timer_sift(place_);
}

Reactor::~Reactor() { assert(timers_.empty()); }

Result<void> Reactor::bind_socket(int socket, const LocalInterface& local) {
  return bind_to_interface(socket, local);
}

void Reactor::shutdown_now(int socket) noexcept { ::shutdown(socket, SHUT_RDWR); }

void Reactor::close_now(int fd) noexcept { ::close(fd); }

bool Reactor::run_ready() {
  if (ready_.empty()) return false;
  // What becomes ready from here on runs in the next turn, so that completions are seen between.
  running_.swap(ready_);
  for (std::coroutine_handle<> handle : running_) handle.resume();
  running_.clear();
  return true;
}

bool Reactor::run_timers(TimePoint now) {
  // A timer that sets itself again for a time in the past must not keep the loop here.
  const std::uint64_t set_before = timers_set_;
  bool ran = false;
  while (!timers_.empty()) {
    Timer& timer = *timers_.front();
    if (timer.when_ > now || timer.order_ > set_before) break;
    timer_remove(timer);
    ran = true;
    timer.fire_(timer.context_);
  }
  return ran;
}

TimePoint Reactor::next_timer() const noexcept {
  return timers_.empty() ? never : timers_.front()->when_;
}

void Reactor::timer_insert(Timer& timer) {
  timer.order_ = ++timers_set_;
  timers_.push_back(&timer);
  timer.place_ = timers_.size() - 1;
  timer_sift(timer.place_);
}

void Reactor::timer_remove(Timer& timer) noexcept {
  const std::size_t place = timer.place_;
  Timer* last = timers_.back();
  timers_.pop_back();
  timer.place_ = Timer::unset;
  if (last == &timer) return;
  timer_place(place, last);
  timer_sift(place);
}

void Reactor::timer_place(std::size_t place, Timer* timer) noexcept {
  timers_[place] = timer;
  timer->place_ = place;
}

// Moves the timer at `place` up or down to where it belongs.
void Reactor::timer_sift(std::size_t place) noexcept {
  const auto earlier = [](const Timer* a, const Timer* b) {
    return a->when_ != b->when_ ? a->when_ < b->when_ : a->order_ < b->order_;
  };
  Timer* timer = timers_[place];
  while (place > 0 && earlier(timer, timers_[(place - 1) / 2])) {
    timer_place(place, timers_[(place - 1) / 2]);
    place = (place - 1) / 2;
  }
  for (std::size_t child = 2 * place + 1; child < timers_.size(); child = 2 * place + 1) {
    if (child + 1 < timers_.size() && earlier(timers_[child + 1], timers_[child])) ++child;
    if (!earlier(timers_[child], timer)) break;
    timer_place(place, timers_[child]);
    place = child;
  }
  timer_place(place, timer);
}

Task<void> sleep_until(Reactor& reactor, TimePoint when, EarlyEnd* early_end) {
  struct Sleep {
    Reactor& reactor;
    TimePoint when;
    EarlyEnd* early_end;
    Timer timer;
    std::coroutine_handle<> waiter{};
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> handle) {
      waiter = handle;
      timer.set(
          when,
          [](void* self) {
            auto& sleep = *static_cast<Sleep*>(self);
            sleep.reactor.ready(sleep.waiter);
          },
          this);
      if (early_end) early_end->join(timer);
    }
    void await_resume() noexcept {
      if (early_end) early_end->leave(timer);
    }
  };
  Sleep sleep{reactor, when, early_end, Timer(reactor)};
  co_await sleep;
}

}  // namespace smb3
