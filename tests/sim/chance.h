// Chance from a seed: the same numbers on every machine.
#pragma once

#include "base/bytes.h"

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>

namespace smb3::sim {

// xoshiro256**, seeded by splitmix64.
class Chance {
 public:
  explicit Chance(std::uint64_t seed) noexcept {
    for (std::uint64_t& word : state_) {
      seed += 0x9E3779B97F4A7C15;
      std::uint64_t z = seed;
      z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
      z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
      word = z ^ (z >> 31);
    }
  }

  std::uint64_t next() noexcept {
    const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
    const std::uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }

  // 0 to count - 1; the slight preference for small numbers does not matter here.
  std::uint64_t below(std::uint64_t count) noexcept { return count == 0 ? 0 : next() % count; }
  // Both ends included.
  std::uint64_t between(std::uint64_t low, std::uint64_t high) noexcept {
    return low + below(high - low + 1);
  }
  // True once in so many times; 0: never.
  bool one_in(std::uint64_t times) noexcept { return times != 0 && below(times) == 0; }
  // As many small numbers as large ones: each power of two is as likely as another.
  std::uint64_t scaled(std::uint64_t low, std::uint64_t high) noexcept {
    const std::uint64_t bits = between(0, static_cast<std::uint64_t>(std::bit_width(high - low)));
    const std::uint64_t span = bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
    return low + below(std::min(span, high - low) + 1);
  }
  template <class T>
  const T& of(std::span<const T> choices) noexcept {
    return choices[below(choices.size())];
  }
  template <class Container>
  const auto& of(const Container& choices) noexcept {
    return choices[below(std::size(choices))];
  }
  void fill(MutableBytes bytes) noexcept {
    while (!bytes.empty()) {
      const std::uint64_t word = next();
      const std::size_t count = std::min(bytes.size(), sizeof word);
      std::memcpy(bytes.data(), &word, count);
      bytes = bytes.subspan(count);
    }
  }
  // A generator of its own, so that more draws of one part change nothing for another.
  Chance fork() noexcept { return Chance(next()); }

 private:
  std::uint64_t state_[4];
};

}  // namespace smb3::sim
