#include "transfer/local_target.h"

#include "base/limits.h"
#include "transfer/temporary_name.h"
#include "wire/types.h"

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

namespace smb3 {
namespace {

// Where a path leads through symbolic links; itself where nothing is there yet.
Result<std::string> resolve_links(const std::string& path) {
  struct stat found;
  if (::lstat(path.c_str(), &found) != 0 || !S_ISLNK(found.st_mode)) return path;
  // The pipe behind /dev/stdout has no other path than this one.
  if (::stat(path.c_str(), &found) == 0 && !S_ISREG(found.st_mode)) return path;
  std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr), &std::free);
  if (!real) {
    return std::unexpected(system_error(errno, "realpath")
                               .on(path)
                               .advise("the symbolic link leads nowhere; remove it or name its "
                                       "target"));
  }
  return std::string(real.get());
}

}  // namespace

timespec to_timespec(FileTime time) {
  if (time == 0) return {0, UTIME_OMIT};
  return wire::to_unix(wire::FileTime{static_cast<std::uint64_t>(time)});
}

FileTime to_file_time(std::int64_t seconds, std::uint32_t nanoseconds) {
  const timespec time{static_cast<time_t>(seconds), static_cast<long>(nanoseconds)};
  return static_cast<FileTime>(wire::to_file_time(time));
}

Task<LocalTarget> LocalTarget::open(Reactor& reactor, Local to, CopyOptions options,
                                    std::uint64_t size) {
  LocalTarget target;
  target.size_ = size;
  target.reactor_ = &reactor;
  target.options_ = options;
  target.path_ = to.path();
  if (to.descriptor() >= 0) {
    const int own = ::fcntl(to.descriptor(), F_DUPFD_CLOEXEC, 3);
    if (own < 0) co_return system_error(errno, "fcntl").on(to.path());
    target.file_ = std::make_unique<LocalFile>(reactor, own, to.path());
    target.sink_ = std::make_unique<LocalStreamSink>(*target.file_, reactor);
    co_return std::move(target);
  }

  if (!to.is_beneath()) {
    auto resolved = resolve_links(target.path_);
    target.path_ = co_await std::move(resolved);
    to = Local(target.path_);
  }
  target.place_ = co_await LocalPlace::find(reactor, std::move(to));
  struct stat found;
  const int link_flags = target.place_.is_beneath() ? AT_SYMLINK_NOFOLLOW : 0;
  if (::fstatat(target.place_.directory_fd(), target.place_.name().c_str(), &found, link_flags) !=
      0) {
    if (errno != ENOENT) co_return system_error(errno, "stat").on(target.path_);
    co_await target.open_regular(reactor, std::nullopt);
  } else if (S_ISLNK(found.st_mode)) {
    co_return Error(ErrorKind::exists, "a symbolic link is there, and is not followed")
        .on(target.path_);
  } else if (S_ISDIR(found.st_mode)) {
    co_return system_error(EISDIR, "open").on(target.path_);
  } else if (S_ISREG(found.st_mode)) {
    if (options.must_not_exist) co_return system_error(EEXIST, "open").on(target.path_);
    co_await target.open_regular(reactor, found.st_mode & 07777);
  } else {
    co_await target.open_special(reactor, O_WRONLY);
  }
  co_return std::move(target);
}

// A device, a fifo or a socket is never replaced.
Task<void> LocalTarget::open_special(Reactor& reactor, int flags) {
  file_ = std::make_unique<LocalFile>();
  *file_ = co_await LocalFile::open(reactor, place_.directory_fd(), place_.name(),
                                    flags | place_.link_flags());
  file_->shown_as(path_);
  sink_ = std::make_unique<LocalStreamSink>(*file_, reactor);
}

