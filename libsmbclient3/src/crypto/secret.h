// Keys: bytes that are wiped when they go and that no stream prints.
#pragma once

#include "base/bytes.h"

#include <array>
#include <cassert>
#include <cstddef>
#include <cstring>

namespace smb3 {

// Writes zeros that the compiler may not leave out.
void cleanse(MutableBytes bytes) noexcept;
// Takes the same time wherever the difference lies. Lengths are no secret.
bool equal_in_constant_time(Bytes a, Bytes b) noexcept;

// At most `Capacity` bytes, kept inside the object. A copy is made only by clone(), so that each
// one shows in the source.
template <std::size_t Capacity>
class SecretBytes {
 public:
  static constexpr std::size_t capacity = Capacity;

  SecretBytes() = default;
  // Precondition: bytes.size() <= Capacity.
  explicit SecretBytes(Bytes bytes) noexcept : size_(bytes.size()) {
    assert(bytes.size() <= Capacity);
    if (size_ != 0) std::memcpy(bytes_.data(), bytes.data(), size_);
  }
  SecretBytes(SecretBytes&& other) noexcept : SecretBytes(other.bytes()) { other.wipe(); }
  SecretBytes& operator=(SecretBytes&& other) noexcept {
    if (this != &other) {
      bytes_ = other.bytes_;
      size_ = other.size_;
      other.wipe();
    }
    return *this;
  }
  ~SecretBytes() { wipe(); }

  // Zeros, to be filled through mutable_bytes().
  static SecretBytes zeros(std::size_t size) noexcept {
    assert(size <= Capacity);
    SecretBytes zeros;
    zeros.size_ = size;
    return zeros;
  }
  SecretBytes clone() const noexcept { return SecretBytes(bytes()); }

  std::size_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  Bytes bytes() const noexcept { return {bytes_.data(), size_}; }
  MutableBytes mutable_bytes() noexcept { return {bytes_.data(), size_}; }

  friend bool operator==(const SecretBytes& a, const SecretBytes& b) noexcept {
    return equal_in_constant_time(a.bytes(), b.bytes());
  }

 private:
  void wipe() noexcept {
    cleanse(bytes_);
    size_ = 0;
  }

  std::array<std::byte, Capacity> bytes_{};
  std::size_t size_ = 0;
};

// The longest key that SMB uses is one of AES-256.
using Key = SecretBytes<32>;

}  // namespace smb3
