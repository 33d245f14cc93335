// Fills a message from the fields of a vector: one more reader of describe(), for tests.
#pragma once

#include "base/utf16.h"
#include "unit/wire/vector_file.h"
#include "wire/codec.h"

#include <gtest/gtest.h>

#include <deque>
#include <set>

namespace smb3::wire::testing {

// Owns the bytes that the filled message views.
class FieldSource {
 public:
  explicit FieldSource(const Vector& vector) : vector_(vector) {}

  const std::string& text_of(const std::string& key) {
    static const std::string nothing;
    used_.insert(key);
    const auto found = vector_.fields.find(key);
    EXPECT_NE(found, vector_.fields.end()) << vector_.where << ": no field " << key;
    return found == vector_.fields.end() ? nothing : found->second;
  }
  bool has_any(const std::string& prefix) const {
    const auto found = vector_.fields.lower_bound(prefix);
    return found != vector_.fields.end() && found->first.starts_with(prefix);
  }
  // "text" becomes UTF-16LE, 'text' its own bytes, (empty) nothing, and anything else is hex.
  Bytes bytes_of(const std::string& text) {
    std::vector<std::byte> bytes;
    if (text.size() >= 2 && text.front() == '"' && text.back() == '"') {
      auto utf16 = to_utf16le(std::string_view(text).substr(1, text.size() - 2));
      EXPECT_TRUE(utf16) << text;
      if (utf16) bytes = *utf16;
    } else if (text.size() >= 2 && text.front() == '\'' && text.back() == '\'') {
      for (const char c : text.substr(1, text.size() - 2)) {
        bytes.push_back(static_cast<std::byte>(c));
      }
    } else if (text != "(empty)") {
      bytes = from_hex(text);
    }
    return storage_.emplace_back(std::move(bytes));
  }
  // A vector that names a field which the message does not have is wrong.
  void expect_all_used() const {
    for (const auto& [key, value] : vector_.fields) {
      EXPECT_TRUE(used_.contains(key)) << vector_.where << ": unknown field " << key;
    }
  }

 private:
  const Vector& vector_;
  std::set<std::string> used_;
  std::deque<std::vector<std::byte>> storage_;
};

class FromFields {
 public:
  FromFields(FieldSource& source, std::string prefix)
      : source_(source), prefix_(std::move(prefix)) {}

  template <Scalar T>
  FromFields& operator()(const char* name, T& value) {
    value = number<T>(source_.text_of(prefix_ + name));
    return *this;
  }
  template <ByteArray T>
  FromFields& operator()(const char* name, T& value) {
    const std::vector<std::byte> bytes = from_hex(source_.text_of(prefix_ + name));
    EXPECT_EQ(bytes.size(), value.size()) << prefix_ << name;
    if (bytes.size() == value.size()) std::ranges::copy(bytes, value.begin());
    return *this;
  }
  template <Described T>
  FromFields& operator()(const char* name, T& value) {
    FromFields inner(source_, prefix_ + name + '.');
    T::describe(inner, value);
    return *this;
  }
  template <Scalar T, class W>
  FromFields& operator()(const char* name, T& value, Width<W>) {
    return (*this)(name, value);
  }
  template <class W>
  FromFields& reserved(Width<W>, std::uint64_t = 0) {
    return *this;
  }
  template <class W>
  FromFields& constant(const char*, Width<W>, std::uint64_t) {
    return *this;
  }
  FromFields& next_entry() { return *this; }
  template <class W, class T>
  FromFields& offset(Width<W>, const T&) {
    return *this;
  }
  template <class W, class T>
  FromFields& length(Width<W>, const T&, std::size_t = 0) {
    return *this;
  }
  template <class W, class T>
  FromFields& count(Width<W>, const T&) {
    return *this;
  }
  FromFields& part(const char* name, Bytes& bytes, Part = {}) {
    bytes = source_.bytes_of(source_.text_of(prefix_ + name));
    return *this;
  }
  FromFields& payload(const char* name, Bytes& bytes) { return part(name, bytes); }
  FromFields& follows(const char* name, Bytes& bytes, Part = {}) { return part(name, bytes); }
  FromFields& rest(const char* name, Bytes& bytes, Part = {}) { return part(name, bytes); }
  template <Scalar T>
  FromFields& array(const char* name, std::vector<T>& list) {
    std::string text = source_.text_of(prefix_ + name);
    for (std::size_t space = 0; !text.empty(); text = text.substr(std::min(space, text.size()))) {
      while (!text.empty() && text.front() == ' ') text.erase(0, 1);
      space = text.find(' ');
      if (!text.empty()) list.push_back(number<T>(text.substr(0, space)));
    }
    return *this;
  }
  template <Described T>
  FromFields& array(const char* name, std::vector<T>& list) {
    for (int i = 0;; ++i) {
      const std::string prefix = prefix_ + name + '[' + std::to_string(i) + "].";
      if (!source_.has_any(prefix)) return *this;
      FromFields inner(source_, prefix);
      T::describe(inner, list.emplace_back());
    }
  }
  template <class T>
  FromFields& aligned_list(const char* name, std::vector<T>& list, Part = {}) {
    return array(name, list);
  }
  template <class T>
  FromFields& chain(const char* name, std::vector<T>& list, Part = {}) {
    return array(name, list);
  }
  FromFields& minimum_size(std::size_t) { return *this; }

 private:
  template <Scalar T>
  static T number(const std::string& text) {
    std::size_t used = 0;
    std::uint64_t value = 0;
    try {
      value = std::stoull(text, &used, 0);
    } catch (const std::exception&) {
      used = 0;
    }
    EXPECT_TRUE(used > 0 && used == text.size()) << "not a number: " << text;
    return static_cast<T>(value);
  }

  FieldSource& source_;
  std::string prefix_;
};

}  // namespace smb3::wire::testing
