// What a connection's way through the network is like.
#pragma once

#include "reactor/operation.h"

#include <cstdint>
#include <limits>

namespace smb3::sim {

struct Link {
  Duration delay = std::chrono::microseconds(50);  // one way
  Duration jitter{};                               // that much more, at most
  std::uint64_t rate_bits = 10'000'000'000;        // a second, each way
  std::uint64_t send_buffer_bytes = 4 << 20;       // what send() hands over and nobody has yet
  std::uint64_t receive_buffer_bytes = 4 << 20;    // what nobody has read
  std::uint64_t segment_bytes_max = 64 << 10;      // that travel as one; by chance fewer
  bool always_whole = false;                       // as many as possible in each segment and call
  // Nothing gets through from here on, for ever.
  TimePoint dies_at = never;
  std::uint64_t dies_after_bytes = std::numeric_limits<std::uint64_t>::max();
  // In between nothing gets through, and then everything.
  TimePoint outage_begin = never;
  TimePoint outage_end = never;
  // Somebody turns a bit of one in so many segments; 0: nobody.
  std::uint64_t tampering_one_in = 0;
};

}  // namespace smb3::sim
