// Wildcards of directory queries: [MS-FSA] 2.1.4.4.
#pragma once

#include <string_view>

namespace smb3::server {

// "*" and "?", and DOS's: "<" is "*" up to the last dot, ">" is "?" or nothing at a dot or the end,
// a quotation mark is a dot or nothing at the end.
bool has_wildcards(std::u16string_view pattern) noexcept;
// A name with wildcards in it, or "." or "..".
bool is_valid_pattern(std::u16string_view pattern) noexcept;
bool matches(std::u16string_view name, std::u16string_view pattern);

}  // namespace smb3::server
