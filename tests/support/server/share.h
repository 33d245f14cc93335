// A share of the cluster: its files, and who has them open. All nodes see the same.
#pragma once

#include "support/server/change_watch.h"
#include "support/server/file_store.h"
#include "support/server/settings.h"

#include <memory>
#include <string>

namespace smb3::server {

class OpenTable;

struct Share {
  Share(ShareSettings settings, std::unique_ptr<FileStore> store);
  ~Share();

  ShareSettings settings;
  std::unique_ptr<FileStore> store;  // none for IPC$
  std::unique_ptr<OpenTable> opens;  // sharing modes, leases, durable and persistent opens
  ChangeWatches watches;             // waiting CHANGE_NOTIFY requests
};

}  // namespace smb3::server
