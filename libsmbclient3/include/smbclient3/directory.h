// An open directory on a share.
#pragma once

#include <smbclient3/file.h>

#include <memory>
#include <string>
#include <vector>

namespace smb3 {

struct DirectoryEntry {
  // UTF-8. An Error: the server sent a name that no local file can safely have (it is empty, has
  // '/', '\' or NUL in it, or is no UTF-16); the entry cannot be used, the others can.
  Result<std::string> name;
  FileStatus status;
  std::uint32_t reparse_tag = 0;  // of a reparse point
};

class SMB3_API Directory {
 public:
  struct Impl;
  explicit Directory(std::unique_ptr<Impl> impl);
  Directory(Directory&&) noexcept;
  Directory& operator=(Directory&&) noexcept;
  ~Directory();

  // The next entries, without "." and ".."; empty at the end, and only there.
  Task<std::vector<DirectoryEntry>> next();
  Task<void> close();

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace smb3
