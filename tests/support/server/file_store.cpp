#include "support/server/file_store.h"

#include "support/server/folder_store.h"
#include "support/server/memory_store.h"
#include "support/server/null_store.h"

namespace smb3::server {

Result<std::unique_ptr<FileStore>> make_store(const ShareSettings& share, Clock clock) {
  switch (share.store) {
    case StoreKind::memory: return make_memory_store(share, clock);
    case StoreKind::null: return make_null_store(share, clock);
    case StoreKind::folder: return make_folder_store(share);
  }
  return std::unexpected(Error(ErrorKind::local, "no such kind of store"));
}

}  // namespace smb3::server
