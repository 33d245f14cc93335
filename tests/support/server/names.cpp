#include "support/server/names.h"

#include "base/utf16.h"

#include <algorithm>
#include <cwctype>
#include <locale.h>

namespace smb3::server {

namespace {

constexpr std::size_t name_units_max = 255;
constexpr std::size_t path_units_max = 32760;

// Built into the C library: the same on every machine, whatever the environment says.
locale_t unicode_locale() {
  static const locale_t locale = ::newlocale(LC_CTYPE_MASK, "C.UTF-8", locale_t{});
  return locale;
}

char16_t upper_case_of(char16_t c) {
  if (c < 0x80) return c >= u'a' && c <= u'z' ? static_cast<char16_t>(c - 0x20) : c;
  const locale_t locale = unicode_locale();
  if (!locale || (c >= 0xD800 && c <= 0xDFFF)) return c;
  const std::wint_t upper = ::towupper_l(c, locale);
  // A dotless i is not the lower case of I, though I is its upper case.
  if (upper > 0xFFFF || ::towlower_l(upper, locale) != c) return c;
  return static_cast<char16_t>(upper);
}

}  // namespace

char16_t upper_case(char16_t c) noexcept { return upper_case_of(c); }

std::u16string upper_case(std::u16string_view name) {
  std::u16string upper(name);
  for (char16_t& c : upper) c = upper_case(c);
  return upper;
}

bool same_name(std::u16string_view a, std::u16string_view b) noexcept {
  return std::ranges::equal(
      a, b, [](char16_t x, char16_t y) { return x == y || upper_case(x) == upper_case(y); });
}

bool is_valid_name(std::u16string_view name) noexcept {
  if (name.empty() || name.size() > name_units_max || name == u"." || name == u"..") return false;
  constexpr std::u16string_view forbidden = u"\"\\/:|<>*?";
  return std::ranges::none_of(
      name, [&](char16_t c) { return c < 0x20 || forbidden.find(c) != forbidden.npos; });
}

StatusOr<> check_path(std::u16string_view path) {
  if (path.size() > path_units_max) return refuse(NtStatus::name_too_long);
  if (path.empty()) return {};
  if (path.back() == u'\\') return refuse(NtStatus::object_name_invalid);
  while (!path.empty()) {
    if (!is_valid_name(take_component(path))) return refuse(NtStatus::object_name_invalid);
  }
  return {};
}

SplitPath split(std::u16string_view path) noexcept {
  const std::size_t at = path.rfind(u'\\');
  if (at == path.npos) return {{}, path};
  return {path.substr(0, at), path.substr(at + 1)};
}

std::u16string_view take_component(std::u16string_view& path) noexcept {
  const std::size_t length = std::min(path.find(u'\\'), path.size());
  const std::u16string_view component = path.substr(0, length);
  path.remove_prefix(std::min(length + 1, path.size()));
  return component;
}

std::u16string join(std::u16string_view folder, std::u16string_view name) {
  std::u16string path(folder);
  if (!path.empty()) path += u'\\';
  path += name;
  return path;
}

bool lies_below(std::u16string_view path, std::u16string_view folder) noexcept {
  if (folder.empty()) return !path.empty();
  return path.size() > folder.size() + 1 && path[folder.size()] == u'\\' &&
         same_name(path.substr(0, folder.size()), folder);
}

std::u16string from_wire(Bytes utf16le) {
  std::u16string text(utf16le.size() / 2, u'\0');
  if (!text.empty()) std::memcpy(text.data(), utf16le.data(), text.size() * 2);
  return text;
}

Bytes to_wire(std::u16string_view text) noexcept {
  return std::as_bytes(std::span(text.data(), text.size()));
}

StatusOr<std::string> to_utf8(std::u16string_view text) {
  auto utf8 = from_utf16le(to_wire(text));
  if (!utf8) return refuse(NtStatus::object_name_invalid);
  return std::move(*utf8);
}

StatusOr<std::u16string> from_utf8(std::string_view text) {
  const auto utf16 = to_utf16le(text);
  if (!utf16) return refuse(NtStatus::object_name_invalid);
  return from_wire(*utf16);
}

}  // namespace smb3::server
