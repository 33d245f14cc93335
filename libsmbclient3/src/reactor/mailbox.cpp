// The event is written only when the reactor really sleeps: a busy one looks by itself.
#include "reactor/mailbox.h"

#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <utility>

namespace smb3 {

Mailbox::~Mailbox() {
  if (event_ >= 0) ::close(event_);
}

void Mailbox::post(std::function<void()> function) {
  bool slept = false;
  {
    std::lock_guard lock(mutex_);
    if (closed_) return;
    posted_.push_back(std::move(function));
    slept = std::exchange(asleep_, false);
  }
  if (slept) write_event();
}

void Mailbox::wake() {
  bool slept = false;
  {
    std::lock_guard lock(mutex_);
    wake_ = true;
    slept = std::exchange(asleep_, false);
  }
  if (slept) write_event();
}

bool Mailbox::deliver() {
  {
    std::lock_guard lock(mutex_);
    if (posted_.empty()) return false;
    running_.swap(posted_);
  }
  for (auto& function : running_) function();
  running_.clear();
  return true;
}

bool Mailbox::fall_asleep() {
  std::lock_guard lock(mutex_);
  if (!posted_.empty() || std::exchange(wake_, false)) return false;
  asleep_ = true;
  return true;
}

void Mailbox::awake() {
  std::lock_guard lock(mutex_);
  asleep_ = false;
}

bool Mailbox::has_mail() {
  std::lock_guard lock(mutex_);
  return !posted_.empty();
}

void Mailbox::close() {
  std::vector<std::function<void()>> dropped;
  std::lock_guard lock(mutex_);
  closed_ = true;
  dropped.swap(posted_);
}

void Mailbox::write_event() noexcept {
  const std::uint64_t one = 1;
  // It cannot fail for long: the counter has 64 bits, and a full one has been written already.
  while (::write(event_, &one, sizeof one) < 0 && errno == EINTR) {
  }
}

}  // namespace smb3
