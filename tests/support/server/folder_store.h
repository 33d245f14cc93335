// Files of a real folder.
#pragma once

#include "support/server/file_store.h"

namespace smb3::server {

// The folder must exist.
Result<std::unique_ptr<FileStore>> make_folder_store(const ShareSettings& share);

}  // namespace smb3::server
