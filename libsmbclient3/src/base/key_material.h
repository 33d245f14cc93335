// A key of any length as an authentication mechanism gives it, overwritten before its memory goes.
#pragma once

#include "base/bytes.h"

#include <string.h>

#include <utility>
#include <vector>

namespace smb3 {

class KeyMaterial {
 public:
  KeyMaterial() = default;
  // Copies; the source stays the caller's to wipe.
  explicit KeyMaterial(Bytes source) : bytes_(source.begin(), source.end()) {}
  KeyMaterial(KeyMaterial&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}
  KeyMaterial& operator=(KeyMaterial&& other) noexcept {
    if (this == &other) return *this;
    wipe();
    bytes_ = std::exchange(other.bytes_, {});
    return *this;
  }
  ~KeyMaterial() { wipe(); }

  Bytes bytes() const noexcept { return bytes_; }
  std::size_t size() const noexcept { return bytes_.size(); }
  bool empty() const noexcept { return bytes_.empty(); }
  KeyMaterial clone() const { return KeyMaterial(bytes()); }

 private:
  void wipe() noexcept {
    if (!bytes_.empty()) ::explicit_bzero(bytes_.data(), bytes_.size());
  }

  std::vector<std::byte> bytes_;
};

}  // namespace smb3