Task<void> LocalTarget::open_regular(Reactor& reactor, std::optional<mode_t> old_mode) {
  is_regular_ = true;
  int flags = O_WRONLY | O_CREAT;
  std::string name = place_.name();
  if (options_.through_temporary) {
    temporary_ = name = temporary_name(reactor);
    flags |= O_EXCL;
  } else if (options_.must_not_exist) {
    flags |= O_EXCL;
  }
  file_ = std::make_unique<LocalFile>();
  auto opened = co_await attempt(LocalFile::open(reactor, place_.directory_fd(), name,
                                                 flags | place_.link_flags(), options_.local_mode));
  if (!opened) {
    temporary_.clear();
    co_await std::move(opened).error().about(path_);
  }
  *file_ = std::move(*opened);
  file_->shown_as(path_);
  // A file that is replaced keeps its permissions.
  if (old_mode && !temporary_.empty()) {
    auto changed = file_->change_mode(*old_mode);
    static_cast<void>(changed);  // a file system without permissions
  }
  if (!temporary_.empty() && size_ >= limits::direct_file_bytes) co_await prepare_large(reactor);
  sink_ = std::make_unique<LocalSink>(*file_, direct_.get());
}

// Space first: a full disk is known before anything is moved, and writes need no allocation. Both
// this and direct writing are only tried; a file in memory has no use for either.
Task<void> LocalTarget::prepare_large(Reactor& reactor) {
  struct statfs system;
  if (::fstatfs(file_->fd(), &system) == 0 && system.f_type == TMPFS_MAGIC) co_return;
  auto allocated = co_await attempt(file_->allocate(0, size_));
  if (!allocated && allocated.error().kind() == ErrorKind::no_space) {
    Error failure = std::move(allocated).error();
    co_await discard(failure);
    co_await std::move(failure);
  }
  if (!options_.bypass_cache) co_return;
  auto direct = co_await attempt(LocalFile::open(reactor, place_.directory_fd(), temporary_,
                                                 O_WRONLY | O_DIRECT | O_NOFOLLOW));
  if (!direct) co_return;
  direct_ = std::make_unique<LocalFile>(std::move(*direct));
  direct_->shown_as(path_);
}

Result<void> LocalTarget::set_information(const BasicInformation& information) {
  if (information.write_time != 0 || information.access_time != 0) {
    auto set =
        file_->set_times(to_timespec(information.access_time), to_timespec(information.write_time));
    if (!set) return set;
  }
  if ((information.attributes & attribute::read_only) != 0) {
    struct stat now;
    if (::fstat(file_->fd(), &now) == 0) return file_->change_mode(now.st_mode & 07555);
  }
  return {};
}

Task<void> LocalTarget::finish(std::uint64_t size, BasicInformation information) {
  if (!is_regular_) {
    co_await file_->close();
    co_return;
  }
  struct statx written = co_await file_->status(STATX_SIZE);
  if (written.stx_size > size && temporary_.empty()) {  // in place, over a longer file
    auto cut = file_->truncate(size);
    co_await std::move(cut);
    written.stx_size = size;
  }
  if (written.stx_size != size) {
    co_await Error(ErrorKind::local, "the file has " + std::to_string(written.stx_size) +
                                         " bytes where " + std::to_string(size) + " were written")
        .on(path_);
  }
  auto set = set_information(information);
  co_await std::move(set);
  if (direct_) co_await direct_->close();
  co_await file_->close();
  if (temporary_.empty()) co_return;
  const unsigned flags = options_.must_not_exist ? RENAME_NOREPLACE : 0;
  auto renamed = co_await attempt(rename_path(*reactor_, place_.directory_fd(), temporary_,
                                              place_.directory_fd(), place_.name(), flags));
  if (!renamed) co_await std::move(renamed).error().about(path_);
  temporary_.clear();
}

Task<void> LocalTarget::discard(Error& failure) {
  if (direct_ && direct_->is_open()) {
    auto closed = co_await attempt(direct_->close());
    static_cast<void>(closed);  // it failed already
  }
  if (file_->is_open()) {
    auto closed = co_await attempt(file_->close());
    static_cast<void>(closed);  // it failed already
  }
  if (temporary_.empty()) co_return;
  auto removed = co_await attempt(unlink_path(*reactor_, place_.directory_fd(), temporary_));
  if (!removed) {
    failure = std::move(failure).advise_also("the incomplete file " + beside(path_, temporary_) +
                                             " could not be removed; remove it");
  }
}

}  // namespace smb3
