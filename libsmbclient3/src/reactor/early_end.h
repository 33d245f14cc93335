// Ends waits before their time: a pause or a blocking call beside a connection that has failed.
#pragma once

#include "reactor/timer.h"

#include <utility>
#include <vector>

namespace smb3 {

// Belongs to the reactor's thread. Outlives the waits that have joined.
class EarlyEnd {
 public:
  // The timer that bounds a wait, already set: fires at once when the end comes or has come.
  void join(Timer& timer) {
    if (ended_) {
      timer.hasten();
    } else {
      timers_.push_back(&timer);
    }
  }
  void leave(Timer& timer) noexcept { std::erase(timers_, &timer); }

  void come() {
    ended_ = true;
    for (Timer* timer : std::exchange(timers_, {})) timer->hasten();
  }

 private:
  std::vector<Timer*> timers_;
  bool ended_ = false;
};

}  // namespace smb3
