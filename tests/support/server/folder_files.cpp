#include "support/server/folder_files.h"

#include "support/server/names.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <memory>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

namespace smb3::server {

namespace {

constexpr const char* facts_attribute = "user.smb3_testserver";
constexpr std::size_t facts_bytes = 12;

wire::FileTime file_time_of(const struct statx_timestamp& time) {
  return wire::to_file_time({static_cast<std::time_t>(time.tv_sec), time.tv_nsec});
}

struct DirectoryCloser {
  void operator()(DIR* directory) const noexcept { ::closedir(directory); }
};

// A path to a file by its folder's descriptor, for calls that have no *at() form.
std::string path_through(int folder, const std::string& name) {
  std::string path = "/proc/self/fd/" + std::to_string(folder);
  if (!name.empty()) path += '/' + name;
  return path;
}

}  // namespace

Descriptor::~Descriptor() {
  if (fd_ >= 0) ::close(fd_);
}

NtStatus status_of_errno(int error_number) noexcept {
  switch (error_number) {
    case ENOENT: return NtStatus::object_name_not_found;
    case ENOTDIR: return NtStatus::object_path_not_found;
    case EACCES:
    case EPERM:
    case EBADF:
    case ELOOP:
    case EXDEV: return NtStatus::access_denied;
    case EROFS: return NtStatus::media_write_protected;
    case EEXIST: return NtStatus::object_name_collision;
    case ENOTEMPTY: return NtStatus::directory_not_empty;
    case ENOSPC:
    case EDQUOT:
    case EFBIG: return NtStatus::disk_full;
    case ENAMETOOLONG: return NtStatus::object_name_invalid;
    case EISDIR: return NtStatus::file_is_a_directory;
    case EMFILE:
    case ENFILE: return NtStatus::too_many_opened_files;
    case ENOMEM: return NtStatus::insufficient_resources;
    case EIO: return NtStatus::io_device_error;
    case EINVAL: return NtStatus::invalid_parameter;
    default: return NtStatus::unsuccessful;
  }
}

StatusOr<Descriptor> open_beneath(int folder, const std::string& path, int flags) {
  open_how how{};
  how.flags = static_cast<std::uint64_t>(flags | O_CLOEXEC);
  if (flags & O_CREAT) how.mode = 0644;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS;
  const char* const name = path.empty() ? "." : path.c_str();
  const long fd = ::syscall(SYS_openat2, folder, name, &how, sizeof how);
  if (fd < 0) return refuse_errno(errno);
  return Descriptor(static_cast<int>(fd));
}

StatusOr<std::vector<std::string>> names_in(int folder) {
  // A descriptor of its own: where readdir() stands belongs to the open file.
  const int own = ::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (own < 0) return refuse_errno(errno);
  const std::unique_ptr<DIR, DirectoryCloser> directory(::fdopendir(own));
  if (!directory) {
    ::close(own);
    return refuse(NtStatus::insufficient_resources);
  }
  std::vector<std::string> names;
  while (const dirent* entry = ::readdir(directory.get())) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  std::ranges::sort(names);
  return names;
}

std::optional<std::string> find_name(int folder, const std::string& wanted) {
  struct stat found;
  if (::fstatat(folder, wanted.c_str(), &found, AT_SYMLINK_NOFOLLOW) == 0) return wanted;
  const auto name = from_utf8(wanted);
  const auto all = names_in(folder);
  if (!name || !all) return std::nullopt;
  for (const std::string& candidate : *all) {
    const auto other = from_utf8(candidate);
    if (other && same_name(*name, *other)) return candidate;
  }
  return std::nullopt;
}

StatusOr<FileFacts> facts_of(int folder, const std::string& name) {
  struct statx found;
  const int flags = AT_SYMLINK_NOFOLLOW | (name.empty() ? AT_EMPTY_PATH : 0);
  if (::statx(folder, name.c_str(), flags, STATX_BASIC_STATS | STATX_BTIME, &found) != 0) {
    return refuse_errno(errno);
  }
  FileFacts facts;
  facts.key = {static_cast<dev_t>(found.stx_dev_major) << 32 | found.stx_dev_minor, found.stx_ino};
  facts.is_directory = S_ISDIR(found.stx_mode);
  facts.is_regular = S_ISREG(found.stx_mode);
  facts.is_read_only = (found.stx_mode & 0222) == 0;
  facts.size_bytes = facts.is_directory ? 0 : found.stx_size;
  facts.allocated_bytes = facts.is_directory ? 0 : found.stx_blocks * 512;
  facts.last_access_time = file_time_of(found.stx_atime);
  facts.last_write_time = file_time_of(found.stx_mtime);
  facts.change_time = file_time_of(found.stx_ctime);
  const bool born = found.stx_mask & STATX_BTIME;
  facts.creation_time = born ? file_time_of(found.stx_btime) : facts.change_time;
  return facts;
}

DosFacts DosFactsKeeper::get(int folder, const std::string& name, const FileKey& key) const {
  if (const auto found = in_memory_.find(key); found != in_memory_.end()) return found->second;
  std::array<std::byte, facts_bytes> value;
  const ssize_t got = name.empty()
                          ? ::fgetxattr(folder, facts_attribute, value.data(), value.size())
                          : ::lgetxattr(path_through(folder, name).c_str(), facts_attribute,
                                        value.data(), value.size());
  if (got != static_cast<ssize_t>(value.size())) return {};
  return {wire::FileAttributes{load_le<std::uint32_t>(value.data())},
          wire::FileTime{load_le<std::uint64_t>(value.data() + 4)}};
}

void DosFactsKeeper::set(int file, const FileKey& key, const DosFacts& facts) {
  std::array<std::byte, facts_bytes> value;
  store_le(value.data(), std::to_underlying(facts.attributes));
  store_le(value.data() + 4, std::to_underlying(facts.creation_time));
  if (::fsetxattr(file, facts_attribute, value.data(), value.size(), 0) == 0) {
    in_memory_.erase(key);
  } else {
    in_memory_[key] = facts;
  }
}

}  // namespace smb3::server
