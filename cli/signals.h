// SIGINT, SIGTERM and SIGHUP, received by a thread of their own.
#pragma once

#include <atomic>
#include <csignal>
#include <functional>
#include <mutex>
#include <thread>

namespace smb3::cli {

// The first signal calls what was attached, the second ends the process; so does the first while
// nothing is attached or a password is asked for. Must exist before other threads are started,
// since they inherit from its thread that these signals are blocked.
class Signals {
 public:
  Signals();
  Signals(const Signals&) = delete;
  ~Signals();

  // Called on the signals' thread.
  void attach(std::function<void()> on_first);
  void detach();

  // The number of the signal that came, 0 for none.
  int received() const noexcept { return received_; }

 private:
  void run();
  void take(int number);

  sigset_t watched_;
  sigset_t mask_before_;
  int signal_descriptor_ = -1;
  int end_descriptor_ = -1;
  std::atomic<int> received_ = 0;
  std::mutex mutex_;
  std::function<void()> on_first_;
  std::thread thread_;
};

}  // namespace smb3::cli
