// The one seam for I/O, time and chance. Above it nothing knows whether the kernel or a simulator
// answers; below it nothing knows SMB.
#pragma once

#include "reactor/local_interface.h"
#include "reactor/operation.h"
#include "reactor/timer.h"

#include <smbclient3/error.h>
#include <smbclient3/task.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace smb3 {

class EarlyEnd;
class Reactor;

// Bytes that have moved over a socket so far: what a silence deadline looks at.
struct SocketProgress {
  std::uint64_t received_bytes = 0;
  std::uint64_t acknowledged_bytes = 0;
};

// Runs coroutines on one thread. Only post() and stop() may be called from other threads.
class Reactor {
 public:
  virtual ~Reactor();

  virtual TimePoint now() const noexcept = 0;
  // Bytes from the operating system's generator (or the simulator's seed).
  virtual void random(MutableBytes bytes) = 0;

  // Starts an operation; its waiter is resumed from the loop, never from here.
  virtual void start(Operation& operation) = 0;
  // Asks an operation to end early; its end still comes, with -ECANCELED or what it reached.
  virtual void cancel(Operation& operation) = 0;

  // A TCP socket, not blocking, NODELAY and close-on-exec.
  virtual Result<int> open_socket(int family) = 0;
  virtual Result<void> bind_socket(int socket, const LocalInterface& local);
  virtual SocketProgress progress_of(int socket) = 0;
  virtual Endpoint local_endpoint_of(int) { return {}; }
  virtual Endpoint remote_endpoint_of(int) { return {}; }
  // The two ends as "ip:port" ("[ip]:port" for IPv6); empty when unknown.
  virtual std::string local_address_of(int socket) = 0;
  virtual std::string remote_address_of(int socket) = 0;
  // The addresses that a socket can be bound to. None: there is one network, and nothing to choose.
  virtual std::vector<LocalInterface> interfaces() { return {}; }
  virtual bool route_exists(const LocalInterface&, const Endpoint&) { return true; }
  // Ends both directions of a socket at once: what is in flight on it ends too.
  virtual void shutdown_now(int socket) noexcept;
  // Closes without waiting and without a word about errors: for destructors.
  virtual void close_now(int fd) noexcept;

  // Runs `work` where it may block (name service, GSSAPI), then calls `done` on this thread. Work
  // that nobody waits for any longer still runs to its end; it must own all that it touches.
  virtual void offload(std::function<void()> work, std::function<void()> done) = 0;

  // Calls `function` on this reactor's thread, soon. From any thread.
  virtual void post(std::function<void()> function) = 0;

  // Resumes a coroutine from the loop: no recursion, a bounded stack.
  void ready(std::coroutine_handle<> handle) { ready_.push_back(handle); }

  // Whether the caller runs on this reactor's thread.
  virtual bool is_current() const noexcept = 0;

  // Registers long-lived memory with the kernel for reads and writes of files.
  virtual std::int16_t register_memory(MutableBytes memory) = 0;  // an index, or -1
  // Precondition: no operation uses it.
  virtual void unregister_memory(std::int16_t) {}

 protected:
  // For engines: run what is due. Return whether anything ran.
  bool run_ready();
  bool run_timers(TimePoint now);
  TimePoint next_timer() const noexcept;
  bool has_ready() const noexcept { return !ready_.empty(); }

 private:
  friend class Timer;
  void timer_insert(Timer& timer);
  void timer_remove(Timer& timer) noexcept;
  void timer_place(std::size_t place, Timer* timer) noexcept;
  void timer_sift(std::size_t place) noexcept;

  std::vector<std::coroutine_handle<>> ready_;
  std::vector<std::coroutine_handle<>> running_;
  std::vector<Timer*> timers_;  // a binary heap by when_ and order_
  std::uint64_t timers_set_ = 0;
};

// co_await perform(reactor, operation): starts it and yields its result (>= 0, or -errno).
inline auto perform(Reactor& reactor, Operation& operation) noexcept {
  struct Perform {
    Reactor& reactor;
    Operation& operation;
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> handle) {
      operation.waiter = handle;
      reactor.start(operation);
    }
    int await_resume() const noexcept { return operation.result; }
  };
  return Perform{reactor, operation};
}

// co_await sleep_until(reactor, when): less long if `early_end` comes.
Task<void> sleep_until(Reactor& reactor, TimePoint when, EarlyEnd* early_end = nullptr);

// Runs `work` on a thread that may block and waits for its result, at most until `deadline` or
// `early_end`; after that the answer is dropped and the error says timed_out.
template <class T>
Task<T> run_blocking(Reactor& reactor, TimePoint deadline, std::function<Result<T>()> work,
                     EarlyEnd* early_end = nullptr);

}  // namespace smb3

#include "reactor/run_blocking.h"
