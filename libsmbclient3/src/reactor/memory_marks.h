// Tells valgrind about memory that the kernel has written behind its back, and asks for it.
#pragma once

#include <cstddef>

#if __has_include(<valgrind/memcheck.h>)
#include <valgrind/memcheck.h>
#endif

namespace smb3 {

inline void mark_defined([[maybe_unused]] const void* memory,
                         [[maybe_unused]] std::size_t size) noexcept {
#ifdef VALGRIND_MAKE_MEM_DEFINED
  (void)VALGRIND_MAKE_MEM_DEFINED(memory, size);
#endif
}

inline bool under_valgrind() noexcept {
#ifdef RUNNING_ON_VALGRIND
  return RUNNING_ON_VALGRIND != 0;
#else
  return false;
#endif
}

}  // namespace smb3
