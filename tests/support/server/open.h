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

struct DirectoryScan;
class ChangeWatch;

// Times that an open has set and that its own writes leave alone ([MS-FSCC] 2.4.7); 0: none.
struct KeptTimes {
  wire::FileTime last_access_time{}, last_write_time{}, change_time{};
};

struct Open {
  wire::FileId id;
  std::shared_ptr<Node> node;
  std::u16string path;
  wire::AccessMask access{};
  wire::ShareAccess share_access{};
  wire::CreateOptions options{};
  bool delete_on_close = false;
  bool is_directory = false;
  // Of query_directory.cpp, change_notify.cpp and set_info.cpp.
  std::shared_ptr<DirectoryScan> scan{};  // where QUERY_DIRECTORY stands; none before the first
  std::shared_ptr<ChangeWatch> watch{};   // ends with the open
  KeptTimes kept_times{};
};

class OpenTable {
 public:
  OpenTable();
  ~OpenTable();
};

// The open that a request names, also by the FileId of a related element.
StatusOr<std::shared_ptr<Open>> open_of(Request& request, const wire::FileId& id);

}  // namespace smb3::server
