// A real folder, seen by file descriptors: nothing outside of it is ever reached.
#pragma once

#include "support/server/status.h"
#include "wire/file_types.h"
#include "wire/types.h"

#include <sys/stat.h>

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace smb3::server {

class Descriptor {
 public:
  explicit Descriptor(int fd = -1) noexcept : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor();

  int get() const noexcept { return fd_; }
  explicit operator bool() const noexcept { return fd_ >= 0; }

 private:
  int fd_;
};

NtStatus status_of_errno(int error_number) noexcept;
inline std::unexpected<NtStatus> refuse_errno(int error_number) {
  return refuse(status_of_errno(error_number));
}

// Beneath `folder`, through no symbolic link. `path` with slashes; empty: the folder itself.
StatusOr<Descriptor> open_beneath(int folder, const std::string& path, int flags);

// The name in `folder` that is `wanted` but for its case; the exact one first.
std::optional<std::string> find_name(int folder, const std::string& wanted);
// All names but "." and "..", sorted.
StatusOr<std::vector<std::string>> names_in(int folder);

// Which file it is, whatever its name.
using FileKey = std::pair<dev_t, ino_t>;
struct FileFacts {
  FileKey key{};
  bool is_directory = false;
  bool is_regular = false;
  bool is_read_only = false;  // nobody may write
  std::uint64_t size_bytes = 0, allocated_bytes = 0;
  wire::FileTime creation_time{}, last_access_time{}, last_write_time{}, change_time{};
};
// Of `name` in `folder`; of the folder itself with an empty name.
StatusOr<FileFacts> facts_of(int folder, const std::string& name);

// What POSIX has no place for. Kept with the file where its file system has extended attributes,
// else in memory.
struct DosFacts {
  wire::FileAttributes attributes = wire::FileAttributes::none;  // but for a file's READONLY
  wire::FileTime creation_time{};                                // 0: what the file system says
};
class DosFactsKeeper {
 public:
  DosFacts get(int folder, const std::string& name, const FileKey& key) const;
  void set(int file, const FileKey& key, const DosFacts& facts);
  void forget(const FileKey& key) { in_memory_.erase(key); }

 private:
  std::map<FileKey, DosFacts> in_memory_;
};

}  // namespace smb3::server
