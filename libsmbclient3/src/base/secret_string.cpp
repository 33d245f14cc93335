#include <smbclient3/secret_string.h>

#include <cstring>
#include <utility>

namespace smb3 {

SecretString::SecretString(std::string_view text)
    : bytes_(text.empty() ? nullptr : new char[text.size()]), size_(text.size()) {
  if (size_ != 0) std::memcpy(bytes_.get(), text.data(), size_);
}

SecretString::SecretString(SecretString&& other) noexcept
    : bytes_(std::move(other.bytes_)), size_(std::exchange(other.size_, 0)) {}

SecretString& SecretString::operator=(SecretString&& other) noexcept {
  if (this != &other) {
    wipe();
    bytes_ = std::move(other.bytes_);
    size_ = std::exchange(other.size_, 0);
  }
  return *this;
}

SecretString::~SecretString() { wipe(); }

void SecretString::wipe() noexcept {
  if (bytes_) explicit_bzero(bytes_.get(), size_);
}

}  // namespace smb3
