// The faults of a script as JSON: their words, and what each of them needs.
#pragma once

#include "support/server/json_reader.h"
#include "support/server/settings_json.h"

#include <span>

namespace smb3::server {

struct FaultWord {
  FaultKind kind;
  std::string_view word;
  std::string_view required;  // keys, with spaces between
  std::string_view optional;
  std::string_view help;
};

// One for each FaultKind, in their order.
std::span<const FaultWord> fault_words();

Result<AnyFault> read_fault(const Json& json, const std::string& where);

}  // namespace smb3::server
