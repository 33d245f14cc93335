// Identifiers and times that many messages carry ([MS-DTYP] 2.3, [MS-SMB2] 2.2.14.1).
#pragma once

#include "base/bytes.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <limits>
#include <optional>
#include <string_view>

namespace smb3::wire {

struct FileId {
  static constexpr std::string_view wire_name = "FileId";

  std::uint64_t persistent = 0;
  std::uint64_t volatile_id = 0;

  template <class Codec, class Self>
  static constexpr void describe(Codec& c, Self& m) {
    c("persistent", m.persistent)("volatile_id", m.volatile_id);
  }
  bool operator==(const FileId&) const = default;
};

// An FSCTL that needs no file, or in a compound: the file of the element before.
inline constexpr FileId no_file_id{~std::uint64_t{0}, ~std::uint64_t{0}};

// In the order of the wire: the first three groups are little-endian.
struct Guid {
  static constexpr std::string_view wire_name = "GUID";

  std::array<std::byte, 16> bytes{};

  template <class Codec, class Self>
  static constexpr void describe(Codec& c, Self& m) {
    c("bytes", m.bytes);
  }
  bool operator==(const Guid&) const = default;
};

// 100 ns steps since 1601-01-01 UTC. Setting 0 leaves a time as it is ([MS-FSCC] 2.4.7).
enum class FileTime : std::uint64_t { unset = 0 };

inline constexpr std::int64_t file_time_unix_epoch = 116'444'736'000'000'000;
inline constexpr std::int64_t file_time_ticks_per_second = 10'000'000;

// Exact. Times past the year 30828, which no server means, are taken as that.
constexpr std::timespec to_unix(FileTime time) noexcept {
  constexpr std::uint64_t last = std::numeric_limits<std::int64_t>::max();
  const auto ticks = static_cast<std::uint64_t>(time);
  const std::int64_t since =
      static_cast<std::int64_t>(ticks < last ? ticks : last) - file_time_unix_epoch;
  std::int64_t seconds = since / file_time_ticks_per_second;
  std::int64_t rest = since % file_time_ticks_per_second;
  if (rest < 0) {
    rest += file_time_ticks_per_second;
    --seconds;
  }
  return {static_cast<std::time_t>(seconds), static_cast<long>(rest * 100)};
}

// Exact down to 100 ns, cut off below. Times that a FILETIME cannot say become its first or last.
constexpr FileTime to_file_time(const std::timespec& time) noexcept {
  constexpr std::int64_t last = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t first_second = -file_time_unix_epoch / file_time_ticks_per_second;
  constexpr std::int64_t last_second = (last - file_time_unix_epoch) / file_time_ticks_per_second;
  const std::int64_t seconds = time.tv_sec;
  if (seconds < first_second) return FileTime{1};
  if (seconds >= last_second) return FileTime{static_cast<std::uint64_t>(last)};
  const std::int64_t ticks =
      file_time_unix_epoch + seconds * file_time_ticks_per_second + time.tv_nsec / 100;
  return FileTime{static_cast<std::uint64_t>(ticks > 0 ? ticks : 1)};  // 0 would say "unset"
}

// Where a peer says that it, or a share, can be reached.
struct IpAddress {
  bool v6 = false;
  std::array<std::byte, 16> bytes{};  // network order; IPv4 in the first four
  std::uint32_t scope_id = 0;

  bool operator==(const IpAddress&) const = default;
};

}  // namespace smb3::wire
