// Bit operators for the enumerations that are sets of flags.
#pragma once

#include <type_traits>
#include <utility>

namespace smb3::wire {

// Specialise to true beside the declaration of such an enumeration.
template <class E>
inline constexpr bool is_flags = false;

template <class E>
concept Flags = std::is_enum_v<E> && is_flags<E>;

template <Flags E>
constexpr E operator|(E a, E b) noexcept {
  return static_cast<E>(std::to_underlying(a) | std::to_underlying(b));
}
template <Flags E>
constexpr E operator&(E a, E b) noexcept {
  return static_cast<E>(std::to_underlying(a) & std::to_underlying(b));
}
template <Flags E>
constexpr E operator~(E a) noexcept {
  return static_cast<E>(~std::to_underlying(a));
}
template <Flags E>
constexpr E& operator|=(E& a, E b) noexcept {
  return a = a | b;
}
template <Flags E>
constexpr E& operator&=(E& a, E b) noexcept {
  return a = a & b;
}

// Are all `bits` set in `value`?
template <Flags E>
constexpr bool has(E value, E bits) noexcept {
  return (value & bits) == bits;
}

}  // namespace smb3::wire
