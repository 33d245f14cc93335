// Files and folders of this machine; every Error names the path and the system call.
#pragma once

#include "reactor/reactor.h"

#include <smbclient3/task.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>

#include <string>
#include <utility>

namespace smb3 {

// Bytes of a file in memory, where the page cache has them. If the file is cut off meanwhile, who
// touches them dies of SIGBUS: they are for the kernel alone, which answers EFAULT.
class MappedPart {
 public:
  MappedPart() = default;
  explicit MappedPart(Bytes bytes) noexcept : bytes_(bytes) {}
  MappedPart(MappedPart&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}
  MappedPart& operator=(MappedPart&& other) noexcept {
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~MappedPart();

  Bytes bytes() const noexcept { return bytes_; }

  // After an EFAULT: whether the file was cut off below these bytes, which lie in a mapped part or
  // in memory of another kind. If so, zeros lie in their place from now on.
  static bool fill_if_cut_off(Bytes bytes) noexcept;

 private:
  Bytes bytes_;
};

// As an offset: where the open file itself stands; it moves on with what is read and written.
inline constexpr std::uint64_t current_position = ~std::uint64_t{0};

// It outlives its operations. Offsets are below 2^63, one operation moves less than 2 GiB.
class LocalFile {
 public:
  LocalFile() = default;
  // Owns `fd`; `path` names it in errors.
  LocalFile(Reactor& reactor, int fd, std::string path) noexcept;
  LocalFile(LocalFile&& other) noexcept;
  LocalFile& operator=(LocalFile&& other) noexcept;
  ~LocalFile();

  // openat2(2): `directory_fd` may be AT_FDCWD, `resolve` is of RESOLVE_*. O_CLOEXEC is added, and
  // `mode` counts only when a file is created.
  static Task<LocalFile> open(Reactor& reactor, int directory_fd, std::string path, int flags,
                              mode_t mode = 0666, std::uint64_t resolve = 0);

  // Fills `bytes` as far as the file reaches: fewer bytes, or 0, mean its end. `buffer_index` is
  // that of the registered memory where `bytes` lie, or -1. Pipes and devices ignore the offset.
  Task<std::size_t> read_at(MutableBytes bytes, std::uint64_t offset,
                            std::int16_t buffer_index = -1);
  Task<void> write_all_at(Bytes bytes, std::uint64_t offset, std::int16_t buffer_index = -1);
  // Maps a part that lies inside the file and reads it into the page cache, without waiting here.
  // `offset` is a multiple of the page size.
  Task<MappedPart> map_at(std::uint64_t offset, std::size_t length);
  // fallocate(2); `flags` of FALLOC_FL_*.
  Task<void> allocate(std::uint64_t offset, std::uint64_t length, int flags = 0);
  Task<void> sync();
  Task<struct statx> status(unsigned mask = STATX_BASIC_STATS);
  // Reports also what a delayed write has come to. The file is closed in any case.
  Task<void> close();

  // io_uring has no operation for these; they are short.
  Result<void> truncate(std::uint64_t length);
  Result<void> change_mode(mode_t mode);
  Result<void> set_times(timespec accessed, timespec modified);  // UTIME_OMIT leaves one alone

  bool is_open() const noexcept { return fd_ >= 0; }
  int fd() const noexcept { return fd_; }
  const std::string& path() const noexcept { return path_; }
  // Errors name the file so from now on: a temporary by the name that it will have.
  void shown_as(std::string path) { path_ = std::move(path); }

 private:
  Error failed(int error_number, const char* operation) const;
  Result<void> plain(int result, const char* operation) const;

  Reactor* reactor_ = nullptr;
  int fd_ = -1;
  std::string path_;
};

// Paths relative to a folder's file descriptor, or AT_FDCWD. `flags` of RENAME_*, AT_REMOVEDIR and
// AT_SYMLINK_NOFOLLOW.
Task<void> rename_path(Reactor& reactor, int from_directory, std::string from, int to_directory,
                       std::string to, unsigned flags = 0);
Task<void> unlink_path(Reactor& reactor, int directory_fd, std::string path, int flags = 0);
Task<void> make_directory(Reactor& reactor, int directory_fd, std::string path, mode_t mode = 0777);
Task<struct statx> stat_path(Reactor& reactor, int directory_fd, std::string path, int flags = 0,
                             unsigned mask = STATX_BASIC_STATS);

}  // namespace smb3
