// The bytes of tests/vectors, without their values.
#pragma once

#include "fuzz/fuzz.h"

#include <string>

namespace smb3::fuzz {

// Of every block of a message's file; none if it has no file.
std::vector<Octets> vectors_of(std::string_view type);

}  // namespace smb3::fuzz
