// A growing run of bytes that needs no allocation while it is small.
#pragma once

#include "base/bytes.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>

namespace smb3 {

// Holds a message while it is built. Messages of the data path fit the inline part.
class ByteBuffer {
 public:
  static constexpr std::size_t inline_bytes = 256;

  ByteBuffer() = default;
  ByteBuffer(const ByteBuffer&) = delete;
  ByteBuffer& operator=(const ByteBuffer&) = delete;

  std::byte* data() noexcept { return heap_ ? heap_.get() : inline_.data(); }
  const std::byte* data() const noexcept { return heap_ ? heap_.get() : inline_.data(); }
  std::size_t size() const noexcept { return size_; }
  MutableBytes bytes() noexcept { return {data(), size_}; }
  Bytes bytes() const noexcept { return {data(), size_}; }

  void clear() noexcept { size_ = 0; }

  // Adds `count` zero bytes and returns where they begin. Pointers into the buffer move.
  std::byte* extend(std::size_t count) {
    reserve(size_ + count);
    std::byte* at = data() + size_;
    std::fill_n(at, count, std::byte{0});
    size_ += count;
    return at;
  }

  void append(Bytes more) {
    std::byte* at = extend(more.size());
    std::copy(more.begin(), more.end(), at);
  }

  // Zero bytes up to the next multiple of `alignment` (a power of two), counted from the start.
  void pad(std::size_t alignment) { extend(align_up(size_, alignment) - size_); }

 private:
  void reserve(std::size_t wanted) {
    if (wanted <= capacity_) return;
    const std::size_t capacity = std::max(wanted, capacity_ * 2);
    auto heap = std::make_unique<std::byte[]>(capacity);
    std::copy_n(data(), size_, heap.get());
    heap_ = std::move(heap);
    capacity_ = capacity;
  }

  std::size_t size_ = 0;
  std::size_t capacity_ = inline_bytes;
  std::array<std::byte, inline_bytes> inline_;
  std::unique_ptr<std::byte[]> heap_;
};

}  // namespace smb3
