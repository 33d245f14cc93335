// The local side of a copy. Calls that only look at or make names are made directly: they do not
// wait for a disk long enough to be worth a ring entry.
#include "file_times.h"
#include "side.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <linux/openat2.h>
#include <sys/syscall.h>

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

// Closes what it holds.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  int get() const { return number_; }
  int release() { return std::exchange(number_, -1); }

 private:
  int number_;
};

Result<Descriptor> open_folder(const std::string& path, int flags) {
  Descriptor opened(::open(path.c_str(), flags | O_DIRECTORY | O_CLOEXEC));
  if (opened.get() < 0) return std::unexpected(system_error(errno, "open").on(path));
  return opened;
}

// A folder below what the user named, and nowhere else.
Result<Descriptor> open_folder_below(const std::string& root, const std::string& below, int flags) {
  auto top = open_folder(root, O_PATH);
  if (!top || below.empty()) return top;
  open_how how{};
  how.flags = static_cast<std::uint64_t>(flags | O_DIRECTORY | O_CLOEXEC);
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS;
  Descriptor opened(
      static_cast<int>(::syscall(SYS_openat2, top->get(), below.c_str(), &how, sizeof how)));
  if (opened.get() < 0) {
    Error error = system_error(errno, "openat2").on(root + "/" + below);
    if (errno == ELOOP) error = std::move(error).advise("symbolic links are not followed there");
    return std::unexpected(std::move(error));
  }
  return opened;
}

// The folder that holds a path, and its name there; what the user named is its own name.
struct Location {
  Descriptor folder{-1};
  std::string name;
  int directory_fd() const { return folder.get() < 0 ? AT_FDCWD : folder.get(); }
};

Result<Location> locate(const TreePath& path) {
  if (path.is_named()) return Location{Descriptor(-1), path.text()};
  const std::string below = path.below();
  const std::size_t slash = below.rfind('/');
  const std::string folder = slash == below.npos ? std::string() : below.substr(0, slash);
  auto opened = open_folder_below(path.root(), folder, O_PATH);
  if (!opened) return std::unexpected(std::move(opened).error());
  return Location{std::move(*opened), slash == below.npos ? below : below.substr(slash + 1)};
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
  std::string display(const TreePath& path) const override { return path.text(); }
  Endpoint endpoint(TreePath path) const override {
    if (path.is_named()) return Local(path.text());
    return Local::beneath(path.root(), path.below());
  }

  Task<Entry> status(std::string path) override {
    struct stat status;
    if (::stat(path.c_str(), &status) != 0) co_return system_error(errno, "stat").on(path);
    Entry entry = entry_of(path, status);
    // A pipe or a device that the user names is read like a file, as cp does.
    if (entry.kind == EntryKind::other) entry.kind = EntryKind::file;
    co_return std::move(entry);
  }

  Task<std::unique_ptr<Listing>> list(TreePath path) override {
    auto folder = path.is_named() ? open_folder(path.text(), O_RDONLY)
                                  : open_folder_below(path.root(), path.below(), O_RDONLY);
    if (!folder) co_return std::move(folder).error();
    DIR* directory = ::fdopendir(folder->get());
    if (directory == nullptr) co_return system_error(errno, "fdopendir").on(path.text());
    const int descriptor = folder->release();
    co_return std::unique_ptr<Listing>(std::make_unique<LocalListing>(directory, descriptor));
  }

  Task<void> make_directory(TreePath path) override {
    auto found = locate(path);
    if (!found) co_await std::move(found).error();
    const char* name = found->name.c_str();
    if (::mkdirat(found->directory_fd(), name, 0777) == 0) co_return;
    if (errno != EEXIST) co_await system_error(errno, "mkdir").on(path.text());
    struct stat status;
    const int flags = path.is_named() ? 0 : AT_SYMLINK_NOFOLLOW;
    if (::fstatat(found->directory_fd(), name, &status, flags) != 0) {
      co_await system_error(errno, "stat").on(path.text());
    }
    if (!S_ISDIR(status.st_mode)) {
      co_await Error(ErrorKind::exists, "is there, and is no directory").on(path.text());
    }
  }

  Task<void> set_times(TreePath path, BasicInformation times) override {
    auto found = locate(path);
    if (!found) co_await std::move(found).error();
    std::array<timespec, 2> values{timespec_of(times.access_time), timespec_of(times.write_time)};
    if (::utimensat(found->directory_fd(), found->name.c_str(), values.data(),
                    AT_SYMLINK_NOFOLLOW) != 0) {
      co_await system_error(errno, "utimensat").on(path.text());
    }
  }

  Result<void> check_name(const std::string& name) const override {
    if (name.empty() || name == "." || name == ".." || name.contains('/') || name.contains('\0')) {
      return std::unexpected(Error(ErrorKind::local, "no local file can have this name"));
    }
    return {};
  }
};

// Standard output in the place of every file.
class StdoutSide : public LocalSide {
 public:
  std::string display(const TreePath&) const override { return "standard output"; }
  Endpoint endpoint(TreePath) const override { return Local(STDOUT_FILENO, "standard output"); }
};

}  // namespace

std::unique_ptr<Side> make_local_side() { return std::make_unique<LocalSide>(); }
std::unique_ptr<Side> make_stdout_side() { return std::make_unique<StdoutSide>(); }

}  // namespace smb3::cli
