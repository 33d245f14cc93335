// What the server knows of a path, in one round trip.
#pragma once

#include "session/tree_connect.h"

#include <smbclient3/file.h>

#include <string>

namespace smb3 {

// CREATE and CLOSE in one compound: [MS-SMB2] 3.2.4.1.4. Links are followed.
Task<FileStatus> path_status(TreeConnect& tree, std::string path);

}  // namespace smb3
