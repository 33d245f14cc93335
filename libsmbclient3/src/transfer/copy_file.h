// One whole file from one place to another.
#pragma once

#include "session/tree_connect.h"
#include "transfer/interruption.h"

#include <smbclient3/copy.h>

#include <string>

namespace smb3 {

Task<CopyReport> download(TreeConnect& from, std::string path, Local to,
                          const Interruption& interruption, CopyOptions options);
Task<CopyReport> upload(Local from, TreeConnect& to, std::string path,
                        const Interruption& interruption, CopyOptions options);
Task<CopyReport> relay(TreeConnect& from, std::string from_path, TreeConnect& to,
                       std::string to_path, const Interruption& interruption, CopyOptions options);

}  // namespace smb3
