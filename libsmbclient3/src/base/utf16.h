// UTF-8 as Linux has it, UTF-16LE as SMB has it. Strict both ways.
#pragma once

#include <smbclient3/error.h>

#include "base/bytes.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace smb3 {

// Bytes that are not UTF-8 are an error of kind local: they came from this machine.
Result<std::vector<std::byte>> to_utf16le(std::string_view utf8);

// An odd number of bytes or a lone surrogate is an error of kind protocol: a peer sent them.
Result<std::string> from_utf16le(Bytes utf16le);

}  // namespace smb3
