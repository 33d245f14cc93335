// What the public handles hold.
#pragma once

#include "client/engine.h"
#include "session/directory_listing.h"
#include "session/open.h"

#include <smbclient3/share.h>

#include <memory>

namespace smb3 {

struct Share::Impl {
  std::shared_ptr<SessionNode> node;
  std::unique_ptr<TreeConnect> tree;
  bool closed = false;

  Task<void> close();
};

struct File::Impl {
  std::shared_ptr<Share::Impl> share;
  std::unique_ptr<Open> open;
  bool write_through = false;
};

struct Directory::Impl {
  std::shared_ptr<Share::Impl> share;
  std::unique_ptr<DirectoryListing> listing;
};

}  // namespace smb3
