#include "password_source.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <utility>

namespace smb3::cli {
namespace {

constexpr std::size_t file_bytes_max = 65536;
constexpr std::size_t password_bytes_max = 4096;

// A buffer of secrets, overwritten in the end. It never grows, so that no copy stays behind.
class SecretBuffer {
 public:
  explicit SecretBuffer(std::size_t size) : bytes_(size, '\0') {}
  SecretBuffer(const SecretBuffer&) = delete;
  SecretBuffer& operator=(const SecretBuffer&) = delete;
  ~SecretBuffer() { explicit_bzero(bytes_.data(), bytes_.size()); }
  std::string& bytes() noexcept { return bytes_; }

 private:
  std::string bytes_;
};

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  int number() const noexcept { return number_; }

 private:
  int number_;
};

// Up to `size` bytes, fewer only at the end.
Result<std::size_t> read_some(int descriptor, char* into, std::size_t size) {
  std::size_t used = 0;
  while (used < size) {
    ssize_t got = ::read(descriptor, into + used, size - used);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::unexpected(system_error(errno, "read"));
    if (got == 0) break;
    used += static_cast<std::size_t>(got);
  }
  return used;
}

// One byte at a time: what follows the line belongs to whoever reads the descriptor next.
Result<SecretString> read_line(int descriptor) {
  SecretBuffer buffer(password_bytes_max);
  std::size_t used = 0;
  while (used < password_bytes_max) {
    char* here = buffer.bytes().data() + used;
    auto got = read_some(descriptor, here, 1);
    if (!got) return std::unexpected(std::move(got).error());
    if (*got == 0 || *here == '\n' || *here == '\0') break;
    ++used;
  }
  std::string_view line(buffer.bytes().data(), used);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return SecretString(line);
}

std::string_view without_blanks_in_front(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  return text;
}

std::string_view trimmed(std::string_view text) {
  text = without_blanks_in_front(text);
  return text.substr(0, text.find_last_not_of(" \t") + 1);
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  }
  return out;
}

// Whether the line was understood.
bool take_line(std::string_view line, NamedUser& user, std::string& domain) {
  std::size_t equals = line.find('=');
  if (equals == line.npos) return false;
  std::string key = lower(trimmed(line.substr(0, equals)));
  std::string_view value = without_blanks_in_front(line.substr(equals + 1));
  if (key == "password") {
    user.password.emplace(value);
  } else if (key == "username") {
    NamedUser named = parse_user_name(trimmed(value));
    user.domain = std::move(named.domain);
    user.user = std::move(named.user);
  } else if (key == "domain" || key == "realm") {
    domain = trimmed(value);
  } else {
    return false;
  }
  return true;
}

}  // namespace

NamedUser parse_user_name(std::string_view text) {
  NamedUser named;
  if (auto slash = text.find_first_of("\\/"); slash != text.npos) {
    named.domain = text.substr(0, slash);
    named.user = text.substr(slash + 1);
  } else {
    named.user = text;
  }
  return named;
}

NamedUser parse_user(std::string_view text) {
  std::size_t percent = text.find('%');
  NamedUser named = parse_user_name(text.substr(0, percent));
  if (percent != text.npos) named.password.emplace(text.substr(percent + 1));
  return named;
}

Result<NamedUser> parse_authentication_file(std::string_view text) {
  NamedUser user;
  std::string domain;
  for (int number = 1; !text.empty(); ++number) {
    std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    std::string_view content = trimmed(line);
    if (content.empty() || content.front() == '#' || content.front() == ';') continue;
    if (!take_line(line, user, domain)) {
      return std::unexpected(
          Error(ErrorKind::local, "line " + std::to_string(number) + " is not understood")
              .advise("its lines are 'username = ', 'password = ' and 'domain = '"));
    }
  }
  if (user.domain.empty()) user.domain = std::move(domain);
  return user;
}

Result<NamedUser> read_authentication_file(const std::string& path) {
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.number() < 0) return std::unexpected(system_error(errno, "open").on(path));
  SecretBuffer buffer(file_bytes_max + 1);
  auto used = read_some(file.number(), buffer.bytes().data(), buffer.bytes().size());
  if (!used) return std::unexpected(std::move(used).error().on(path));
  if (*used > file_bytes_max) {
    return std::unexpected(Error(ErrorKind::local, "too large for such a file").on(path));
  }
  auto user = parse_authentication_file(std::string_view(buffer.bytes()).substr(0, *used));
  if (!user) return std::unexpected(std::move(user).error().on(path));
  return user;
}

Result<SecretString> read_password_file(const std::string& path) {
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.number() < 0) return std::unexpected(system_error(errno, "open").on(path));
  auto password = read_line(file.number());
  if (!password) return std::unexpected(std::move(password).error().on(path));
  return password;
}

Result<SecretString> read_password_descriptor(std::string_view number) {
  int descriptor = -1;
  auto [end, code] = std::from_chars(number.data(), number.data() + number.size(), descriptor);
  if (code != std::errc{} || end != number.data() + number.size() || descriptor < 0) {
    return std::unexpected(Error(ErrorKind::local, "not the number of a descriptor"));
  }
  return read_line(descriptor);
}

}  // namespace smb3::cli
