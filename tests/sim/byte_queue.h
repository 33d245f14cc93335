// Bytes on their way: in at one end, out at the other.
#pragma once

#include "base/bytes.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <vector>

namespace smb3::sim {

class ByteQueue {
 public:
  std::size_t size() const noexcept { return bytes_.size() - begin_; }

  void push(Bytes bytes) {
    if (begin_ != 0 && begin_ >= bytes_.size() / 2) {
      bytes_.erase(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(begin_));
      begin_ = 0;
    }
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }
  // Precondition: so many are there.
  void pop(MutableBytes into) noexcept {
    assert(into.size() <= size());
    if (!into.empty()) std::memcpy(into.data(), bytes_.data() + begin_, into.size());
    begin_ += into.size();
  }
  std::byte& at(std::size_t index) noexcept { return bytes_[begin_ + index]; }
  void cut_to(std::size_t count) { bytes_.resize(begin_ + std::min(count, size())); }

 private:
  std::vector<std::byte> bytes_;
  std::size_t begin_ = 0;
};

}  // namespace smb3::sim
