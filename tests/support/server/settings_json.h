// Settings and faults from JSON text. Unknown keys and wrong values are errors that say what is
// allowed.
#pragma once

#include "support/server/settings.h"

#include <smbclient3/error.h>

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace smb3::server {

struct TestServerSettings {
  std::vector<ServerSettings> nodes;  // at least one
  std::string log;                    // path of the message log; "-": standard output; empty: none
  bool log_answers = false;
};

Result<TestServerSettings> settings_from_json(std::string_view text);

using AnyFault = std::variant<FaultRule, ConnectionFault>;
// One object of the list "faults".
Result<AnyFault> fault_from_json(std::string_view text);

// The whole grammar on a page, with examples.
std::string_view json_help();

}  // namespace smb3::server
