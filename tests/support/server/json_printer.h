// Shows a declaration's values as JSON; see wire/codec_parts.h for its words.
#pragma once

#include "support/server/message_types.h"
#include "support/server/words.h"

#include <string>
#include <string_view>
#include <vector>

namespace smb3::server {

// A JSON string. What is not UTF-8 becomes \udc80 to \udcff, as Python has it.
void append_json_text(std::string& out, std::string_view utf8);
// The same of UTF-16LE; a lone surrogate stays what it is, as an escape.
void append_json_utf16(std::string& out, Bytes utf16le);

class JsonPrinter {
 public:
  explicit JsonPrinter(bool response) : response_(response) {}

  // Shows the part of this name so, instead of its bytes. The name outlives the printer.
  void replace(std::string_view name, std::string json) {
    replaced_ = name;
    replacement_ = std::move(json);
  }

  template <wire::Scalar T>
  JsonPrinter& operator()(const char* name, const T& value) {
    label(name);
    show(value);
    return *this;
  }
  template <wire::Scalar T, class W>
  JsonPrinter& operator()(const char* name, const T& value, wire::Width<W>) {
    return (*this)(name, value);
  }
  template <wire::ByteArray T>
  JsonPrinter& operator()(const char* name, const T& value) {
    label(name);
    show_hex(value);
    return *this;
  }
  template <wire::Described T>
  JsonPrinter& operator()(const char* name, const T& value) {
    label(name);
    show(value);
    return *this;
  }
  template <class W>
  JsonPrinter& reserved(wire::Width<W>, std::uint64_t = 0) {
    return *this;
  }
  template <class W>
  JsonPrinter& constant(const char*, wire::Width<W>, std::uint64_t) {
    return *this;
  }
  JsonPrinter& next_entry() { return *this; }
  template <class W, class T>
  JsonPrinter& offset(wire::Width<W>, const T&) {
    return *this;
  }
  template <class W, class T>
  JsonPrinter& length(wire::Width<W>, const T&, std::size_t = 0) {
    return *this;
  }
  template <class W, class T>
  JsonPrinter& count(wire::Width<W>, const T&) {
    return *this;
  }
  JsonPrinter& part(const char* name, const Bytes& bytes, wire::Part how = {}) {
    label(name);
    if (!replaced_.empty() && replaced_ == name) {
      text_ += replacement_;
    } else {
      how.text ? append_json_utf16(text_, bytes) : show_bytes(bytes);
    }
    return *this;
  }
  JsonPrinter& payload(const char* name, const Bytes& bytes) {
    label(name);
    text_.append("{\"bytes\": ").append(std::to_string(bytes.size())).append("}");
    return *this;
  }
  JsonPrinter& follows(const char* name, const Bytes& bytes, wire::Part how = {}) {
    return part(name, bytes, how);
  }
  JsonPrinter& rest(const char* name, const Bytes& bytes, wire::Part how = {}) {
    return part(name, bytes, how);
  }
  template <class T>
  JsonPrinter& array(const char* name, const std::vector<T>& list) {
    label(name);
    show_list(list);
    return *this;
  }
  template <class T>
  JsonPrinter& aligned_list(const char* name, const std::vector<T>& list, wire::Part = {}) {
    return array(name, list);
  }
  template <class T>
  JsonPrinter& chain(const char* name, const std::vector<T>& list, wire::Part = {}) {
    return array(name, list);
  }
  JsonPrinter& minimum_size(std::size_t) { return *this; }

  // A whole object, with nothing in front.
  template <wire::Described T>
  void show(const T& value) {
    text_ += '{';
    T::describe(*this, value);
    text_ += '}';
  }
  void show(const wire::Guid& guid) { show_hex(guid.bytes); }
  void show(const wire::NegotiateContext& context);
  void show(const wire::CreateContext& context);
  template <class T>
  void show_list(const std::vector<T>& list) {
    text_ += '[';
    for (const T& element : list) {
      if (text_.back() != '[') text_ += ", ";
      show(element);
    }
    text_ += ']';
  }
  // The number of them, and up to 64 of them in hex.
  void show_bytes(Bytes bytes);

  std::string take() { return std::move(text_); }

 private:
  void label(std::string_view name) {
    if (!text_.empty() && text_.back() != '{') text_ += ", ";
    text_.append("\"").append(name).append("\": ");
  }
  template <wire::Scalar T>
  void show(const T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      text_ += value ? "true" : "false";
    } else if constexpr (wire::Flags<T>) {
      show_flags(value);
    } else {
      std::string_view word;
      if constexpr (Worded<T>) {
        word = word_of(value);
      } else if constexpr (requires { name_of(value); }) {
        word = name_of(value);
      }
      if (word.empty() || word == "unknown") {
        text_ += std::to_string(wire::to_raw(value));
      } else {
        append_json_text(text_, word);
      }
    }
  }
  // Their words; what has none as one number in hex.
  template <wire::Flags T>
  void show_flags(T value) {
    text_ += '[';
    std::uint64_t left = wire::to_raw(value);
    if constexpr (Worded<T>) {
      for (const Word<T>& word : words_of<T>) {
        const std::uint64_t bits = wire::to_raw(word.value);
        if ((left & bits) != bits) continue;
        left &= ~bits;
        if (text_.back() != '[') text_ += ", ";
        append_json_text(text_, word.word);
      }
    }
    if (left != 0) show_other_flags(left);
    text_ += ']';
  }
  void show_other_flags(std::uint64_t bits);
  void show_hex(Bytes bytes);
  template <wire::Structure T>
  bool show_if_decoded(Bytes bytes) {
    const auto decoded = wire::decode<T>(bytes);
    if (decoded) show(*decoded);
    return decoded.has_value();
  }

  bool response_;
  std::string text_;
  std::string_view replaced_;
  std::string replacement_;
};

}  // namespace smb3::server
