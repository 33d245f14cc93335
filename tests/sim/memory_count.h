// Counts what operator new gives out, so that a run can show that it gave everything back.
#pragma once

#include <cstddef>

namespace smb3::sim {

struct MemoryCount {
  std::size_t live = 0;  // allocations
  std::size_t live_bytes = 0;
  std::size_t peak_bytes = 0;
};

// Zeros where a sanitizer does its own counting.
MemoryCount memory_count() noexcept;
// The peak starts anew from what is live now.
void restart_peak() noexcept;

}  // namespace smb3::sim
