// The progress of a run: counters, the rate, and the line that shows them.
#pragma once

#include "console.h"

#include <smbclient3/copy.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <thread>

namespace smb3::cli {

// Written by the client's thread, read by the display's.
struct ProgressCounters {
  CopyProgress copy;
  std::atomic<std::uint64_t> bytes_found{0};
  std::atomic<std::uint64_t> files_found{0};
  std::atomic<std::uint64_t> files_done{0};
  std::atomic<bool> all_found{false};
};

// The rate of the last few seconds.
class RateMeter {
 public:
  using Clock = std::chrono::steady_clock;
  void add(Clock::time_point now, std::uint64_t bytes);
  double bytes_per_second() const;

 private:
  struct Sample {
    Clock::time_point time;
    std::uint64_t bytes;
  };
  std::deque<Sample> samples_;
};

// "3/40 files  1.2 GiB of 3.4 GiB  35%  112.0 MiB/s  ETA 0:12"; never wider than `columns`.
std::string progress_line(const ProgressCounters& counters, double bytes_per_second,
                          std::size_t columns);

bool wants_progress(ProgressMode mode, Verbosity verbosity, bool on_terminal);

// Shows the line several times a second for as long as it lives. What is over before the first time
// leaves no line, unless it is shown at once.
class ProgressDisplay {
 public:
  ProgressDisplay(Console& console, const ProgressCounters& counters, bool at_once);
  ProgressDisplay(const ProgressDisplay&) = delete;
  ~ProgressDisplay();

 private:
  void show();
  void run();

  Console& console_;
  const ProgressCounters& counters_;
  RateMeter rate_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool is_ending_ = false;
  bool is_shown_ = false;
  std::thread thread_;
};

}  // namespace smb3::cli
