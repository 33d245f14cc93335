#include "support/server/share.h"

#include "support/server/open.h"

namespace smb3::server {

Share::Share(ShareSettings of, std::unique_ptr<FileStore> files)
    : settings(std::move(of)),
      store(std::move(files)),
      opens(std::make_unique<OpenTable>(store.get())) {
  opens->removed = [this](const Open& open) {
    watches.report_name(wire::FileAction::removed, open.is_directory, open.path);
  };
}

// Opens hold watches.
Share::~Share() { opens.reset(); }

}  // namespace smb3::server
