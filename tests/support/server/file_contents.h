// The bytes of a file in memory: whole stretches that were never written cost nothing.
#pragma once

#include "support/server/file_store.h"

#include <map>
#include <memory>
#include <vector>

namespace smb3::server {

// What the files of one store take in all, and may.
struct Quota {
  std::uint64_t limit_bytes = 0;
  std::uint64_t used_bytes = 0;
  std::uint64_t free_bytes() const noexcept {
    return limit_bytes > used_bytes ? limit_bytes - used_bytes : 0;
  }
};

class FileContents {
 public:
  explicit FileContents(Quota& quota) noexcept : quota_(quota) {}
  FileContents(const FileContents&) = delete;
  FileContents& operator=(const FileContents&) = delete;
  ~FileContents() { set_size(0); }

  std::uint64_t size_bytes() const noexcept { return size_bytes_; }
  std::uint64_t allocated_bytes() const noexcept { return allocated_bytes_; }

  std::size_t read(std::uint64_t offset, MutableBytes into) const;
  ContentView view(std::uint64_t offset, std::size_t length) const;
  // disk_full: nothing was written.
  StatusOr<> write(std::uint64_t offset, Bytes data);
  void set_size(std::uint64_t size_bytes);

 private:
  // Begins at a multiple of `piece_bytes` and is as long as was written; zeros follow.
  using Piece = std::vector<std::byte>;

  Piece& writable(std::uint64_t index);
  void account(std::size_t before, std::size_t after) noexcept;

  Quota& quota_;
  std::uint64_t size_bytes_ = 0;
  std::uint64_t allocated_bytes_ = 0;
  // Shared with views: a piece that is being sent is copied before it changes.
  std::map<std::uint64_t, std::shared_ptr<Piece>> pieces_;
};

}  // namespace smb3::server
