// A secret in text form, wiped when it is no longer needed.
#pragma once

#include <smbclient3/export.h>

#include <cstddef>
#include <memory>
#include <string_view>

namespace smb3 {

// Its bytes lie on the heap alone, are overwritten on destruction, and are copied only by clone().
class SMB3_API SecretString {
 public:
  SecretString() = default;
  explicit SecretString(std::string_view text);
  SecretString(SecretString&& other) noexcept;
  SecretString& operator=(SecretString&& other) noexcept;
  ~SecretString();

  SecretString clone() const { return SecretString(view()); }
  std::string_view view() const noexcept { return {bytes_.get(), size_}; }
  bool empty() const noexcept { return size_ == 0; }

 private:
  void wipe() noexcept;
  std::unique_ptr<char[]> bytes_;
  std::size_t size_ = 0;
};

}  // namespace smb3
