#include "progress.h"

#include "text.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

namespace smb3::cli {
namespace {

using namespace std::chrono_literals;

constexpr auto interval = 150ms;  // 0.2 s at most, also on a busy machine
constexpr auto rate_window = 5s;

std::string duration_text(double seconds) {
  if (!(seconds < 360'000)) return "--:--";
  auto whole = static_cast<std::uint64_t>(std::llround(seconds));
  std::uint64_t hours = whole / 3600, minutes = whole / 60 % 60;
  if (hours != 0) return fmt::format("{}:{:02}:{:02}", hours, minutes, whole % 60);
  return fmt::format("{}:{:02}", minutes, whole % 60);
}

std::size_t terminal_columns() {
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

}  // namespace

void RateMeter::add(Clock::time_point now, std::uint64_t bytes) {
  samples_.push_back({now, bytes});
  while (samples_.size() > 2 && now - samples_[1].time >= rate_window) samples_.pop_front();
}

double RateMeter::bytes_per_second() const {
  if (samples_.size() < 2) return 0;
  std::chrono::duration<double> time = samples_.back().time - samples_.front().time;
  std::uint64_t bytes = samples_.back().bytes - samples_.front().bytes;
  return time.count() > 0 ? static_cast<double>(bytes) / time.count() : 0;
}

std::string progress_line(const ProgressCounters& counters, double bytes_per_second,
                          std::size_t columns) {
  bool all_found = counters.all_found;
  std::uint64_t done = counters.copy.bytes;
  // A file can grow while it is copied.
  std::uint64_t found = std::max<std::uint64_t>(counters.bytes_found, done);
  const char* more = all_found ? "" : "+";
  std::string line;
  if (!all_found || counters.files_found != 1) {
    line = fmt::format("{}/{}{} files  ", counters.files_done.load(), counters.files_found.load(),
                       more);
  }
  line += fmt::format("{} of {}{}", human_size(done), human_size(found), more);
  if (all_found && found != 0) {
    line += fmt::format(
        "  {}%", static_cast<int>(100.0 * static_cast<double>(done) / static_cast<double>(found)));
  }
  line += fmt::format("  {}/s", human_size(static_cast<std::uint64_t>(bytes_per_second)));
  if (all_found && bytes_per_second > 0) {
    line += "  ETA " + duration_text(static_cast<double>(found - done) / bytes_per_second);
  }
  // One column stays free: some terminals go to the next line when the last one is written.
  if (line.size() >= columns) line.resize(columns == 0 ? 0 : columns - 1);
  return line;
}

bool wants_progress(ProgressMode mode, Verbosity verbosity, bool on_terminal) {
  if (mode == ProgressMode::automatic) return on_terminal && verbosity != Verbosity::quiet;
  return mode == ProgressMode::always;
}

ProgressDisplay::ProgressDisplay(Console& console, const ProgressCounters& counters, bool at_once)
    : console_(console), counters_(counters) {
  if (at_once) {
    show();
  } else {
    rate_.add(RateMeter::Clock::now(), counters.copy.bytes);
  }
  thread_ = std::thread([this] { run(); });
}

ProgressDisplay::~ProgressDisplay() {
  {
    std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  ended_.notify_one();
  thread_.join();
  if (!is_shown_) return;
  show();
  console_.keep_status();
}

void ProgressDisplay::show() {
  is_shown_ = true;
  rate_.add(RateMeter::Clock::now(), counters_.copy.bytes);
  console_.status(progress_line(counters_, rate_.bytes_per_second(), terminal_columns()));
}

void ProgressDisplay::run() {
  std::unique_lock lock(mutex_);
  while (!ended_.wait_for(lock, interval, [this] { return is_ending_; })) show();
}

}  // namespace smb3::cli
