// Where a QUERY_DIRECTORY of an open stands: [MS-FSA] 2.1.5.6.3.
#pragma once

#include "support/server/file_store.h"

#include <string>
#include <vector>

namespace smb3::server {

// A snapshot: what comes and goes meanwhile does not move the others.
struct DirectoryScan {
  std::u16string pattern;
  std::vector<StoreEntry> entries;  // those that match
  std::size_t next = 0;
  bool is_first = true;  // nothing was answered yet
};

// Reads the folder `path`, whose node is given, from the start.
StatusOr<DirectoryScan> scan_directory(FileStore& store, Node& node, std::u16string_view path,
                                       std::u16string pattern);

}  // namespace smb3::server
