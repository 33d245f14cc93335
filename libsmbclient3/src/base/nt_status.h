// The NTSTATUS values that a client meets ([MS-ERREF] 2.3, [MS-SMB2] 3.3), their names and kinds.
#pragma once

#include <smbclient3/error.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace smb3 {

enum class NtStatus : std::uint32_t {
#define SMB3_STATUS(name, value, kind, words) name = value,
#include "base/nt_status.inc"
#undef SMB3_STATUS
};

// "STATUS_ACCESS_DENIED"; empty for a value that the table does not have.
std::string_view name_of(NtStatus status) noexcept;
// The cause in words, such as "access denied"; empty for an unknown value.
std::string_view words_of(NtStatus status) noexcept;
ErrorKind kind_of(NtStatus status) noexcept;
constexpr bool is_error(NtStatus status) noexcept {
  return (static_cast<std::uint32_t>(status) >> 30) == 3;
}

// The Error of a request that the peer refused: kind, words and status.
Error status_error(NtStatus status, std::string_view operation, const char* file = __builtin_FILE(),
                   unsigned line = __builtin_LINE());

}  // namespace smb3
