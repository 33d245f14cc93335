#include "text.h"

#include <fmt/format.h>

#include <array>
#include <iterator>

namespace smb3::cli {
namespace {

std::uint32_t code_point(std::string_view character) {
  auto byte = [&](std::size_t i) { return static_cast<unsigned char>(character[i]); };
  switch (character.size()) {
    case 1: return byte(0);
    case 2: return (byte(0) & 0x1fu) << 6 | (byte(1) & 0x3fu);
    case 3: return (byte(0) & 0x0fu) << 12 | (byte(1) & 0x3fu) << 6 | (byte(2) & 0x3fu);
    default:
      return (byte(0) & 0x07u) << 18 | (byte(1) & 0x3fu) << 12 | (byte(2) & 0x3fu) << 6 |
             (byte(3) & 0x3fu);
  }
}

bool commands_a_terminal(std::uint32_t c) {
  return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x200e || c == 0x200f ||
         (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

}  // namespace

std::size_t utf8_character_bytes(std::string_view text) noexcept {
  if (text.empty()) return 0;
  unsigned char first = static_cast<unsigned char>(text[0]);
  if (first < 0x80) return 1;
  std::size_t size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < size) return 0;
  for (std::size_t i = 1; i < size; ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xc0) != 0x80) return 0;
  }
  std::uint32_t c = code_point(text.substr(0, size));
  bool overlong = (size == 3 && c < 0x800) || (size == 4 && c < 0x10000);
  bool surrogate = c >= 0xd800 && c <= 0xdfff;
  return overlong || surrogate || c > 0x10ffff ? 0 : size;
}

std::string printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    std::size_t size = utf8_character_bytes(text);
    if (size != 0 && !commands_a_terminal(code_point(text.substr(0, size)))) {
      out += text.substr(0, size);
    } else {
      size = size == 0 ? 1 : size;
      for (char c : text.substr(0, size)) {
        fmt::format_to(std::back_inserter(out), "\\x{:02x}", static_cast<unsigned char>(c));
      }
    }
    text.remove_prefix(size);
  }
  return out;
}

std::string json_string(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    std::size_t size = utf8_character_bytes(text);
    char c = text[0];
    if (size == 0) {
      out += "\xef\xbf\xbd";
    } else if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned char>(c));
    } else {
      out += text.substr(0, size);
    }
    text.remove_prefix(size == 0 ? 1 : size);
  }
  return out + '"';
}

std::string human_size(std::uint64_t bytes) {
  constexpr std::array units{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024) return fmt::format("{} B", bytes);
  double size = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  while (size >= 1023.95 && unit + 1 < units.size()) {
    size /= 1024;
    ++unit;
  }
  return fmt::format("{:.1f} {}", size, units[unit]);
}

}  // namespace smb3::cli
