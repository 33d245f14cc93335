// Between the times of the two worlds.
#pragma once

#include <smbclient3/file.h>

#include <sys/stat.h>
#include <time.h>

#include <limits>

namespace smb3::cli {

inline constexpr FileTime ticks_per_second = 10'000'000;
inline constexpr FileTime seconds_1601_to_1970 = 11'644'473'600;

// What lies outside of the years that the other side knows becomes 0, "leave alone".
inline FileTime file_time_of(const timespec& time) noexcept {
  constexpr FileTime seconds_max =
      std::numeric_limits<FileTime>::max() / ticks_per_second - seconds_1601_to_1970 - 1;
  FileTime seconds = time.tv_sec;
  if (seconds <= -seconds_1601_to_1970 || seconds > seconds_max) return 0;
  return (seconds + seconds_1601_to_1970) * ticks_per_second + time.tv_nsec / 100;
}

inline timespec timespec_of(FileTime time) noexcept {
  if (time <= 0) return {.tv_sec = 0, .tv_nsec = UTIME_OMIT};
  return {.tv_sec = time / ticks_per_second - seconds_1601_to_1970,
          .tv_nsec = time % ticks_per_second * 100};
}

}  // namespace smb3::cli
