#include "wire/printer.h"

#include "base/utf16.h"

namespace smb3::wire {

namespace {

void append_hex(std::string& text, Bytes bytes) {
  static constexpr char digits[] = "0123456789abcdef";
  for (const std::byte b : bytes) {
    text += digits[std::to_integer<unsigned>(b) >> 4];
    text += digits[std::to_integer<unsigned>(b) & 15];
  }
}

}  // namespace

void Printer::show_hex(std::uint64_t value) {
  static constexpr char digits[] = "0123456789abcdef";
  char reversed[16];
  std::size_t count = 0;
  do {
    reversed[count++] = digits[value & 15];
    value >>= 4;
  } while (value);
  text_ += "0x";
  while (count) text_ += reversed[--count];
}

void Printer::show_array(Bytes bytes) { append_hex(text_, bytes); }

void Printer::show_bytes(Bytes bytes) {
  if (bytes.size() <= options_.hex_bytes_max) {
    append_hex(text_, bytes);
  } else {
    text_ += '<' + std::to_string(bytes.size()) + " bytes>";
  }
}

// Control characters would let a peer write into the terminal of who reads the trace.
void Printer::show_text(Bytes utf16le) {
  const Result<std::string> utf8 = from_utf16le(utf16le);
  if (!utf8) {
    text_ += "<not UTF-16: ";
    append_hex(text_, utf16le.first(std::min<std::size_t>(utf16le.size(), 64)));
    text_ += '>';
    return;
  }
  text_ += '"';
  for (const char c : *utf8) {
    const auto code = static_cast<unsigned char>(c);
    if (code < 0x20 || code == 0x7F || c == '"') {
      text_ += "\\x";
      append_hex(text_, Bytes(reinterpret_cast<const std::byte*>(&c), 1));
    } else {
      text_ += c;
    }
  }
  text_ += '"';
}

}  // namespace smb3::wire
