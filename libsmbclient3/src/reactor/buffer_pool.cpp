// One slab of memory, a stack of free places, and a line of waiters for the budget.
#include "reactor/buffer_pool.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cassert>
#include <cerrno>

namespace smb3 {

// In the frame of a reserve() that waits.
struct BufferPool::Waiting {
  BufferPool& pool;
  TimePoint deadline;
  Timer timer;
  std::optional<Error> error{};
  std::coroutine_handle<> handle{};
  std::list<Waiting*>::iterator place{};

  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> h) {
    handle = h;
    place = pool.waiters_.insert(pool.waiters_.end(), this);
    timer.set(
        deadline,
        [](void* self) {
          auto& late = *static_cast<Waiting*>(self);
          late.error.emplace(ErrorKind::timed_out, "no buffer became free within the time allowed");
          late.pool.wake(late);
        },
        this);
  }
  void await_resume() const noexcept {}
};

BufferPool::BufferPool(Reactor& reactor, std::size_t count, std::size_t bytes, bool want_registered)
    : reactor_(reactor),
      count_(count),
      bytes_(bytes),
      stride_(align_up(bytes, static_cast<std::size_t>(sysconf(_SC_PAGESIZE)))),
      references_(count, 0) {
  assert(count >= 2);
  void* memory = mmap(nullptr, count_ * stride_, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return;
  slab_ = static_cast<std::byte*>(memory);
  if (want_registered) registered_index_ = reactor_.register_memory({slab_, count_ * stride_});
  free_.reserve(count_);
  for (std::size_t i = count_; i-- > 0;) free_.push_back(static_cast<std::uint32_t>(i));
}

BufferPool::~BufferPool() {
  assert(waiters_.empty() && reserved_ == 0);
  assert(!slab_ || free_.size() == count_);
  if (registered_index_ >= 0) reactor_.unregister_memory(registered_index_);
  if (slab_) munmap(slab_, count_ * stride_);
}

Task<BufferPool::Reservation> BufferPool::reserve(TimePoint deadline) {
  if (!slab_) co_await system_error(ENOMEM, "mmap");
  if (std::optional<Reservation> at_once = try_reserve()) co_return std::move(*at_once);
  Waiting waiting{*this, deadline, Timer(reactor_)};
  co_await waiting;
  if (waiting.error) co_await std::move(*waiting.error);
  co_return Reservation(*this);  // whoever woke us has counted it
}

std::optional<BufferPool::Reservation> BufferPool::try_reserve() {
  if (!slab_ || !waiters_.empty() || reserved_ + 1 >= count_) return std::nullopt;
  ++reserved_;
  return Reservation(*this);
}

std::optional<Buffer> BufferPool::take() {
  if (free_.empty()) return std::nullopt;
  const std::uint32_t place = free_.back();
  free_.pop_back();
  references_[place] = 1;
  return Buffer(*this, place);
}

void BufferPool::fail_waiters(const Error& error) {
  while (!waiters_.empty()) {
    Waiting& waiting = *waiters_.front();
    waiting.error.emplace(error.clone());
    wake(waiting);
  }
}

void BufferPool::wake(Waiting& waiting) {
  waiters_.erase(waiting.place);
  waiting.timer.clear();
  reactor_.ready(waiting.handle);
}

void BufferPool::give_back(std::uint32_t place) noexcept {
  assert(references_[place] > 0);
  if (--references_[place] == 0) free_.push_back(place);
}

void BufferPool::end_reservation() noexcept {
  assert(reserved_ > 0);
  if (waiters_.empty()) {
    --reserved_;
  } else {
    wake(*waiters_.front());  // it goes on to the one who has waited longest
  }
}

void BufferPool::Reservation::reset() noexcept {
  if (BufferPool* pool = std::exchange(pool_, nullptr)) pool->end_reservation();
}

std::byte* Buffer::data() const noexcept { return pool_->data_of(place_); }
std::size_t Buffer::size() const noexcept { return pool_->bytes_; }
std::int16_t Buffer::registered_index() const noexcept { return pool_->registered_index_; }
void Buffer::reset() noexcept {
  if (BufferPool* pool = std::exchange(pool_, nullptr)) pool->give_back(place_);
}

SharedBuffer::SharedBuffer(const SharedBuffer& other) noexcept
    : pool_(other.pool_), place_(other.place_) {
  if (pool_) ++pool_->references_[place_];
}
std::byte* SharedBuffer::data() const noexcept { return pool_->data_of(place_); }
std::size_t SharedBuffer::size() const noexcept { return pool_->bytes_; }
std::int16_t SharedBuffer::registered_index() const noexcept { return pool_->registered_index_; }
void SharedBuffer::reset() noexcept {
  if (BufferPool* pool = std::exchange(pool_, nullptr)) pool->give_back(place_);
}

}  // namespace smb3
