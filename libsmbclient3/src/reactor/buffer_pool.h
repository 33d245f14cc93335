// A fixed number of large buffers for payloads, and a budget of how many replies may need one.
#pragma once

#include "reactor/reactor.h"

#include <smbclient3/task.h>

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <utility>

namespace smb3 {

class BufferPool;

// One buffer of a pool, back in it when destroyed.
class Buffer {
 public:
  Buffer() = default;
  Buffer(Buffer&& other) noexcept
      : pool_(std::exchange(other.pool_, nullptr)), place_(other.place_) {}
  Buffer& operator=(Buffer&& other) noexcept {
    std::swap(pool_, other.pool_);
    std::swap(place_, other.place_);
    return *this;
  }
  ~Buffer() { reset(); }

  explicit operator bool() const noexcept { return pool_ != nullptr; }
  std::byte* data() const noexcept;
  std::size_t size() const noexcept;
  MutableBytes bytes() const noexcept { return {data(), size()}; }
  // For Operation::buffer_index: -1 where the kernel does not know this memory.
  std::int16_t registered_index() const noexcept;
  void reset() noexcept;

 private:
  friend class BufferPool;
  friend class SharedBuffer;
  Buffer(BufferPool& pool, std::uint32_t place) noexcept : pool_(&pool), place_(place) {}
  BufferPool* pool_ = nullptr;
  std::uint32_t place_ = 0;
};

// Several holders of one buffer, on one thread: replies that came in one frame.
class SharedBuffer {
 public:
  SharedBuffer() = default;
  SharedBuffer(Buffer buffer) noexcept
      : pool_(std::exchange(buffer.pool_, nullptr)), place_(buffer.place_) {}
  SharedBuffer(const SharedBuffer& other) noexcept;
  SharedBuffer(SharedBuffer&& other) noexcept
      : pool_(std::exchange(other.pool_, nullptr)), place_(other.place_) {}
  SharedBuffer& operator=(SharedBuffer other) noexcept {
    std::swap(pool_, other.pool_);
    std::swap(place_, other.place_);
    return *this;
  }
  ~SharedBuffer() { reset(); }

  explicit operator bool() const noexcept { return pool_ != nullptr; }
  std::byte* data() const noexcept;
  std::size_t size() const noexcept;
  MutableBytes bytes() const noexcept { return {data(), size()}; }
  std::int16_t registered_index() const noexcept;
  void reset() noexcept;

 private:
  BufferPool* pool_ = nullptr;
  std::uint32_t place_ = 0;
};

// Belongs to its reactor's thread, and outlives its buffers and reservations.
class BufferPool {
 public:
  // The memory is touched only when it is used, unless the kernel takes it as registered (which
  // pins it). Without memory reserve() fails and take() gives nothing.
  BufferPool(Reactor& reactor, std::size_t count, std::size_t bytes, bool want_registered = true);
  BufferPool(const BufferPool&) = delete;
  BufferPool& operator=(const BufferPool&) = delete;
  ~BufferPool();

  // The right to one buffer, taken before a request is sent whose reply needs one.
  class Reservation {
   public:
    Reservation() = default;
    Reservation(Reservation&& other) noexcept : pool_(std::exchange(other.pool_, nullptr)) {}
    Reservation& operator=(Reservation&& other) noexcept {
      std::swap(pool_, other.pool_);
      return *this;
    }
    ~Reservation() { reset(); }
    explicit operator bool() const noexcept { return pool_ != nullptr; }
    void reset() noexcept;

   private:
    friend class BufferPool;
    explicit Reservation(BufferPool& pool) noexcept : pool_(&pool) {}
    BufferPool* pool_ = nullptr;
  };

  // One buffer fewer can be reserved than there are: one is always left for a frame that nobody
  // has asked for. Waits in line, at most until `deadline`.
  Task<Reservation> reserve(TimePoint deadline = never);
  // Without waiting; fails also while others wait.
  std::optional<Reservation> try_reserve();
  // Fails only if more buffers are out than reservations plus one.
  std::optional<Buffer> take();
  // All who wait now get this error.
  void fail_waiters(const Error& error);

  std::size_t buffer_bytes() const noexcept { return bytes_; }
  std::size_t free_buffers() const noexcept { return free_.size(); }
  std::size_t reserved() const noexcept { return reserved_; }
  std::size_t waiting() const noexcept { return waiters_.size(); }
  std::int16_t registered_index() const noexcept { return registered_index_; }

 private:
  friend class Buffer;
  friend class SharedBuffer;
  struct Waiting;

  void give_back(std::uint32_t place) noexcept;
  void end_reservation() noexcept;
  void wake(Waiting& waiting);
  std::byte* data_of(std::uint32_t place) const noexcept { return slab_ + place * stride_; }

  Reactor& reactor_;
  const std::size_t count_;
  const std::size_t bytes_;
  const std::size_t stride_;
  std::byte* slab_ = nullptr;
  std::int16_t registered_index_ = -1;
  std::vector<std::uint32_t> free_;        // a stack: the last one used is warm
  std::vector<std::uint32_t> references_;  // of each buffer that is out
  std::size_t reserved_ = 0;
  std::list<Waiting*> waiters_;
};

using Reservation = BufferPool::Reservation;

}  // namespace smb3
