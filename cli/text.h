// Text of unknown origin, made fit for a terminal and for JSON.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace smb3::cli {

// The number of bytes of the well-formed UTF-8 character in front of `text`; 0 if there is none.
std::size_t utf8_character_bytes(std::string_view text) noexcept;

// Names can hold anything, also what commands a terminal: control characters, directional
// overrides and bytes that are no UTF-8 come out as \xNN.
std::string printable(std::string_view text);

// A JSON string with its quotes. Bytes that are no UTF-8 become U+FFFD.
std::string json_string(std::string_view text);

// "4.0 KiB", "17 B".
std::string human_size(std::uint64_t bytes);

}  // namespace smb3::cli
