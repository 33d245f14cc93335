// Writes one flat JSON object, for the events of the log.
#pragma once

#include <concepts>
#include <cstdio>
#include <string>
#include <string_view>

namespace smb3::server {

class JsonText {
 public:
  JsonText& add(std::string_view name, std::string_view value) {
    begin(name);
    quote(value);
    return *this;
  }
  JsonText& add(std::string_view name, const char* value) {
    return add(name, std::string_view(value));
  }
  JsonText& add(std::string_view name, bool value) {
    begin(name);
    text_ += value ? "true" : "false";
    return *this;
  }
  template <std::unsigned_integral T>
    requires(!std::same_as<T, bool>)
  JsonText& add(std::string_view name, T value) {
    begin(name);
    text_ += std::to_string(value);
    return *this;
  }
  std::string object() const { return text_ + "}"; }

 private:
  void begin(std::string_view name) {
    if (text_.size() > 1) text_ += ", ";
    quote(name);
    text_ += ": ";
  }
  void quote(std::string_view value) {
    text_ += '"';
    for (const char c : value) {
      const auto byte = static_cast<unsigned char>(c);
      if (c == '"' || c == '\\') {
        text_ += '\\';
        text_ += c;
      } else if (byte < 0x20) {
        char escaped[7];
        std::snprintf(escaped, sizeof escaped, "\\u%04x", byte);
        text_ += escaped;
      } else {
        text_ += c;
      }
    }
    text_ += '"';
  }

  std::string text_ = "{";
};

}  // namespace smb3::server
