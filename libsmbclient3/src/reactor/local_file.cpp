// Operations of files, with their errors put into words.
#include "reactor/local_file.h"

#include <algorithm>
#include <array>
#include <sys/mman.h>

#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace smb3 {

LocalFile::LocalFile(Reactor& reactor, int fd, std::string path) noexcept
    : reactor_(&reactor), fd_(fd), path_(std::move(path)) {}

LocalFile::LocalFile(LocalFile&& other) noexcept
    : reactor_(other.reactor_), fd_(std::exchange(other.fd_, -1)), path_(std::move(other.path_)) {}

LocalFile& LocalFile::operator=(LocalFile&& other) noexcept {
  std::swap(reactor_, other.reactor_);
  std::swap(fd_, other.fd_);
  std::swap(path_, other.path_);
  return *this;
}

LocalFile::~LocalFile() {
  if (fd_ >= 0) reactor_->close_now(fd_);
}

Error LocalFile::failed(int error_number, const char* operation) const {
  // A pipe that nobody reads any longer says nothing about the server.
  if (error_number == EPIPE) {
    return Error(ErrorKind::local, "").system(error_number).during(operation).on(path_);
  }
  return system_error(error_number, operation).on(path_);
}

Task<LocalFile> LocalFile::open(Reactor& reactor, int directory_fd, std::string path, int flags,
                                mode_t mode, std::uint64_t resolve) {
  open_how how{};
  how.flags = static_cast<std::uint64_t>(flags | O_CLOEXEC);
  // openat2 is strict about both. O_TMPFILE has the bit of O_DIRECTORY in it.
  const bool creates = (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
  how.mode = creates ? mode & 07777 : 0;
  how.resolve = resolve;
  Operation operation{
      .code = OperationCode::open, .fd = directory_fd, .path = path.c_str(), .how = &how};
  const int result = co_await perform(reactor, operation);
  if (result < 0) co_await system_error(-result, "openat2").on(path);
  co_return LocalFile(reactor, result, std::move(path));
}

Task<std::size_t> LocalFile::read_at(MutableBytes bytes, std::uint64_t offset,
                                     std::int16_t buffer_index) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    Operation operation{.code = OperationCode::read,
                        .buffer_index = buffer_index,
                        .fd = fd_,
                        .buffer = bytes.data() + done,
                        .length = bytes.size() - done,
                        .offset = offset + done};
    const int result = co_await perform(*reactor_, operation);
    if (result < 0) co_await failed(-result, "read");
    if (result == 0) break;
    done += static_cast<std::size_t>(result);
  }
  co_return done;
}

Task<void> LocalFile::write_all_at(Bytes bytes, std::uint64_t offset, std::int16_t buffer_index) {
  while (!bytes.empty()) {
    Operation operation{.code = OperationCode::write,
                        .buffer_index = buffer_index,
                        .fd = fd_,
                        .buffer = const_cast<std::byte*>(bytes.data()),  // only read
                        .length = bytes.size(),
                        .offset = offset};
    const int result = co_await perform(*reactor_, operation);
    if (result < 0) co_await failed(-result, "write");
    // Asking again for what makes no progress might never end.
    if (result == 0) co_await failed(EIO, "write");
    bytes = bytes.subspan(static_cast<std::size_t>(result));
    if (offset != current_position) offset += static_cast<std::size_t>(result);
  }
}

