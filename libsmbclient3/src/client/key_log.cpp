#include "client/key_log.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

namespace smb3 {
namespace {

std::string hexadecimal(Bytes bytes) {
  constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (std::byte byte : bytes) {
    text += digits[std::to_integer<unsigned>(byte) >> 4];
    text += digits[std::to_integer<unsigned>(byte) & 15];
  }
  return text;
}

}  // namespace

Result<KeyLog> KeyLog::create(std::string path) {
  KeyLog log;
  if (path.empty()) return log;
  log.fd_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (log.fd_ < 0) {
    return std::unexpected(
        system_error(errno, "open").on(path).advise("name a key log file that does not exist"));
  }
  log.path_ = std::move(path);
  return log;
}

KeyLog::KeyLog(KeyLog&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), path_(std::move(other.path_)) {}

KeyLog& KeyLog::operator=(KeyLog&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(path_, other.path_);
  return *this;
}

KeyLog::~KeyLog() {
  if (fd_ >= 0) ::close(fd_);
}

Result<void> KeyLog::add(std::uint64_t session_id, Bytes session_key) {
  if (fd_ < 0) return {};
  std::byte id[sizeof session_id];
  store_le(id, session_id);
  std::byte key[16] = {};
  std::memcpy(key, session_key.data(), std::min(session_key.size(), sizeof key));
  std::string line = hexadecimal(id) + "," + hexadecimal(key) + ",\"\",\"\"\n";
  const ssize_t written = ::write(fd_, line.data(), line.size());
  const int error_number = errno;
  explicit_bzero(key, sizeof key);
  explicit_bzero(line.data(), line.size());
  if (written == static_cast<ssize_t>(line.size())) return {};
  return std::unexpected(system_error(written < 0 ? error_number : ENOSPC, "write").on(path_));
}

}  // namespace smb3
