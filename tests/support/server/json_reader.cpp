#include "support/server/json_reader.h"

#include <algorithm>
#include <charconv>

namespace smb3::server {

namespace {

std::optional<std::uint64_t> number_of(const Json& value) {
  if (value.is_number_unsigned()) return value.get<std::uint64_t>();
  if (!value.is_string()) return std::nullopt;
  std::string_view text = value.get_ref<const std::string&>();
  const int base = text.starts_with("0x") ? 16 : 10;
  if (base == 16) text.remove_prefix(2);
  std::uint64_t number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (failure != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

Result<Json> parse_json(std::string_view text) {
  try {
    return Json::parse(text, nullptr, true, true);
  } catch (const Json::exception& exception) {
    return std::unexpected(Error(ErrorKind::local, exception.what()).during("reading JSON"));
  }
}

ObjectReader::ObjectReader(const Json& object, std::string where)
    : object_(object), where_(std::move(where)) {
  if (!object.is_object()) {
    fail(Error(ErrorKind::local, (where_.empty() ? "the settings" : where_) +
                                     ": expected an object, as {\"key\": value}"));
  }
}

std::string ObjectReader::path_of(std::string_view key) const {
  return where_.empty() ? std::string(key) : where_ + '.' + std::string(key);
}

bool ObjectReader::has(const char* key) const {
  return object_.is_object() && object_.contains(key);
}

void ObjectReader::refuse(std::string_view key, const std::string& expected) {
  fail(Error(ErrorKind::local, path_of(key) + ": expected " + expected));
}

void ObjectReader::fail(Error error) {
  if (!error_) error_ = std::move(error).during("reading JSON");
}

const Json* ObjectReader::find(const char* key) {
  if (std::ranges::find(asked_, key) == asked_.end()) asked_.emplace_back(key);
  if (failed() || !object_.is_object()) return nullptr;
  const auto found = object_.find(key);
  return found == object_.end() ? nullptr : &*found;
}

ObjectReader& ObjectReader::read(const char* key, std::string& out) {
  const Json* value = find(key);
  if (value == nullptr) return *this;
  if (!value->is_string()) return refuse(key, "text"), *this;
  out = value->get_ref<const std::string&>();
  return *this;
}

ObjectReader& ObjectReader::read(const char* key, bool& out) {
  const Json* value = find(key);
  if (value == nullptr) return *this;
  if (!value->is_boolean()) return refuse(key, "true or false"), *this;
  out = value->get<bool>();
  return *this;
}

ObjectReader& ObjectReader::read_number(const char* key, std::uint64_t& out, std::uint64_t least,
                                        std::uint64_t most) {
  const Json* value = find(key);
  if (value == nullptr) return *this;
  const auto number = number_of(*value);
  if (!number || *number < least || *number > most) {
    return refuse(key, "a number from " + std::to_string(least) + " to " + std::to_string(most) +
                           ", or such a number in text: \"0x10\""),
           *this;
  }
  out = *number;
  return *this;
}

Result<void> ObjectReader::finish() {
  if (error_) return std::unexpected(std::move(*error_));
  for (const auto& [key, value] : object_.items()) {
    if (std::ranges::find(asked_, key) != asked_.end()) continue;
    std::string allowed;
    for (const std::string& name : asked_) allowed += (allowed.empty() ? "" : ", ") + name;
    return std::unexpected(
        Error(ErrorKind::local, path_of(key) + ": no such key; allowed are " + allowed)
            .during("reading JSON"));
  }
  return {};
}

}  // namespace smb3::server
