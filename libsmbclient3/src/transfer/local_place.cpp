#include "transfer/local_place.h"

#include <cerrno>
#include <linux/openat2.h>

namespace smb3 {
namespace {

constexpr int folder_flags = O_PATH | O_DIRECTORY;
constexpr std::uint64_t never_out = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS;

// Up to the last slash, and the rest; "/" stays.
std::pair<std::string, std::string> split(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == path.npos) return {"", path};
  return {path.substr(0, slash == 0 ? 1 : slash), path.substr(slash + 1)};
}

}  // namespace

Task<LocalPlace> LocalPlace::find(Reactor& reactor, Local file) {
  LocalPlace place;
  place.is_beneath_ = file.is_beneath();
  const std::string& path = file.path();
  if (!place.is_beneath_) {
    auto [folder, name] = split(path);
    place.name_ = std::move(name);
    if (folder.empty()) co_return std::move(place);
    auto opened = co_await attempt(LocalFile::open(reactor, AT_FDCWD, folder, folder_flags));
    if (!opened) co_return std::move(opened).error().about(path);
    place.folder_ = std::move(*opened);
    co_return std::move(place);
  }
  const std::string root = file.root();
  const std::size_t start = path.find_first_not_of('/', root.size());
  auto [folder, name] = split(start == path.npos ? std::string() : path.substr(start));
  if (name.empty() || name == "." || name == "..") {
    co_return Error(ErrorKind::local, "no local file can have this name").on(path);
  }
  place.name_ = std::move(name);
  auto top = co_await attempt(LocalFile::open(reactor, AT_FDCWD, root, folder_flags));
  if (!top) co_return std::move(top).error().about(path);
  place.folder_ = std::move(*top);
  if (folder.empty()) co_return std::move(place);
  auto opened = co_await attempt(
      LocalFile::open(reactor, place.folder_.fd(), folder, folder_flags, 0, never_out));
  if (!opened) {
    Error error = std::move(opened).error().about(path);
    if (error.system_errno() == ELOOP || error.system_errno() == ENOTDIR) {
      error = std::move(error).advise("symbolic links are not followed below " + root);
    }
    co_return std::move(error);
  }
  place.folder_ = std::move(*opened);
  co_return std::move(place);
}

}  // namespace smb3
