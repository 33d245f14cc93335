// One thread tells another that something has happened.
#pragma once

#include <condition_variable>
#include <mutex>

namespace smb3 {

// It may be destroyed as soon as wait() has returned: set() then touches it no more. (libstdc++
// 12.2's semaphore and latch may miss their wake-up.)
class OneShotEvent {
 public:
  void set() {
    std::lock_guard lock(mutex_);
    happened_ = true;
    changed_.notify_one();
  }
  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return happened_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool happened_ = false;
};

}  // namespace smb3
