#include "sim/trace.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace smb3::sim {
namespace {

// One run at a time; a crash can print them without an allocation.
constexpr std::size_t lines_kept = 80;
constexpr std::size_t line_bytes = 200;
std::array<std::array<char, line_bytes>, lines_kept> last_lines;
std::size_t lines_written = 0;

}  // namespace

void Trace::note_bytes(const void* bytes, std::size_t count) noexcept {
  constexpr std::size_t looked_at = 256;
  const auto* at = static_cast<const unsigned char*>(bytes);
  for (std::size_t i = 0; i < std::min(count, looked_at); i += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, at + i, std::min(sizeof word, count - i));
    mix(word);
  }
}

void Trace::write(TimePoint time, std::string_view what, std::uint64_t a, std::uint64_t b,
                  std::uint64_t c) {
  std::array<char, line_bytes> text;
  const int length = std::snprintf(
      text.data(), text.size(), "%14.9f %-14.*s %llu %lld %lld\n",
      static_cast<double>(time.count()) / 1e9, static_cast<int>(what.size()), what.data(),
      static_cast<unsigned long long>(a), static_cast<long long>(b), static_cast<long long>(c));
  line(text.data(), static_cast<std::size_t>(length));
}

void Trace::say(TimePoint time, std::string_view what) {
  if (text_ == Text::none) return;
  std::array<char, line_bytes> text;
  const int length = std::snprintf(
      text.data(), text.size(), "%14.9f %.*s\n", static_cast<double>(time.count()) / 1e9,
      static_cast<int>(std::min(what.size(), line_bytes - 20)), what.data());
  line(text.data(), static_cast<std::size_t>(length));
}

void Trace::line(const char* text, std::size_t length) {
  length = std::min(length, line_bytes - 1);
  if (text_ == Text::printed) {
    std::fwrite(text, 1, length, stdout);
    return;
  }
  auto& kept = last_lines[lines_written++ % lines_kept];
  std::memcpy(kept.data(), text, length);
  kept[length] = '\0';
}

void Trace::print_last_lines(int fd) noexcept {
  const std::size_t first = lines_written > lines_kept ? lines_written - lines_kept : 0;
  for (std::size_t i = first; i < lines_written; ++i) {
    const char* text = last_lines[i % lines_kept].data();
    if (::write(fd, text, std::strlen(text)) < 0) return;
  }
}

}  // namespace smb3::sim
