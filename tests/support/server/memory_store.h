// Files in memory, bounded by the share's size.
#pragma once

#include "support/server/file_store.h"

namespace smb3::server {

std::unique_ptr<FileStore> make_memory_store(const ShareSettings& share, Clock clock);

}  // namespace smb3::server
