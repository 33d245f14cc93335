// Opens: [MS-SMB2] 3.3.1.10. Those of one share, with sharing modes, oplocks, leases, and what
// survives a lost connection.
#pragma once

#include "support/server/file_store.h"
#include "support/server/request.h"
#include "wire/create.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace smb3::server {

struct Open {
  wire::FileId id;
  std::shared_ptr<Node> node;
  std::u16string path;
  wire::AccessMask access{};
  wire::ShareAccess share_access{};
  wire::CreateOptions options{};
  bool delete_on_close = false;
  bool is_directory = false;
};

class OpenTable {
 public:
  OpenTable();
  ~OpenTable();
};

// The open that a request names, also by the FileId of a related element.
StatusOr<std::shared_ptr<Open>> open_of(Request& request, const wire::FileId& id);

}  // namespace smb3::server
