// The kernel's io_uring interface: the two queues, and how each operation is written into them.
#pragma once

#include "reactor/operation.h"
#include "reactor/uring_reactor.h"

#include <sys/socket.h>
#include <sys/uio.h>

#include <memory>
#include <vector>

struct io_uring;

namespace smb3 {

struct Completion {
  std::uint64_t user_data;
  int result;
};

// What is left of a send that went out in part. The kernel reads it until the next completion.
struct SendRest {
  msghdr message{};
  std::vector<iovec> parts{};
};

// Belongs to the thread that makes it.
class UringRing {
 public:
  // Takes the newest setup flags that the kernel knows, and looks whether it has all we need.
  static Result<std::unique_ptr<UringRing>> create(const UringOptions& options);
  UringRing(const UringRing&) = delete;
  UringRing& operator=(const UringRing&) = delete;
  ~UringRing();

  // Whether the submission queue has no place left before the next enter().
  bool is_full() const noexcept;
  // Precondition of these: !is_full().
  void submit(const Operation& operation, SendRest& rest, std::uint64_t user_data);
  void submit_poll(int fd, short events, std::uint64_t user_data);
  void submit_read(int fd, std::uint64_t& value, std::uint64_t user_data);
  void submit_cancel(std::uint64_t of, std::uint64_t user_data);

  // The one system call: hands in what was submitted, and waits for a completion, but not longer
  // than `wait` (0: not at all; never: without end).
  void enter(Duration wait);
  // Moves what has come into `completions`.
  void reap(std::vector<Completion>& completions);

  std::int16_t register_memory(MutableBytes memory);
  void unregister_memory(std::int16_t index);

 private:
  UringRing();
  Duration wait_outside(Duration wait);
  std::unique_ptr<io_uring> ring_;
  bool is_open_ = false;
  std::vector<std::int16_t> free_indexes_;
  bool has_table_ = false;
};

}  // namespace smb3
