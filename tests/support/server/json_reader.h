// Reads the members of JSON objects into C++ values; the first thing that is wrong sticks.
#pragma once

#include "support/server/words.h"

#include <smbclient3/error.h>

#include <nlohmann/json.hpp>

#include <concepts>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace smb3::server {

using Json = nlohmann::json;

// Exceptions of the parser end here. Comments are allowed.
Result<Json> parse_json(std::string_view text);

// `where` names the object in errors: "nodes[0].shares[1]", empty for the outermost.
class ObjectReader {
 public:
  ObjectReader(const Json& object, std::string where);

  bool has(const char* key) const;
  bool failed() const noexcept { return error_.has_value(); }
  std::string path_of(std::string_view key) const;
  // `expected` says what is allowed.
  void refuse(std::string_view key, const std::string& expected);
  void fail(Error error);

  // Each leaves `out` as it is where the key is missing.
  ObjectReader& read(const char* key, std::string& out);
  ObjectReader& read(const char* key, bool& out);
  // A number, or text such as "0x10".
  ObjectReader& read_number(const char* key, std::uint64_t& out, std::uint64_t least,
                            std::uint64_t most);
  template <std::unsigned_integral T>
    requires(!std::same_as<T, bool>)
  ObjectReader& read(const char* key, T& out, std::uint64_t least = 0,
                     std::uint64_t most = std::numeric_limits<T>::max()) {
    std::uint64_t number = out;
    read_number(key, number, least, most);
    out = static_cast<T>(number);
    return *this;
  }
  // null: nothing.
  template <std::unsigned_integral T>
  ObjectReader& read(const char* key, std::optional<T>& out) {
    const Json* value = find(key);
    if (value == nullptr) return *this;
    out.reset();
    if (value->is_null()) return *this;
    T number{};
    read(key, number);
    out = number;
    return *this;
  }
  template <class E>
  ObjectReader& read_word(const char* key, E& out, std::span<const Word<E>> words) {
    const Json* value = find(key);
    if (value != nullptr && !take_word(*value, out, words)) refuse(key, one_of(words));
    return *this;
  }
  template <Worded E>
  ObjectReader& read_word(const char* key, E& out) {
    return read_word(key, out, std::span<const Word<E>>(words_of<E>));
  }
  template <class E>
  ObjectReader& read_words(const char* key, std::vector<E>& out, std::span<const Word<E>> words) {
    const Json* value = find(key);
    if (value == nullptr) return *this;
    out.clear();
    if (!value->is_array()) return refuse(key, "a list of " + one_of(words)), *this;
    for (const Json& element : *value) {
      E word{};
      if (!take_word(element, word, words)) return refuse(key, "a list of " + one_of(words)), *this;
      out.push_back(word);
    }
    return *this;
  }
  // A list of words, which become the bits of one value.
  template <Worded E>
  ObjectReader& read_flags(const char* key, E& out) {
    std::vector<E> words;
    read_words(key, words, std::span<const Word<E>>(words_of<E>));
    if (!has(key)) return *this;
    out = E{};
    for (const E word : words) out |= word;
    return *this;
  }
  // `read_element(json, where)` for each element of a list.
  template <class Read>
  ObjectReader& read_list(const char* key, const char* expected, Read read_element) {
    const Json* value = find(key);
    if (value == nullptr) return *this;
    if (!value->is_array()) return refuse(key, expected), *this;
    for (std::size_t i = 0; i < value->size() && !failed(); ++i) {
      Result<void> read = read_element((*value)[i], path_of(key) + '[' + std::to_string(i) + ']');
      if (!read) fail(std::move(read.error()));
    }
    return *this;
  }
  // A key that another reader takes.
  const Json* find(const char* key);

  // What went wrong, or the first key that nobody asked for.
  Result<void> finish();

 private:
  template <class E>
  static bool take_word(const Json& value, E& out, std::span<const Word<E>> words) {
    if (!value.is_string()) return false;
    for (const Word<E>& word : words) {
      if (value.get_ref<const std::string&>() != word.word) continue;
      out = word.value;
      return true;
    }
    return false;
  }
  template <class E>
  static std::string one_of(std::span<const Word<E>> words) {
    std::string text;
    for (const Word<E>& word : words) {
      if (!text.empty()) text += ", ";
      text.append("\"").append(word.word).append("\"");
    }
    return text;
  }

  const Json& object_;
  std::string where_;
  std::vector<std::string> asked_;
  std::optional<Error> error_;
};

}  // namespace smb3::server
