// Which part of a file is moved next: the only thing that lanes share.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

namespace smb3 {

struct Chunk {
  std::uint64_t offset = 0;
  std::uint32_t length = 0;
};

// Hands out a file piece by piece, in order of offset. One thread.
class ChunkCursor {
 public:
  // `size` of a stream whose end is not known: unknown_size.
  static constexpr std::uint64_t unknown_size = ~std::uint64_t{0};

  ChunkCursor(std::uint64_t size, std::uint32_t chunk_bytes) noexcept
      : end_(size), chunk_bytes_(chunk_bytes) {}

  std::optional<Chunk> next() noexcept {
    if (stopped_ || offset_ >= end_) return std::nullopt;
    const auto length =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(chunk_bytes_, end_ - offset_));
    Chunk chunk{offset_, length};
    offset_ += length;
    return chunk;
  }

  // No more chunks: the end of a stream was met, or something failed.
  void stop() noexcept { stopped_ = true; }
  bool stopped() const noexcept { return stopped_; }

 private:
  std::uint64_t offset_ = 0;
  std::uint64_t end_;
  std::uint32_t chunk_bytes_;
  bool stopped_ = false;
};

}  // namespace smb3
