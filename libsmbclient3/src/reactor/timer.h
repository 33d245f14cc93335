// Points in time.
#pragma once

#include "reactor/operation.h"

#include <cstddef>
#include <cstdint>

namespace smb3 {

class Reactor;

// A point in time at which something of ours runs. Intrusive: its owner keeps it at its address
// while it is set. Belongs to the reactor's thread.
class Timer {
 public:
  explicit Timer(Reactor& reactor) noexcept : reactor_(reactor) {}
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;
  ~Timer();

  // Calls `fire` on the reactor's thread at `when`; replaces an earlier setting.
  void set(TimePoint when, void (*fire)(void* context), void* context);
  void clear() noexcept;
  // Fires as soon as it can, if it is set.
  void hasten();
  bool is_set() const noexcept { return place_ != unset; }

 private:
  friend class Reactor;
  static constexpr std::size_t unset = static_cast<std::size_t>(-1);
  Reactor& reactor_;
  TimePoint when_ = never;
  std::uint64_t order_ = 0;  // of two timers for one time the one set first fires first
  void (*fire_)(void*) = nullptr;
  void* context_ = nullptr;
  std::size_t place_ = unset;  // in the reactor's heap
};

}  // namespace smb3
