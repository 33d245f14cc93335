// The local side of a copy. Calls that only look at or make names are made directly: they do not
// wait for a disk long enough to be worth a ring entry.
#include "file_times.h"
#include "side.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>
#include <utility>

namespace smb3::cli {
namespace {

constexpr std::size_t batch_entries = 256;

Entry entry_of(std::string name, const struct stat& status) {
  Entry entry{.name = std::move(name)};
  entry.size_bytes = static_cast<std::uint64_t>(status.st_size);
  entry.times.access_time = file_time_of(status.st_atim);
  entry.times.write_time = file_time_of(status.st_mtim);
  if (S_ISREG(status.st_mode)) {
    entry.kind = EntryKind::file;
  } else if (S_ISDIR(status.st_mode)) {
    entry.kind = EntryKind::directory;
  } else {
    entry.kind = EntryKind::other;
    entry.what = S_ISLNK(status.st_mode)    ? "a symbolic link"
                 : S_ISFIFO(status.st_mode) ? "a pipe"
                 : S_ISSOCK(status.st_mode) ? "a socket"
                                            : "a device";
  }
  return entry;
}

class LocalListing : public Listing {
 public:
  LocalListing(DIR* directory, int descriptor) : directory_(directory), descriptor_(descriptor) {}
  ~LocalListing() override { ::closedir(directory_); }

  Task<std::vector<Entry>> next() override {
    std::vector<Entry> entries;
    while (entries.size() < batch_entries) {
      errno = 0;
      const dirent* item = ::readdir(directory_);
      if (item == nullptr && errno != 0) co_return system_error(errno, "readdir");
      if (item == nullptr) break;
      std::string name = item->d_name;
      if (name == "." || name == "..") continue;
      struct stat status;
      if (::fstatat(descriptor_, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0) {
        entries.push_back(entry_of(std::move(name), status));
      } else if (errno != ENOENT) {  // else it was removed meanwhile
        entries.push_back({.name = std::unexpected(system_error(errno, "stat").on(name))});
      }
    }
    co_return std::move(entries);
  }

  Task<void> close() override { co_return; }

 private:
  DIR* directory_;
  int descriptor_;  // the same, and the directory's to close
};

class LocalSide : public Side {
 public:
  std::string display(const std::string& path) const override { return path; }
  Endpoint endpoint(std::string path) const override { return Local(std::move(path)); }

  Task<Entry> status(std::string path) override {
    struct stat status;
    if (::stat(path.c_str(), &status) != 0) co_return system_error(errno, "stat").on(path);
    Entry entry = entry_of(path, status);
    // A pipe or a device that the user names is read like a file, as cp does.
    if (entry.kind == EntryKind::other) entry.kind = EntryKind::file;
    co_return std::move(entry);
  }

  Task<std::unique_ptr<Listing>> list(std::string path, bool is_named) override {
    int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | (is_named ? 0 : O_NOFOLLOW);
    int descriptor = ::open(path.c_str(), flags);
    if (descriptor < 0) co_return system_error(errno, "open").on(path);
    DIR* directory = ::fdopendir(descriptor);
    if (directory == nullptr) {
      int number = errno;
      ::close(descriptor);
      co_return system_error(number, "fdopendir").on(path);
    }
    co_return std::unique_ptr<Listing>(std::make_unique<LocalListing>(directory, descriptor));
  }

  Task<void> make_directory(std::string path, bool is_named) override {
    if (::mkdir(path.c_str(), 0777) == 0) co_return;
    if (errno != EEXIST) co_await system_error(errno, "mkdir").on(path);
    struct stat status;
    int flags = is_named ? 0 : AT_SYMLINK_NOFOLLOW;
    if (::fstatat(AT_FDCWD, path.c_str(), &status, flags) != 0) {
      co_await system_error(errno, "stat").on(path);
    }
    if (!S_ISDIR(status.st_mode)) {
      co_await Error(ErrorKind::exists, "is there, and is no directory").on(path);
    }
  }

  Task<void> set_times(std::string path, BasicInformation times) override {
    std::array<timespec, 2> values{timespec_of(times.access_time), timespec_of(times.write_time)};
    if (::utimensat(AT_FDCWD, path.c_str(), values.data(), AT_SYMLINK_NOFOLLOW) != 0) {
      co_await system_error(errno, "utimensat").on(path);
    }
  }

  Result<void> check_name(const std::string& name) const override {
    if (name.empty() || name == "." || name == ".." || name.contains('/') || name.contains('\0')) {
      return std::unexpected(Error(ErrorKind::local, "no local file can have this name"));
    }
    return {};
  }

  Result<void> check_target(const std::string& path) const override {
    struct stat status;
    if (::lstat(path.c_str(), &status) != 0) return {};
    if (S_ISLNK(status.st_mode)) {
      return std::unexpected(
          Error(ErrorKind::exists, "a symbolic link is there, and is not followed").on(path));
    }
    if (S_ISDIR(status.st_mode)) {
      return std::unexpected(Error(ErrorKind::exists, "a directory is there").on(path));
    }
    return {};
  }
};

// Standard output in the place of every file.
class StdoutSide : public LocalSide {
 public:
  std::string display(const std::string&) const override { return "standard output"; }
  Endpoint endpoint(std::string) const override { return Local(STDOUT_FILENO, "standard output"); }
  Result<void> check_target(const std::string&) const override { return {}; }
};

}  // namespace

std::unique_ptr<Side> make_local_side() { return std::make_unique<LocalSide>(); }
std::unique_ptr<Side> make_stdout_side() { return std::make_unique<StdoutSide>(); }

}  // namespace smb3::cli
