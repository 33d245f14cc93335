// Views of bytes, and little- and big-endian loads and stores.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

namespace smb3 {

using Bytes = std::span<const std::byte>;
using MutableBytes = std::span<std::byte>;

static_assert(std::endian::native == std::endian::little,
              "loads and stores copy bytes as they lie");

// Precondition of all four: sizeof(T) bytes lie at `at`.
template <std::integral T>
T load_le(const std::byte* at) noexcept {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

template <std::integral T>
void store_le(std::byte* at, T value) noexcept {
  std::memcpy(at, &value, sizeof value);
}

template <std::unsigned_integral T>
T load_be(const std::byte* at) noexcept {
  T value = 0;
  for (std::size_t i = 0; i < sizeof value; ++i) {
    value = static_cast<T>((value << 8) | std::to_integer<T>(at[i]));
  }
  return value;
}

template <std::unsigned_integral T>
void store_be(std::byte* at, T value) noexcept {
  for (std::size_t i = sizeof value; i-- > 0; value = static_cast<T>(value >> 8)) {
    at[i] = static_cast<std::byte>(value);
  }
}

constexpr std::uint64_t operator""_KiB(unsigned long long n) noexcept { return n << 10; }
constexpr std::uint64_t operator""_MiB(unsigned long long n) noexcept { return n << 20; }

// The next multiple of `alignment` (a power of two) at or after `n`.
constexpr std::uint64_t align_up(std::uint64_t n, std::uint64_t alignment) noexcept {
  return (n + alignment - 1) & ~(alignment - 1);
}

}  // namespace smb3
