// What a connection must know of an open to answer an oplock break: [MS-SMB2] 3.2.5.19.
#pragma once

#include "connection/request.h"
#include "wire/types.h"

#include <cstdint>

namespace smb3 {

struct OpenRecord {
  wire::FileId file_id{};
  std::uint64_t session_id = 0;
  std::uint32_t tree_id = 0;
  ProtectionLevel level = ProtectionLevel::plain;
  std::uint8_t oplock_level = 0;  // what we hold
};

}  // namespace smb3
