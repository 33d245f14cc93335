// Copies whole files between a share and the local system, or between shares.
#pragma once

#include <smbclient3/share.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace smb3 {

// A file on a share. The share must outlive the copy.
class Remote {
 public:
  Remote(Share& share, std::string path) : share_(&share), path_(std::move(path)) {}
  Share& share() const noexcept { return *share_; }
  const std::string& path() const noexcept { return path_; }

 private:
  Share* share_;
  std::string path_;
};

// A file of the local system, by path or by an open descriptor (which stays open).
class Local {
 public:
  explicit Local(std::string path) : path_(std::move(path)) {}
  Local(int descriptor, std::string name) : path_(std::move(name)), descriptor_(descriptor) {}
  // For names that somebody else gives: on the way from `root` no symbolic link is followed, and
  // what would lead out of it is an error. `below` is relative.
  static Local beneath(std::string root, const std::string& below) {
    Local file(std::move(root));
    file.root_bytes_ = file.path_.size();
    if (!file.path_.ends_with('/')) file.path_ += '/';
    file.path_ += below;
    return file;
  }

  const std::string& path() const noexcept { return path_; }
  int descriptor() const noexcept { return descriptor_; }
  bool is_beneath() const noexcept { return root_bytes_ != 0; }
  std::string root() const { return path_.substr(0, root_bytes_); }

 private:
  std::string path_;
  int descriptor_ = -1;
  std::size_t root_bytes_ = 0;  // of beneath(): how much of the path is the root
};

// What other threads may watch while a copy goes on.
struct CopyProgress {
  std::atomic<std::uint64_t> bytes{0};
};

struct CopyOptions {
  bool preserve = false;  // times and the read-only attribute
  // Replaces an existing file whole: a temporary beside it, then a rename. Else writes into the
  // file itself, and what was copied stays after a failure.
  bool through_temporary = true;
  bool must_not_exist = false;  // an existing target is an error (kind exists)
  bool write_through = false;
  // Large local files are written around the page cache where their file system can: a third of
  // the processor's work, and other files stay cached.
  bool bypass_cache = true;
  std::uint32_t local_mode = 0666;  // of a new local file, less the umask
  CopyProgress* progress = nullptr;
};

struct CopyReport {
  std::uint64_t bytes = 0;
};

// The target is complete and closed when these end well; on an error nothing is left under the
// final name that was not there before (through_temporary), and an error that leaves a temporary
// behind names it. A target that is a device, fifo or socket is written in place.
SMB3_API Task<CopyReport> copy(Remote from, Local to, CopyOptions options = {});
SMB3_API Task<CopyReport> copy(Local from, Remote to, CopyOptions options = {});
SMB3_API Task<CopyReport> copy(Remote from, Remote to, CopyOptions options = {});

}  // namespace smb3
