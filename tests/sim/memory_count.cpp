#include "sim/memory_count.h"

#include <malloc.h>

#include <algorithm>
#include <cstdlib>
#include <new>

namespace smb3::sim {
namespace {

// Simulations run on one thread.
constinit MemoryCount counts;

}  // namespace

MemoryCount memory_count() noexcept { return counts; }

void restart_peak() noexcept { counts.peak_bytes = counts.live_bytes; }

}  // namespace smb3::sim

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SMB3_SIM_SANITIZED
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SMB3_SIM_SANITIZED
#endif

#ifndef SMB3_SIM_SANITIZED

namespace {

void* counted(void* memory) {
  if (!memory) std::abort();
  auto& counts = smb3::sim::counts;
  ++counts.live;
  counts.live_bytes += ::malloc_usable_size(memory);
  counts.peak_bytes = std::max(counts.peak_bytes, counts.live_bytes);
  return memory;
}

void give_back(void* memory) noexcept {
  if (!memory) return;
  auto& counts = smb3::sim::counts;
  --counts.live;
  counts.live_bytes -= ::malloc_usable_size(memory);
  std::free(memory);
}

}  // namespace

void* operator new(std::size_t size) { return counted(std::malloc(size)); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  const auto to = static_cast<std::size_t>(alignment);
  return counted(std::aligned_alloc(to, (size + to - 1) / to * to));
}
void operator delete(void* memory) noexcept { give_back(memory); }
void operator delete(void* memory, std::size_t) noexcept { give_back(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { give_back(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { give_back(memory); }

#endif