MappedPart::~MappedPart() {
  if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

namespace {

constexpr std::size_t page_bytes = 4096;

}  // namespace

bool MappedPart::fill_if_cut_off(Bytes bytes) noexcept {
  const auto address = reinterpret_cast<std::uintptr_t>(bytes.data());
  const std::uintptr_t start = address / page_bytes * page_bytes;
  auto* pages = reinterpret_cast<void*>(start);
  const std::size_t length = bytes.size() + (address - start);
  if (::madvise(pages, length, MADV_POPULATE_READ) == 0 || errno != EFAULT) return false;
  return ::mmap(pages, length, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == pages;
}

namespace {

// Linux 6.5; the C library does not know it yet.
struct CachestatRange {
  std::uint64_t offset;
  std::uint64_t length;
};
struct CachestatCounts {
  std::uint64_t cached_pages, dirty, writeback, evicted, recently_evicted;
};
constexpr long cachestat_call = 451;

// Whether touching the bytes waits for no disk. Of files that the caller may not write the kernel
// does not tell the truth; then a disk is waited for here, at worst.
bool is_resident(int fd, std::uint64_t offset, Bytes bytes) {
  CachestatRange range{offset, bytes.size()};
  CachestatCounts counts{};
  if (::syscall(cachestat_call, fd, &range, &counts, 0) == 0) {
    return counts.cached_pages >= bytes.size() / page_bytes;
  }
  std::array<unsigned char, 1024> pages;
  const std::size_t count = (bytes.size() + page_bytes - 1) / page_bytes;
  if (count > pages.size()) return false;
  auto* start = const_cast<std::byte*>(bytes.data());
  if (::mincore(start, bytes.size(), pages.data()) != 0) return false;
  return std::all_of(pages.begin(), pages.begin() + static_cast<std::ptrdiff_t>(count),
                     [](unsigned char page) { return (page & 1) != 0; });
}

}  // namespace

Task<MappedPart> LocalFile::map_at(std::uint64_t offset, std::size_t length) {
  void* memory = ::mmap(nullptr, length, PROT_READ, MAP_SHARED, fd_, static_cast<off_t>(offset));
  if (memory == MAP_FAILED) co_return failed(errno, "mmap");
  MappedPart part(Bytes(static_cast<const std::byte*>(memory), length));
  // What is in memory already is mapped at once; only a disk is worth the way to another thread.
  const bool resident = is_resident(fd_, offset, part.bytes());
  if (resident && ::madvise(memory, length, MADV_POPULATE_READ) == 0) co_return std::move(part);
  Operation operation{.code = OperationCode::advise,
                      .flags = MADV_POPULATE_READ,
                      .buffer = memory,
                      .length = length};
  const int result = co_await perform(*reactor_, operation);
  if (result < 0) co_return failed(-result, "madvise");
  co_return std::move(part);
}

Task<void> LocalFile::allocate(std::uint64_t offset, std::uint64_t length, int flags) {
  Operation operation{.code = OperationCode::allocate,
                      .fd = fd_,
                      .flags = flags,
                      .length = length,
                      .offset = offset};
  const int result = co_await perform(*reactor_, operation);
  if (result < 0) co_await failed(-result, "fallocate");
}

Task<void> LocalFile::sync() {
  Operation operation{.code = OperationCode::sync, .fd = fd_};
  const int result = co_await perform(*reactor_, operation);
  if (result < 0) co_await failed(-result, "fsync");
}

Task<struct statx> LocalFile::status(unsigned mask) {
  auto found = co_await attempt(stat_path(*reactor_, fd_, "", AT_EMPTY_PATH, mask));
  if (!found) co_await failed(found.error().system_errno(), "statx");
  co_return *found;
}

Task<void> LocalFile::close() {
  Operation operation{.code = OperationCode::close, .fd = std::exchange(fd_, -1)};
  const int result = co_await perform(*reactor_, operation);
  if (result < 0) co_await failed(-result, "close");
}

Result<void> LocalFile::plain(int result, const char* operation) const {
  if (result == 0) return {};
  return std::unexpected(failed(errno, operation));
}

Result<void> LocalFile::truncate(std::uint64_t length) {
  return plain(ftruncate(fd_, static_cast<off_t>(length)), "ftruncate");
}

Result<void> LocalFile::change_mode(mode_t mode) { return plain(fchmod(fd_, mode), "fchmod"); }

Result<void> LocalFile::set_times(timespec accessed, timespec modified) {
  const timespec times[2] = {accessed, modified};
  return plain(futimens(fd_, times), "futimens");
}

Task<void> rename_path(Reactor& reactor, int from_directory, std::string from, int to_directory,
                       std::string to, unsigned flags) {
  Operation operation{.code = OperationCode::rename,
                      .fd = from_directory,
                      .to_fd = to_directory,
                      .flags = static_cast<int>(flags),
                      .path = from.c_str(),
                      .to_path = to.c_str()};
  const int result = co_await perform(reactor, operation);
  if (result < 0) co_await system_error(-result, "renameat2").on(from);
}

Task<void> unlink_path(Reactor& reactor, int directory_fd, std::string path, int flags) {
  Operation operation{
      .code = OperationCode::unlink, .fd = directory_fd, .flags = flags, .path = path.c_str()};
  const int result = co_await perform(reactor, operation);
  if (result < 0) co_await system_error(-result, "unlinkat").on(path);
}

Task<void> make_directory(Reactor& reactor, int directory_fd, std::string path, mode_t mode) {
  Operation operation{.code = OperationCode::make_directory,
                      .fd = directory_fd,
                      .mode = mode,
                      .path = path.c_str()};
  const int result = co_await perform(reactor, operation);
  if (result < 0) co_await system_error(-result, "mkdirat").on(path);
}

Task<struct statx> stat_path(Reactor& reactor, int directory_fd, std::string path, int flags,
                             unsigned mask) {
  struct statx found{};
  Operation operation{.code = OperationCode::status,
                      .fd = directory_fd,
                      .flags = flags,
                      .mode = mask,
                      .buffer = &found,
                      .path = path.c_str()};
  const int result = co_await perform(reactor, operation);
  if (result < 0) co_await system_error(-result, "statx").on(path);
  co_return found;
}

}  // namespace smb3
