// What happened in a run: a number that tells two runs apart, and the last events as text.
#pragma once

#include "reactor/operation.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace smb3::sim {

// Keeps no pointers, no real time and no descriptors of the kernel: only what the seed decides.
class Trace {
 public:
  enum class Text : std::uint8_t {
    none,
    kept,    // the last lines stay in memory, also for a signal handler
    printed  // every line at once, to standard output
  };

  explicit Trace(Text text = Text::none) noexcept : text_(text) {}

  // `what` names the kind of event; the numbers are its own.
  void note(TimePoint time, std::string_view what, std::uint64_t a = 0, std::uint64_t b = 0,
            std::uint64_t c = 0) {
    mix(static_cast<std::uint64_t>(time.count()));
    mix(hash_of(what));
    mix(a);
    mix(b);
    mix(c);
    ++events_;
    if (text_ != Text::none) write(time, what, a, b, c);
  }
  // The same of bytes; of many only the first.
  void note_bytes(const void* bytes, std::size_t count) noexcept;
  // Text for people, which counts for nothing.
  void say(TimePoint time, std::string_view text);
  bool is_printed() const noexcept { return text_ == Text::printed; }
  bool is_wanted() const noexcept { return text_ != Text::none; }

  std::uint64_t hash() const noexcept { return hash_; }
  std::uint64_t events() const noexcept { return events_; }
  // Async-signal-safe.
  static void print_last_lines(int fd) noexcept;

 private:
  static constexpr std::uint64_t prime = 0x100000001B3;
  static constexpr std::uint64_t hash_of(std::string_view text) noexcept {
    std::uint64_t hash = 0xCBF29CE484222325;
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * prime;
    return hash;
  }
  void mix(std::uint64_t value) noexcept {
    hash_ = (hash_ ^ value) * prime;
    hash_ ^= hash_ >> 29;
  }
  void write(TimePoint time, std::string_view what, std::uint64_t a, std::uint64_t b,
             std::uint64_t c);
  void line(const char* text, std::size_t length);

  const Text text_;
  std::uint64_t hash_ = 0xCBF29CE484222325;
  std::uint64_t events_ = 0;
};

}  // namespace smb3::sim
