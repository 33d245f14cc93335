#include "base/utf16.h"

namespace smb3 {

namespace {

constexpr std::uint32_t surrogate_first = 0xD800;
constexpr std::uint32_t low_surrogate_first = 0xDC00;
constexpr std::uint32_t surrogate_last = 0xDFFF;
constexpr std::uint32_t invalid = 0xFFFFFFFF;

constexpr bool is_surrogate(std::uint32_t code) {
  return code >= surrogate_first && code <= surrogate_last;
}

// One code point from the front of `text`, which is not empty.
std::uint32_t take_code_point(std::string_view& text) {
  const auto first = static_cast<unsigned char>(text.front());
  text.remove_prefix(1);
  if (first < 0x80) return first;
  const int more = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : 1;
  if (first < 0xC2 || first > 0xF4 || text.size() < static_cast<std::size_t>(more)) return invalid;
  std::uint32_t code = first & (0x3F >> more);
  for (int i = 0; i < more; ++i) {
    const auto next = static_cast<unsigned char>(text.front());
    if ((next & 0xC0) != 0x80) return invalid;
    code = code << 6 | (next & 0x3F);
    text.remove_prefix(1);
  }
  static constexpr std::uint32_t smallest[] = {0, 0x80, 0x800, 0x10000};
  if (code < smallest[more] || code > 0x10FFFF || is_surrogate(code)) return invalid;
  return code;
}

void append_unit(std::vector<std::byte>& out, std::uint32_t unit) {
  out.push_back(static_cast<std::byte>(unit & 0xFF));
  out.push_back(static_cast<std::byte>(unit >> 8));
}

void append_utf8(std::string& out, std::uint32_t code) {
  const auto tail = [code](int shift) {
    return static_cast<char>(0x80 | ((code >> shift) & 0x3F));
  };
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0 | code >> 6);
    out += tail(0);
  } else if (code < 0x10000) {
    out += static_cast<char>(0xE0 | code >> 12);
    out += tail(6);
    out += tail(0);
  } else {
    out += static_cast<char>(0xF0 | code >> 18);
    out += tail(12);
    out += tail(6);
    out += tail(0);
  }
}

}  // namespace

Result<std::vector<std::byte>> to_utf16le(std::string_view utf8) {
  std::vector<std::byte> out;
  out.reserve(utf8.size() * 2);
  while (!utf8.empty()) {
    const std::uint32_t code = take_code_point(utf8);
    if (code == invalid) return std::unexpected(Error(ErrorKind::local, "the name is not UTF-8"));
    if (code < 0x10000) {
      append_unit(out, code);
    } else {
      append_unit(out, surrogate_first + ((code - 0x10000) >> 10));
      append_unit(out, low_surrogate_first + ((code - 0x10000) & 0x3FF));
    }
  }
  return out;
}

Result<std::string> from_utf16le(Bytes utf16le) {
  const auto refuse = [] {
    return std::unexpected(Error(ErrorKind::protocol, "the name is not UTF-16"));
  };
  if (utf16le.size() % 2) return refuse();
  std::string out;
  out.reserve(utf16le.size());
  for (std::size_t at = 0; at < utf16le.size(); at += 2) {
    std::uint32_t code = load_le<std::uint16_t>(utf16le.data() + at);
    if (is_surrogate(code)) {
      if (code >= low_surrogate_first || utf16le.size() - at < 4) return refuse();
      at += 2;
      const std::uint32_t low = load_le<std::uint16_t>(utf16le.data() + at);
      if (low < low_surrogate_first || low > surrogate_last) return refuse();
      code = 0x10000 + ((code - surrogate_first) << 10) + (low - low_surrogate_first);
    }
    append_utf8(out, code);
  }
  return out;
}

}  // namespace smb3
