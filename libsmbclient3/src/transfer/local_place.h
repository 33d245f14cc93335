// Where a local file lies: its folder, held open, and its name there.
#pragma once

#include "reactor/local_file.h"

#include <smbclient3/copy.h>

#include <string>

namespace smb3 {

// While the folder is held, whoever renames it or puts links in its way changes nothing.
class LocalPlace {
 public:
  // Of `file` as it is named (its own symbolic link not followed). Below a root the way is taken
  // without links, and never out of it.
  static Task<LocalPlace> find(Reactor& reactor, Local file);

  int directory_fd() const noexcept { return folder_.is_open() ? folder_.fd() : AT_FDCWD; }
  const std::string& name() const noexcept { return name_; }
  // A link under the name itself: followed only where nobody else gave the name.
  int link_flags() const noexcept { return is_beneath_ ? O_NOFOLLOW : 0; }
  bool is_beneath() const noexcept { return is_beneath_; }

 private:
  LocalFile folder_;
  std::string name_;
  bool is_beneath_ = false;
};

}  // namespace smb3
