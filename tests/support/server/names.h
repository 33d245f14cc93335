// Names and paths as a file store sees them: UTF-16, compared without regard to case.
#pragma once

#include "base/bytes.h"
#include "support/server/status.h"

#include <string>
#include <string_view>

namespace smb3::server {

// The simple upper case of a character; itself where that would not lead back.
char16_t upper_case(char16_t c) noexcept;
std::u16string upper_case(std::u16string_view name);
bool same_name(std::u16string_view a, std::u16string_view b) noexcept;

// Whether it may name one file or folder: [MS-FSCC] 2.1.5.2. "." and ".." may not.
bool is_valid_name(std::u16string_view name) noexcept;
// All its components are valid names, or it is empty. object_name_invalid, name_too_long.
StatusOr<> check_path(std::u16string_view path);

struct SplitPath {
  std::u16string_view folder;  // empty: the share itself
  std::u16string_view name;
};
// At the last backslash.
SplitPath split(std::u16string_view path) noexcept;
// Takes the first component off the front of `path`, and the backslash behind it.
std::u16string_view take_component(std::u16string_view& path) noexcept;
// The path of `name` in `folder`.
std::u16string join(std::u16string_view folder, std::u16string_view name);
// Is `path` below `folder`, however deep?
bool lies_below(std::u16string_view path, std::u16string_view folder) noexcept;

// UTF-16LE as it lies on the wire. An odd last byte is left out.
std::u16string from_wire(Bytes utf16le);
// The view is of `text`.
Bytes to_wire(std::u16string_view text) noexcept;

// Not text: object_name_invalid.
StatusOr<std::string> to_utf8(std::u16string_view text);
StatusOr<std::u16string> from_utf8(std::string_view text);

}  // namespace smb3::server
