#include "support/server/json_printer.h"

#include "base/utf16.h"

#include <algorithm>
#include <cstdio>

namespace smb3::server {

namespace {

constexpr std::size_t hex_bytes_max = 64;

void append_escape(std::string& out, unsigned unit) {
  char text[8];
  std::snprintf(text, sizeof text, "\\u%04x", unit & 0xFFFF);
  out += text;
}

void append_ascii(std::string& out, unsigned char c) {
  if (c == '"' || c == '\\') out += '\\';
  if (c < 0x20 || c == 0x7F) {
    append_escape(out, c);
  } else {
    out += static_cast<char>(c);
  }
}

void append_utf8(std::string& out, std::uint32_t code) {
  const auto add = [&](std::uint32_t byte) { out += static_cast<char>(byte); };
  if (code < 0x80) return append_ascii(out, static_cast<unsigned char>(code));
  if (code < 0x800) {
    add(0xC0 | code >> 6);
  } else if (code < 0x10000) {
    add(0xE0 | code >> 12);
    add(0x80 | (code >> 6 & 0x3F));
  } else {
    add(0xF0 | code >> 18);
    add(0x80 | (code >> 12 & 0x3F));
    add(0x80 | (code >> 6 & 0x3F));
  }
  add(0x80 | (code & 0x3F));
}

constexpr bool is_high(unsigned unit) { return unit >= 0xD800 && unit < 0xDC00; }
constexpr bool is_low(unsigned unit) { return unit >= 0xDC00 && unit < 0xE000; }

}  // namespace

void append_json_text(std::string& out, std::string_view utf8) {
  const bool right = to_utf16le(utf8).has_value();
  out += '"';
  for (const char c : utf8) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      append_ascii(out, byte);
    } else if (right) {
      out += c;
    } else {
      append_escape(out, 0xDC00U | byte);
    }
  }
  out += '"';
}

void append_json_utf16(std::string& out, Bytes utf16le) {
  const auto unit_at = [&](std::size_t i) -> unsigned {
    return i + 1 < utf16le.size() ? load_le<std::uint16_t>(utf16le.data() + i) : 0;
  };
  out += '"';
  for (std::size_t i = 0; i + 1 < utf16le.size(); i += 2) {
    const unsigned unit = unit_at(i);
    const unsigned next = unit_at(i + 2);
    if (is_high(unit) && is_low(next)) {
      append_utf8(out, 0x10000 + ((unit - 0xD800) << 10) + (next - 0xDC00));
      i += 2;
    } else if (is_high(unit) || is_low(unit)) {
      append_escape(out, unit);
    } else {
      append_utf8(out, unit);
    }
  }
  // Half a character is none, but it was there.
  if (utf16le.size() % 2 != 0) append_escape(out, 0xFFFD);
  out += '"';
}

void JsonPrinter::show_hex(Bytes bytes) {
  static constexpr char digits[] = "0123456789abcdef";
  text_ += '"';
  for (const std::byte byte : bytes) {
    text_ += digits[std::to_integer<unsigned>(byte) >> 4];
    text_ += digits[std::to_integer<unsigned>(byte) & 15];
  }
  text_ += '"';
}

void JsonPrinter::show_bytes(Bytes bytes) {
  text_.append("{\"bytes\": ").append(std::to_string(bytes.size()));
  if (!bytes.empty() && bytes.size() <= hex_bytes_max) {
    text_ += ", \"hex\": ";
    show_hex(bytes);
  }
  text_ += '}';
}

void JsonPrinter::show_other_flags(std::uint64_t bits) {
  char text[24];
  std::snprintf(text, sizeof text, "\"0x%llx\"", static_cast<unsigned long long>(bits));
  if (text_.back() != '[') text_ += ", ";
  text_ += text;
}

void JsonPrinter::show(const wire::NegotiateContext& context) {
  text_ += '{';
  (*this)("context_type", context.context_type);
  label("data");
  bool shown = false;
  visit_negotiate_context(context.context_type, [&](auto type) {
    shown = show_if_decoded<typename decltype(type)::type>(context.data);
  });
  if (!shown) show_bytes(context.data);
  text_ += '}';
}

void JsonPrinter::show(const wire::CreateContext& context) {
  const std::string_view name(reinterpret_cast<const char*>(context.name.data()),
                              context.name.size());
  text_ += '{';
  label("name");
  if (name == wire::create_context::app_instance_id) {
    append_json_text(text_, wire::AppInstanceId::wire_name);
  } else if (name == wire::create_context::app_instance_version) {
    append_json_text(text_, wire::AppInstanceVersion::wire_name);
  } else if (std::ranges::all_of(name, [](char c) { return c >= 0x20 && c < 0x7F; })) {
    append_json_text(text_, name);
  } else {
    show_hex(context.name);
  }
  label("data");
  bool shown = false;
  if (!context.data.empty()) {
    visit_create_context(context, response_, [&](auto type) {
      shown = show_if_decoded<typename decltype(type)::type>(context.data);
    });
  }
  if (!shown) show_bytes(context.data);
  text_ += '}';
}

}  // namespace smb3::server
