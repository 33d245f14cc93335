// What a describe() may say, in words that its four readers (size, encode, decode, print) share.
//
// A message or structure declares its layout once, in wire order:
//
//   template <class Codec, class Self>
//   static constexpr void describe(Codec& c, Self& m) {
//     c("flags", m.flags)                  a field: an integer, an enumeration, an array of bytes,
//                                          or another structure
//     c("mode", m.mode, u8)                a field that is narrower on the wire than in memory
//     c.reserved(u16)  c.reserved(u32, v)  written as 0 or v, ignored when read
//     c.constant("tag", u32, v)            written as v, and anything else is refused
//     c.next_entry()                       NextEntryOffset at the start of an entry of a chain
//     c.offset(u16, m.name)                where a variable part lies, counted from the base
//     c.length(u16, m.name)                how many bytes it has
//     c.count(u16, m.list)                 how many elements it has
//     c.part("name", m.name, Part{…})      bytes found by offset and length
//     c.payload("data", m.data)            the same, but a sender need not copy them
//     c.follows("name", m.name)            bytes that begin right here, found by length alone
//     c.rest("data", m.data)               all that is left
//     c.array("locks", m.locks)            elements that begin right here, found by count
//     c.aligned_list("contexts", m.list)   elements by offset and count, each 8-aligned
//     c.chain("contexts", m.list)          entries by offset and length, linked by next_entry
//     c.minimum_size(n)                    pad with zeros when sending, up to n bytes in all
//   }
//
// Offsets count from the base: the SMB2 header for a message, its own start for a structure.
#pragma once

#include "base/bytes.h"

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace smb3::wire {

inline constexpr std::size_t header_bytes = 64;

// The width of a field on the wire, for fields that have no type of their own.
template <class T>
struct Width {
  using type = T;
};
inline constexpr Width<std::uint8_t> u8{};
inline constexpr Width<std::uint16_t> u16{};
inline constexpr Width<std::uint32_t> u32{};
inline constexpr Width<std::uint64_t> u64{};

// How a variable part is placed and shown.
struct Part {
  std::size_t alignment = 1;   // of its offset, when sending
  bool zero_if_empty = false;  // send an offset of 0 for an empty part
  bool text = false;           // UTF-16LE: print as text
};

inline constexpr Part text_part{.text = true};

template <class T>
concept Scalar = std::is_integral_v<T> || std::is_enum_v<T>;

template <class T>
inline constexpr bool is_byte_array = false;
template <std::size_t n>
inline constexpr bool is_byte_array<std::array<std::byte, n>> = true;

template <class T>
concept ByteArray = is_byte_array<std::remove_const_t<T>>;

// Anything with a describe(): its name is for errors and traces.
template <class T>
concept Described = requires {
  { T::wire_name } -> std::convertible_to<std::string_view>;
};

// A body that stands behind an SMB2 header. StructureSize is written and checked for it.
template <class T>
concept Message = Described<T> && requires {
  T::command;
  { T::structure_size } -> std::convertible_to<std::uint16_t>;
};

// Stands on its own, or inside another structure.
template <class T>
concept Structure = Described<T> && !Message<T>;

template <Scalar T>
constexpr std::uint64_t to_raw(T value) noexcept {
  if constexpr (std::is_enum_v<T>) {
    return static_cast<std::uint64_t>(static_cast<std::underlying_type_t<T>>(value));
  } else {
    return static_cast<std::uint64_t>(value);
  }
}

}  // namespace smb3::wire
