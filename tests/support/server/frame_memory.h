// Memory of frames that come in or are sealed, used again and again.
#pragma once

#include "base/bytes.h"

#include <bit>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace smb3::server {

struct Frame {
  std::unique_ptr<std::byte[]> memory{};
  std::size_t capacity = 0;
  std::size_t size = 0;

  MutableBytes bytes() const noexcept { return {memory.get(), size}; }
};

class FrameMemory {
 public:
  // The one that came back last comes first: its memory is still in the processor's cache.
  Frame take(std::size_t size) {
    std::vector<Frame>& kept = size <= small_bytes ? small_ : large_;
    Frame frame;
    if (!kept.empty() && kept.back().capacity >= size) {
      frame = std::move(kept.back());
      kept.pop_back();
    } else {
      frame.capacity = size <= small_bytes ? small_bytes : std::bit_ceil(size);
      frame.memory = std::make_unique_for_overwrite<std::byte[]>(frame.capacity);
    }
    frame.size = size;
    return frame;
  }

  void give(Frame frame) {
    if (!frame.memory) return;
    std::vector<Frame>& kept = frame.capacity <= small_bytes ? small_ : large_;
    if (kept.size() < kept_max) kept.push_back(std::move(frame));
  }

 private:
  static constexpr std::size_t small_bytes = 4096;
  static constexpr std::size_t kept_max = 32;

  std::vector<Frame> small_;
  std::vector<Frame> large_;
};

}  // namespace smb3::server
