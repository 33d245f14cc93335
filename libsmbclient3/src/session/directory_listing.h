// The entries of an open directory, page by page: [MS-SMB2] 3.2.4.17.
#pragma once

#include "session/open.h"

#include <smbclient3/directory.h>

#include <vector>

namespace smb3 {

class DirectoryListing {
 public:
  static Task<std::unique_ptr<DirectoryListing>> open(TreeConnect& tree, std::string path);

  // The next page without "." and ".."; empty at the end, which the server alone declares.
  Task<std::vector<DirectoryEntry>> next();
  Task<void> close();
  Open& directory() const noexcept { return *open_; }

 private:
  explicit DirectoryListing(std::unique_ptr<Open> open) : open_(std::move(open)) {}
  Task<std::vector<DirectoryEntry>> page();
  bool restart_after(const Error& error);
  void begin_anew();
  Result<bool> is_new(const DirectoryEntry& entry);

  std::unique_ptr<Open> open_;
  bool at_end_ = false;
  // Where to go on when a page was lost with its channel, and the listing begins anew.
  std::uint64_t entries_seen_ = 0;  // "." and ".." and all
  std::string last_seen_;
  std::uint64_t entries_to_skip_ = 0;
  bool restarts_ = false;
  std::size_t restarts_left_ = 16;  // a server that never comes to an end is given up
};

}  // namespace smb3
