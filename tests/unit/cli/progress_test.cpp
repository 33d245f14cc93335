// The progress line and the rate.
#include "progress.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <string>

namespace smb3::cli {
namespace {

using namespace std::chrono_literals;

TEST(ProgressLine, WhileDirectoriesAreListed) {
  ProgressCounters counters;
  counters.files_found = 40;
  counters.files_done = 3;
  counters.bytes_found = 4096;
  counters.copy.bytes = 1024;
  EXPECT_EQ(progress_line(counters, 512, 200), "3/40+ files  1.0 KiB of 4.0 KiB+  512 B/s");
}

TEST(ProgressLine, WithRateAndTimeLeft) {
  ProgressCounters counters;
  counters.files_found = 40;
  counters.files_done = 3;
  counters.bytes_found = 4096;
  counters.copy.bytes = 1024;
  counters.all_found = true;
  EXPECT_EQ(progress_line(counters, 256, 200),
            "3/40 files  1.0 KiB of 4.0 KiB  25%  256 B/s  ETA 0:12");
  EXPECT_EQ(progress_line(counters, 0, 200), "3/40 files  1.0 KiB of 4.0 KiB  25%  0 B/s");
  counters.bytes_found = 1024 + 3600ull * 256 + 61 * 256;
  EXPECT_TRUE(progress_line(counters, 256, 200).ends_with("ETA 1:01:01"));
  EXPECT_TRUE(progress_line(counters, 1e-9, 200).ends_with("ETA --:--"));
}

TEST(ProgressLine, OfOneFile) {
  ProgressCounters counters;
  counters.files_found = 1;
  counters.bytes_found = 10;
  counters.all_found = true;
  EXPECT_EQ(progress_line(counters, 0, 200), "0 B of 10 B  0%  0 B/s");
}

TEST(ProgressLine, OfNothingAndOfMoreThanWasFound) {
  ProgressCounters counters;
  counters.all_found = true;
  EXPECT_EQ(progress_line(counters, 0, 200), "0/0 files  0 B of 0 B  0 B/s");
  counters.bytes_found = 10;
  counters.copy.bytes = 20;
  EXPECT_EQ(progress_line(counters, 1, 200), "0/0 files  20 B of 20 B  100%  1 B/s  ETA 0:00");
}

TEST(ProgressLine, FitsTheTerminal) {
  ProgressCounters counters;
  for (std::size_t columns : {0u, 1u, 10u, 25u}) {
    EXPECT_LE(progress_line(counters, 0, columns).size(), columns == 0 ? 0 : columns - 1);
  }
}

TEST(RateMeter, LooksAtTheLastSeconds) {
  RateMeter meter;
  RateMeter::Clock::time_point begin{};
  EXPECT_EQ(meter.bytes_per_second(), 0);
  meter.add(begin, 0);
  EXPECT_EQ(meter.bytes_per_second(), 0);
  for (int i = 1; i <= 100; ++i) meter.add(begin + i * 100ms, static_cast<std::uint64_t>(i) * 100);
  EXPECT_NEAR(meter.bytes_per_second(), 1000, 1);
  // 10 s of silence leave nothing of the old rate.
  for (int i = 101; i <= 200; ++i) meter.add(begin + i * 100ms, 10000);
  EXPECT_EQ(meter.bytes_per_second(), 0);
}

TEST(RateMeter, ManagesWithRareSamplesAndNoTime) {
  RateMeter meter;
  RateMeter::Clock::time_point begin{};
  meter.add(begin, 0);
  meter.add(begin, 100);
  EXPECT_EQ(meter.bytes_per_second(), 0);
  meter.add(begin + 100s, 1100);
  EXPECT_NEAR(meter.bytes_per_second(), 10, 0.1);
}

TEST(WantsProgress, OnATerminalUnlessTold) {
  EXPECT_TRUE(wants_progress(ProgressMode::automatic, Verbosity::normal, true));
  EXPECT_FALSE(wants_progress(ProgressMode::automatic, Verbosity::normal, false));
  EXPECT_FALSE(wants_progress(ProgressMode::automatic, Verbosity::quiet, true));
  EXPECT_TRUE(wants_progress(ProgressMode::always, Verbosity::quiet, false));
  EXPECT_FALSE(wants_progress(ProgressMode::never, Verbosity::verbose, true));
}

// Standard error into a pipe, for as long as it lives.
class StderrInPipe {
 public:
  StderrInPipe() {
    EXPECT_EQ(pipe(ends_), 0);
    before_ = dup(STDERR_FILENO);
    dup2(ends_[1], STDERR_FILENO);
    close(ends_[1]);
  }
  std::string end() {
    dup2(before_, STDERR_FILENO);
    close(before_);
    std::string all;
    char buffer[4096];
    for (ssize_t got; (got = read(ends_[0], buffer, sizeof buffer)) > 0;) all.append(buffer, got);
    close(ends_[0]);
    return all;
  }

 private:
  int ends_[2];
  int before_;
};

std::string shown_in_a_moment(bool at_once) {
  ProgressCounters counters;
  StderrInPipe captured;
  {
    Console console("t", Verbosity::normal, STDOUT_FILENO);
    ProgressDisplay display(console, counters, at_once);
    counters.files_found = 2;
    counters.files_done = 2;
    counters.all_found = true;
  }
  return captured.end();
}

TEST(ProgressDisplay, ShowsTheLastState) {
  std::string text = shown_in_a_moment(true);
  EXPECT_NE(text.find("2/2 files"), std::string::npos) << text;
  EXPECT_TRUE(text.ends_with("\n"));
}

TEST(ProgressDisplay, LeavesNoLineForWhatIsOverAtOnce) { EXPECT_EQ(shown_in_a_moment(false), ""); }

TEST(Console, MessagesStandAboveTheStatusAndAreEscaped) {
  StderrInPipe captured;
  {
    Console console("tool", Verbosity::quiet, STDERR_FILENO);
    console.status("busy");
    console.error("//h/s/\x1b[2J: no such file");
    console.warning("unseen");
    console.note("unseen");
    console.clear_status();
    console.answer("yes");
  }
  EXPECT_EQ(captured.end(),
            "\rbusy\x1b[K"
            "\r\x1b[Ktool: //h/s/\\x1b[2J: no such file\nbusy"
            "\r\x1b[Kyes\n");
}

}  // namespace
}  // namespace smb3::cli
