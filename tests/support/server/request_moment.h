// What rules and the log want to know of a request before it is carried out.
#pragma once

#include "support/server/request.h"

namespace smb3::server {

FaultMoment moment_of(const Request& request);
// UTF-8 with "/" between the names; what is no UTF-16 becomes U+FFFD.
std::string text_of_path(std::u16string_view path);

}  // namespace smb3::server
