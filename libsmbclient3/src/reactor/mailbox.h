// Functions that other threads hand to a reactor's thread, and the means to wake it.
#pragma once

#include <functional>
#include <mutex>
#include <vector>

namespace smb3 {

// Shared by the reactor and its worker threads: it outlives the reactor for those that still block.
class Mailbox {
 public:
  // Owns `event`, an eventfd that the reactor's thread reads, or -1.
  explicit Mailbox(int event) noexcept : event_(event) {}
  Mailbox(const Mailbox&) = delete;
  Mailbox& operator=(const Mailbox&) = delete;
  ~Mailbox();

  int event() const noexcept { return event_; }

  // From any thread. After close() the function is dropped.
  void post(std::function<void()> function);
  // Makes fall_asleep() fail once, or ends the sleep.
  void wake();

  // For the reactor's thread.
  // Runs what has come; whether there was anything.
  bool deliver();
  // False: something has come, do not sleep. After true, the next post() writes to the event.
  bool fall_asleep();
  void awake();
  bool has_mail();
  void close();

 private:
  void write_event() noexcept;

  const int event_;
  std::mutex mutex_;
  std::vector<std::function<void()>> posted_;   // under mutex_
  bool asleep_ = false;                         // under mutex_
  bool closed_ = false;                         // under mutex_
  bool wake_ = false;                           // under mutex_
  std::vector<std::function<void()>> running_;  // of the reactor's thread
};

}  // namespace smb3
