#include <smbclient3/directory.h>

#include "client/handles.h"

namespace smb3 {
namespace {

Task<void> close_abandoned(std::shared_ptr<Directory::Impl> directory) {
  co_await directory->listing->close();
}

}  // namespace

Directory::Directory(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Directory::Directory(Directory&&) noexcept = default;

Directory& Directory::operator=(Directory&& other) noexcept {
  std::swap(impl_, other.impl_);
  return *this;
}

Directory::~Directory() {
  if (!impl_ || impl_->listing->directory().is_closed() || impl_->share->closed) return;
  Engine& engine = impl_->share->node->engine();
  if (engine.is_shut_down()) return;
  std::shared_ptr<Impl> abandoned = std::move(impl_);
  engine.reactor().post(
      [&engine, abandoned] { engine.background().start(close_abandoned(abandoned)); });
}

Task<std::vector<DirectoryEntry>> Directory::next() { co_return co_await impl_->listing->next(); }

Task<void> Directory::close() { co_await impl_->listing->close(); }

}  // namespace smb3
