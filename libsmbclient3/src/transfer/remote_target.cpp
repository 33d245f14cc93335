#include "transfer/remote_target.h"

#include "session/path_status.h"
#include "transfer/temporary_name.h"

namespace smb3 {
namespace {

// What a replaced file passes on: read-only, hidden, system, archive and the like.
constexpr std::uint32_t inherited_attributes =
    attribute::read_only | attribute::hidden | attribute::system | attribute::archive;

CreateParameters for_writing(wire::CreateDisposition disposition, wire::AccessMask more,
                             bool write_through) {
  CreateParameters parameters;
  parameters.desired_access = wire::AccessMask::write_data | wire::AccessMask::append_data |
                              wire::AccessMask::read_attributes |
                              wire::AccessMask::write_attributes | wire::AccessMask::synchronize |
                              more;
  parameters.file_attributes = wire::FileAttributes::normal;
  parameters.disposition = disposition;
  parameters.options = wire::CreateOptions::non_directory_file;
  if (write_through) parameters.options |= wire::CreateOptions::write_through;
  return parameters;
}

// The file that is there already, if there is one; a directory is an error.
Task<std::optional<FileStatus>> existing(TreeConnect& tree, std::string path) {
  auto status = co_await attempt(path_status(tree, path));
  if (!status) {
    if (status.error().kind() == ErrorKind::not_found) co_return std::optional<FileStatus>();
    co_return std::move(status).error();
  }
  if (status->is_directory()) {
    co_return status_error(NtStatus::file_is_a_directory, "CREATE").on(tree.name() + "/" + path);
  }
  co_return std::optional<FileStatus>(*status);
}

}  // namespace

Task<RemoteTarget> RemoteTarget::open(TreeConnect& tree, std::string path, CopyOptions options) {
  std::optional<FileStatus> old = co_await existing(tree, path);
  if (old && options.must_not_exist) {
    co_return status_error(NtStatus::object_name_collision, "CREATE").on(tree.name() + "/" + path);
  }
  if (!options.through_temporary) {
    const auto disposition =
        options.must_not_exist ? wire::CreateDisposition::create : wire::CreateDisposition::open_if;
    auto file = co_await Open::create(
        tree, path, for_writing(disposition, wire::AccessMask::none, options.write_through));
    co_return RemoteTarget(std::move(file), std::move(path), options);
  }
  std::string temporary = beside(path, temporary_name(tree.connection().reactor()));
  auto file = co_await attempt(
      Open::create(tree, std::move(temporary),
                   for_writing(wire::CreateDisposition::create, wire::AccessMask::delete_access,
                               options.write_through)));
  if (!file) co_return std::move(file).error().about(tree.name() + "/" + path);
  (*file)->shown_as(path);
  RemoteTarget target(std::move(*file), std::move(path), options);
  if (old) target.kept_attributes_ = old->attributes & inherited_attributes;
  co_return std::move(target);
}

Task<void> RemoteTarget::finish(std::uint64_t size, BasicInformation information) {
  FileStatus written = co_await open_->status();
  if (written.size_bytes > size && !options_.through_temporary) {
    co_await open_->set_end_of_file(size);
    written.size_bytes = size;
  }
  if (written.size_bytes != size) {
    co_await Error(ErrorKind::failed, "the server holds " + std::to_string(written.size_bytes) +
                                          " bytes where " + std::to_string(size) + " were written")
        .on(open_->display());
  }
  // The name first: on a file with the read-only attribute a server may refuse the rename.
  if (options_.through_temporary) {
    renaming_ = true;
    co_await open_->rename(path_, !options_.must_not_exist);
  }
  auto ended = co_await attempt(end(size, information));
  if (ended) co_return;
  Error error = std::move(ended).error();
  if (options_.through_temporary) {
    error = std::move(error).advise_also(
        "the new file is in place with all of its data, but perhaps without its times and "
        "attributes");
  }
  co_await std::move(error);
}

Task<void> RemoteTarget::end(std::uint64_t size, BasicInformation information) {
  information.attributes |= kept_attributes_;
  const bool anything = information.attributes != 0 || information.write_time != 0 ||
                        information.creation_time != 0 || information.access_time != 0;
  if (anything) co_await open_->set_basic(information);
  const FileStatus closed = co_await open_->close();
  if (closed.size_bytes != size) {
    co_await Error(ErrorKind::failed, "the file has " + std::to_string(closed.size_bytes) +
                                          " bytes at its end where " + std::to_string(size) +
                                          " were written")
        .on(open_->display());
  }
}

Task<void> RemoteTarget::discard(Error& failure) {
  const std::string temporary = open_->path();
  if (!options_.through_temporary || temporary == path_) {
    if (open_->is_closed()) co_return;
    auto closed = co_await attempt(open_->close());
    static_cast<void>(closed);  // the failure has been told
    co_return;
  }
  auto removing = renaming_ ? remove_by_name() : remove_by_handle();
  auto removed = co_await attempt(std::move(removing));
  if (!removed) {
    failure = std::move(failure).advise_also("the incomplete file " + open_->tree().name() + "/" +
                                             temporary + " could not be removed; remove it");
  }
}

Task<void> RemoteTarget::remove_by_handle() {
  auto marked = co_await attempt(open_->remove_on_close());
  auto closed = co_await attempt(open_->close());
  co_await std::move(marked);
  co_await std::move(closed);
}

// A server may have carried out the rename that it says has failed: the handle's file would then be
// the only one left.
Task<void> RemoteTarget::remove_by_name() {
  auto closed = co_await attempt(open_->close());
  co_await std::move(closed);
  CreateParameters parameters;
  parameters.desired_access = wire::AccessMask::delete_access;
  parameters.disposition = wire::CreateDisposition::open;
  parameters.options =
      wire::CreateOptions::non_directory_file | wire::CreateOptions::delete_on_close;
  auto doomed = co_await attempt(Open::create(open_->tree(), open_->path(), std::move(parameters)));
  if (!doomed && doomed.error().kind() == ErrorKind::not_found) co_return;
  auto open = co_await std::move(doomed);
  co_await open->close();
}

}  // namespace smb3
