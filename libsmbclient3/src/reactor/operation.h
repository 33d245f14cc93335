// One operation that the kernel (or the simulator) carries out for a coroutine.
#pragma once

#include "base/bytes.h"

#include <chrono>
#include <coroutine>
#include <cstdint>
#include <limits>

struct msghdr;
struct sockaddr;
struct open_how;
struct statx;

namespace smb3 {

using Duration = std::chrono::nanoseconds;
// Time since an arbitrary start, on a clock that never goes back.
using TimePoint = std::chrono::nanoseconds;
inline constexpr TimePoint never = TimePoint::max();

enum class OperationCode : std::uint8_t {
  connect,         // fd, address (sockaddr), length
  receive,         // fd, buffer, length; receive_all: until the buffer is full (fewer bytes: the
                   // stream has ended)
  send,            // fd, message (msghdr), offset (bytes of it that are gone already); ends when
                   // all is handed to the kernel
  shutdown,        // fd, flags (SHUT_*)
  open,            // fd (directory), path, how
  close,           // fd
  read,            // fd, buffer, length, offset; buffer_index
  write,           // fd, buffer, length, offset; buffer_index
  allocate,        // fd, offset, length, flags (FALLOC_FL_*)
  sync,            // fd
  status,          // fd (directory), path, flags, mask (mode), statx
  rename,          // fd, path, to_fd, to_path, flags (RENAME_*)
  unlink,          // fd, path, flags (AT_REMOVEDIR)
  make_directory,  // fd, path, mode
  advise           // buffer, length, flags (MADV_*)
};

// Owned by the awaiting frame; its address stays fixed until it has ended. Every operation that is
// started ends exactly once, with a result, also after cancel() or at its deadline.
struct Operation {
  OperationCode code{};
  bool receive_all = false;
  std::int16_t buffer_index = -1;  // of a registered buffer, or -1
  int fd = -1;
  int to_fd = -1;
  int flags = 0;
  std::uint32_t mode = 0;
  void* buffer = nullptr;  // also msghdr*, sockaddr*, struct statx*
  const char* path = nullptr;
  const char* to_path = nullptr;
  open_how* how = nullptr;
  std::uint64_t length = 0;
  std::uint64_t offset = 0;
  TimePoint deadline = never;  // then it is cancelled, and ends with -ETIMEDOUT

  int result = 0;  // what the system call returns, or -errno
  std::coroutine_handle<> waiter{};

  // The engine's own.
  bool in_flight = false;
  bool expired = false;
  std::uint64_t done_bytes = 0;  // of a send or receive_all that goes on in several steps
  void* engine = nullptr;
};

}  // namespace smb3
