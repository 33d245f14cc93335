// The name under which a file is written until it is whole.
#pragma once

#include "reactor/reactor.h"

#include <string>
#include <string_view>

namespace smb3 {

// ".smbcp-" + 16 hexadecimal digits + ".part": short enough beside any name.
std::string temporary_name(Reactor& reactor);

// The same folder, another last component.
std::string beside(std::string_view path, std::string_view name);

}  // namespace smb3
