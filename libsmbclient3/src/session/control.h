// FSCTLs: [MS-SMB2] 3.2.4.20.
#pragma once

#include "session/tree_connect.h"
#include "wire/ioctl.h"

#include <vector>

namespace smb3 {

// A share by its number alone: of one that may be gone when it is used.
struct TreeReference {
  std::uint32_t id = 0;
  bool seals = false;
};

struct ControlParameters {
  wire::ControlCode code{};
  wire::FileId file_id = wire::no_file_id;  // of those that need no open
  Bytes input{};
  std::uint32_t max_output_bytes = 0;  // at most 65,536, so that one credit pays for it
  // The answer steers connections or the like: signed even where signing is optional.
  bool must_sign = false;
};

// The output; also the part that there was room for (STATUS_BUFFER_OVERFLOW).
Task<std::vector<std::byte>> control(TreeConnect& tree, ControlParameters parameters);
Task<std::vector<std::byte>> control(Session& session, TreeReference tree,
                                     ControlParameters parameters);

}  // namespace smb3
