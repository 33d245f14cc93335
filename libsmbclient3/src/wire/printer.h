// Shows a declaration's values as one line, for traces and tests.
#pragma once

#include "wire/codec_parts.h"

#include <string>
#include <string_view>
#include <vector>

namespace smb3::wire {

// Bytes are shown by their number alone: a trace must not give away tokens and file contents.
struct PrintOptions {
  std::size_t hex_bytes_max = 0;  // show up to that many bytes
};

class Printer {
 public:
  explicit Printer(PrintOptions options) : options_(options) {}

  template <Scalar T>
  Printer& operator()(const char* name, const T& value) {
    label(name);
    show(value);
    return *this;
  }
  template <ByteArray T>
  Printer& operator()(const char* name, const T& value) {
    label(name);
    show_array(value);
    return *this;
  }
  template <Described T>
  Printer& operator()(const char* name, const T& value) {
    label(name);
    show(value);
    return *this;
  }
  template <Scalar T, class W>
  Printer& operator()(const char* name, const T& value, Width<W>) {
    return (*this)(name, value);
  }
  template <class W>
  Printer& reserved(Width<W>, std::uint64_t = 0) {
    return *this;
  }
  template <class W>
  Printer& constant(const char*, Width<W>, std::uint64_t) {
    return *this;
  }
  Printer& next_entry() { return *this; }
  template <class W, class T>
  Printer& offset(Width<W>, const T&) {
    return *this;
  }
  template <class W, class T>
  Printer& length(Width<W>, const T&, std::size_t = 0) {
    return *this;
  }
  template <class W, class T>
  Printer& count(Width<W>, const T&) {
    return *this;
  }
  Printer& part(const char* name, const Bytes& bytes, Part how = {}) {
    label(name);
    how.text ? show_text(bytes) : show_bytes(bytes);
    return *this;
  }
  Printer& payload(const char* name, const Bytes& bytes) { return part(name, bytes); }
  Printer& follows(const char* name, const Bytes& bytes, Part how = {}) {
    return part(name, bytes, how);
  }
  Printer& rest(const char* name, const Bytes& bytes, Part how = {}) {
    return part(name, bytes, how);
  }
  template <class T>
  Printer& array(const char* name, const std::vector<T>& list) {
    label(name);
    text_ += '[';
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (i) text_ += ' ';
      show(list[i]);
    }
    text_ += ']';
    return *this;
  }
  template <class T>
  Printer& aligned_list(const char* name, const std::vector<T>& list, Part = {}) {
    return array(name, list);
  }
  template <class T>
  Printer& chain(const char* name, const std::vector<T>& list, Part = {}) {
    return array(name, list);
  }
  Printer& minimum_size(std::size_t) { return *this; }

  std::string take() { return std::move(text_); }

 private:
  void label(const char* name) {
    if (!text_.empty() && text_.back() != '{') text_ += ' ';
    text_ += name;
    text_ += '=';
  }
  template <Scalar T>
  void show(const T& value) {
    if constexpr (requires { name_of(value); }) {
      if (const std::string_view name = name_of(value); !name.empty()) {
        text_ += name;
        return;
      }
    }
    if constexpr (std::is_enum_v<T>) {
      show_hex(to_raw(value));
    } else {
      text_ += std::to_string(to_raw(value));
    }
  }
  template <Described T>
  void show(const T& value) {
    text_ += '{';
    T::describe(*this, value);
    text_ += '}';
  }
  void show_hex(std::uint64_t value);
  void show_array(Bytes bytes);  // hex, always whole
  void show_bytes(Bytes bytes);
  void show_text(Bytes utf16le);

  PrintOptions options_;
  std::string text_;
};

// "READ request: flags=0x1 length=4096 …"
template <Described T>
std::string print(const T& value, PrintOptions options = {}) {
  Printer printer(options);
  T::describe(printer, value);
  return std::string(T::wire_name) + ": " + printer.take();
}

}  // namespace smb3::wire
