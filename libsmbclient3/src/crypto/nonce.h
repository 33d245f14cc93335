// Nonces for sealing that never repeat under one key, whatever channel uses them.
#pragma once

#include "base/bytes.h"

#include <smbclient3/error.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace smb3 {

// The Nonce field of the TRANSFORM_HEADER ([MS-SMB2] 2.2.41). AES-GCM uses the first 12 bytes and
// AES-CCM the first 11; ours count in the low 8 and leave the rest zero, so both see all of it.
using Nonce = std::array<std::byte, 16>;

// 2^48 nonces of one channel: the number of the range in the top 16 bits, a counter below. One
// thread uses it. Moving leaves an empty range behind.
class NonceRange {
 public:
  static constexpr std::uint64_t counters = std::uint64_t{1} << 48;

  explicit NonceRange(std::uint16_t number, std::uint64_t first_counter = 0) noexcept
      : number_(number), counter_(first_counter) {}
  NonceRange(NonceRange&& other) noexcept
      : number_(other.number_), counter_(std::exchange(other.counter_, counters)) {}
  NonceRange& operator=(NonceRange&& other) noexcept {
    number_ = other.number_;
    counter_ = std::exchange(other.counter_, counters);
    return *this;
  }

  // An error when all were used: only a new session (new keys) helps.
  Result<Nonce> next();

 private:
  std::uint16_t number_;
  std::uint64_t counter_;
};

// Belongs to a session, as its keys do. A channel takes a range when it is made, and a new one when
// it is made again. Any thread may call.
class NonceSource {
 public:
  static constexpr std::uint64_t ranges = std::uint64_t{1} << 16;

  Result<NonceRange> next_range();

 private:
  std::atomic<std::uint64_t> next_number_{0};
};

}  // namespace smb3
