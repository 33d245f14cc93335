// What all fuzz targets share: what must hold, and reading values out of the fuzzer's bytes.
#pragma once

#include "base/bytes.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

// A target defines this: one run over one input.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace smb3::fuzz {

using Octets = std::vector<std::byte>;

// A finding: the run ends here, and the fuzzer keeps its input.
inline void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "FINDING: %s\n", what);
  std::abort();
}

inline Bytes input_of(const std::uint8_t* data, std::size_t size) {
  return std::as_bytes(std::span(data, size));
}

inline std::string_view text_of(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Takes values from the front; zeros when nothing is left.
class Input {
 public:
  explicit Input(Bytes bytes) : left_(bytes) {}

  bool empty() const noexcept { return left_.empty(); }
  Bytes rest() noexcept { return take(left_.size()); }
  Bytes take(std::size_t size) noexcept {
    const Bytes taken = left_.first(std::min(size, left_.size()));
    left_ = left_.subspan(taken.size());
    return taken;
  }
  template <std::unsigned_integral T>
  T number() noexcept {
    T value = 0;
    const Bytes bytes = take(sizeof value);
    std::copy(bytes.begin(), bytes.end(), reinterpret_cast<std::byte*>(&value));
    return value;
  }
  std::uint8_t byte() noexcept { return number<std::uint8_t>(); }
  // A length of two bytes, and so many bytes.
  Bytes block() noexcept { return take(number<std::uint16_t>()); }

 private:
  Bytes left_;
};

// The other way: what a seed is put together from.
class Output {
 public:
  template <std::unsigned_integral T>
  Output& number(T value) {
    const std::size_t at = bytes_.size();
    bytes_.resize(at + sizeof value);
    store_le(bytes_.data() + at, value);
    return *this;
  }
  Output& byte(unsigned value) { return number(static_cast<std::uint8_t>(value)); }
  Output& raw(Bytes bytes) {
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    return *this;
  }
  Output& block(Bytes bytes) { return number(static_cast<std::uint16_t>(bytes.size())).raw(bytes); }
  const Octets& bytes() const noexcept { return bytes_; }

 private:
  Octets bytes_;
};

// A copy in memory of just that size, so that a sanitizer sees every byte that is read outside.
class Exact {
 public:
  explicit Exact(Bytes bytes) : size_(bytes.size()), bytes_(new std::byte[size_]) {
    std::copy(bytes.begin(), bytes.end(), bytes_.get());
  }
  Bytes bytes() const noexcept { return {bytes_.get(), size_}; }
  MutableBytes mutable_bytes() noexcept { return {bytes_.get(), size_}; }

 private:
  std::size_t size_;
  std::unique_ptr<std::byte[]> bytes_;
};

}  // namespace smb3::fuzz
