#include "transfer/copy_file.h"

#include "base/limits.h"
#include "transfer/lanes.h"
#include "transfer/local_place.h"
#include "transfer/local_target.h"
#include "transfer/remote_target.h"

namespace smb3 {
namespace {

LanesOptions lanes_for(std::uint64_t size, const CopyOptions& options) {
  return {.size = size,
          .chunk_bytes = limits::chunk_bytes,
          .lanes = limits::lanes_per_connection,
          .progress = options.progress};
}

Task<std::unique_ptr<Open>> open_for_reading(TreeConnect& tree, std::string path) {
  CreateParameters parameters;
  parameters.desired_access = wire::AccessMask::read_data | wire::AccessMask::read_attributes |
                              wire::AccessMask::synchronize;
  parameters.share_access = share_everything;
  parameters.options = wire::CreateOptions::non_directory_file;
  co_return co_await Open::create(tree, std::move(path), parameters);
}

BasicInformation information_of(const FileStatus& status, const CopyOptions& options) {
  BasicInformation information;
  if (!options.preserve) return information;
  information.creation_time = status.creation_time;
  information.access_time = status.access_time;
  information.write_time = status.write_time;
  information.attributes = status.attributes & attribute::read_only;
  return information;
}

// What was copied of a file that somebody else writes is of no moment in particular.
Error changed_meanwhile() {
  return Error(ErrorKind::failed, "changed while it was copied")
      .advise("copy it again when nobody writes to it");
}

// Closes a source, which must be as it was when it was opened.
Task<void> close_source(Open& source, std::uint64_t copied) {
  const std::string name = source.display();
  const FileStatus last = co_await source.close();
  if (last.size_bytes != copied || last.write_time != source.status_at_open().write_time) {
    co_await changed_meanwhile().on(name);
  }
}

Task<void> close_quietly(Open& source) {
  if (source.is_closed()) co_return;
  auto closed = co_await attempt(source.close());
  static_cast<void>(closed);  // another failure is reported already
}

// The parts of a copy that may fail once the target stands; whoever calls discards the target.
template <class Target, class Fill>
Task<CopyReport> fill(Target& target, Fill fill_and_finish) {
  auto report = co_await attempt(std::move(fill_and_finish));
  if (report) co_return *report;
  Error failure = std::move(report).error();
  co_await target.discard(failure);
  co_return std::move(failure);
}

Task<CopyReport> fill_local(Open& source, LocalTarget& target, const Interruption& interruption,
                            CopyOptions options) {
  const FileStatus& status = source.status_at_open();
  source.tree().session().announce(status.size_bytes, source.tree());
  RemoteSource from(source);
  const std::uint64_t bytes =
      co_await run_lanes(from, target.sink(), interruption, lanes_for(status.size_bytes, options));
  co_await close_source(source, bytes);
  co_await target.finish(bytes, information_of(status, options));
  co_return CopyReport{bytes};
}

Task<CopyReport> fill_from_share(Open& source, RemoteTarget& target,
                                 const Interruption& interruption, CopyOptions options) {
  const FileStatus& status = source.status_at_open();
  source.tree().session().announce(status.size_bytes, source.tree());
  RemoteSource from(source);
  RemoteSink to(target.file(), options.write_through);
  TreeConnect& target_tree = target.file().tree();
  target_tree.session().announce(status.size_bytes, target_tree);
  const std::uint64_t bytes =
      co_await run_lanes(from, to, interruption, lanes_for(status.size_bytes, options));
  co_await close_source(source, bytes);
  co_await target.finish(bytes, information_of(status, options));
  co_return CopyReport{bytes};
}

struct LocalOrigin {
  std::unique_ptr<LocalFile> file;
  std::unique_ptr<Source> source;
  std::uint64_t size = ChunkCursor::unknown_size;
  BasicInformation information;
  struct statx status{};  // when it was opened
};

// The same for a local file; a pipe or a device has no state that could change.
Task<void> check_unchanged(const LocalOrigin& origin) {
  const struct statx& then = origin.status;
  if (!S_ISREG(then.stx_mode)) co_return;
  const struct statx now = co_await origin.file->status();
  if (now.stx_size != then.stx_size || now.stx_mtime.tv_sec != then.stx_mtime.tv_sec ||
      now.stx_mtime.tv_nsec != then.stx_mtime.tv_nsec) {
    co_await changed_meanwhile();
  }
}

Task<CopyReport> fill_remote(LocalOrigin& origin, RemoteTarget& target,
                             const Interruption& interruption, CopyOptions options) {
  TreeConnect& tree = target.file().tree();
  tree.session().announce(origin.size, tree);
  RemoteSink to(target.file(), options.write_through);
  const std::uint64_t bytes =
      co_await run_lanes(*origin.source, to, interruption, lanes_for(origin.size, options));
  co_await check_unchanged(origin);
  co_await target.finish(bytes, origin.information);
  co_return CopyReport{bytes};
}

// `plain`: what is read is sent as it is.
Task<LocalOrigin> open_origin(Local from, Connection& connection, bool plain, CopyOptions options) {
  BufferPool& pool = connection.pool();
  Reactor& reactor = connection.reactor();
  LocalOrigin origin;
  origin.file = std::make_unique<LocalFile>();
  if (from.descriptor() >= 0) {
    const int own = ::fcntl(from.descriptor(), F_DUPFD_CLOEXEC, 3);
    if (own < 0) co_return system_error(errno, "fcntl").on(from.path());
    *origin.file = LocalFile(reactor, own, from.path());
  } else {
    const LocalPlace place = co_await LocalPlace::find(reactor, from);
    auto opened = co_await attempt(LocalFile::open(reactor, place.directory_fd(), place.name(),
                                                   O_RDONLY | place.link_flags()));
    if (!opened) co_return std::move(opened).error().about(from.path());
    *origin.file = std::move(*opened);
    origin.file->shown_as(from.path());
  }
  const struct statx status = co_await origin.file->status();
  origin.status = status;
  if (S_ISDIR(status.stx_mode)) co_return system_error(EISDIR, "open").on(from.path());
  // Files of /proc and the like say 0 and have contents.
  if (S_ISREG(status.stx_mode) && status.stx_size != 0 && from.descriptor() < 0) {
    origin.size = status.stx_size;
    if (plain && origin.size >= limits::chunk_bytes) {
      origin.source = std::make_unique<MappedSource>(*origin.file, pool);
    } else {
      origin.source = std::make_unique<LocalSource>(*origin.file, pool);
    }
  } else {
    origin.source = std::make_unique<LocalStreamSource>(*origin.file, pool, reactor);
  }
  if (options.preserve) {
    origin.information.access_time =
        to_file_time(status.stx_atime.tv_sec, status.stx_atime.tv_nsec);
    origin.information.write_time = to_file_time(status.stx_mtime.tv_sec, status.stx_mtime.tv_nsec);
    if ((status.stx_mode & 0222) == 0) origin.information.attributes = attribute::read_only;
  }
  co_return std::move(origin);
}

}  // namespace

Task<CopyReport> download(TreeConnect& from, std::string path, Local to,
                          const Interruption& interruption, CopyOptions options) {
  std::unique_ptr<Open> source = co_await open_for_reading(from, std::move(path));
  auto target = co_await attempt(LocalTarget::open(from.connection().reactor(), std::move(to),
                                                   options, source->status_at_open().size_bytes));
  if (!target) {
    co_await close_quietly(*source);
    co_return std::move(target).error();
  }
  auto report =
      co_await attempt(fill(*target, fill_local(*source, *target, interruption, options)));
  co_await close_quietly(*source);
  if (!report) co_return std::move(report).error().on(source->display());
  co_return *report;
}

Task<CopyReport> upload(Local from, TreeConnect& to, std::string path,
                        const Interruption& interruption, CopyOptions options) {
  const bool plain = !to.session().signs() && !to.seals();
  LocalOrigin origin = co_await open_origin(from, to.connection(), plain, options);
  RemoteTarget target = co_await RemoteTarget::open(to, std::move(path), options);
  auto report = co_await attempt(fill(target, fill_remote(origin, target, interruption, options)));
  if (!report) co_return std::move(report).error().on(from.path());
  co_return *report;
}

Task<CopyReport> relay(TreeConnect& from, std::string from_path, TreeConnect& to,
                       std::string to_path, const Interruption& interruption, CopyOptions options) {
  std::unique_ptr<Open> source = co_await open_for_reading(from, std::move(from_path));
  auto target = co_await attempt(RemoteTarget::open(to, std::move(to_path), options));
  if (!target) {
    co_await close_quietly(*source);
    co_return std::move(target).error();
  }
  auto report =
      co_await attempt(fill(*target, fill_from_share(*source, *target, interruption, options)));
  co_await close_quietly(*source);
  if (!report) co_return std::move(report).error().on(source->display());
  co_return *report;
}

}  // namespace smb3
