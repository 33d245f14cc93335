// A TCP connection: whole sends and receives, each with an Error that names the peer.
#pragma once

#include "reactor/endpoint.h"
#include "reactor/reactor.h"

#include <smbclient3/task.h>

#include <sys/uio.h>

#include <optional>
#include <span>
#include <string>

namespace smb3 {

// One receive and one send at a time. It outlives its operations: before it is destroyed or closed
// abort() ends them, and their tasks are waited for.
class Socket {
 public:
  Socket() = default;
  // Owns a connected socket; `peer` names it in errors.
  Socket(Reactor& reactor, int fd, std::string peer) noexcept;
  Socket(Socket&& other) noexcept;
  Socket& operator=(Socket&& other) noexcept;
  ~Socket();

  // `local`: where to connect from. Given up at the deadline, or when `early_end` comes.
  static Task<Socket> connect(Reactor& reactor, Endpoint remote,
                              std::optional<LocalInterface> local, TimePoint deadline,
                              EarlyEnd* early_end = nullptr);

  // Fills `bytes` and returns their number; the end of the stream before that is an error.
  Task<std::size_t> receive_exactly(MutableBytes bytes, TimePoint deadline = never);
  // At least one byte, or 0 at the end of the stream.
  Task<std::size_t> receive_some(MutableBytes bytes, TimePoint deadline = never);
  // All parts, in order, without the first `done_bytes`; that counts what leaves, also when the end
  // is an error. The parts stay where they are until it has ended.
  Task<void> send(std::span<const iovec> parts, std::uint64_t& done_bytes,
                  TimePoint deadline = never);
  Task<void> send(std::span<const iovec> parts, TimePoint deadline = never);
  // Nothing more will be sent: the peer sees the end of the stream.
  Task<void> shutdown();
  Task<void> close();
  // Ends both directions now; what is in flight ends with errors.
  void abort() noexcept;

  bool is_open() const noexcept { return fd_ >= 0; }
  int fd() const noexcept { return fd_; }
  const std::string& peer() const noexcept { return peer_; }
  std::string local_address() const { return reactor_->local_address_of(fd_); }
  SocketProgress progress() const { return reactor_->progress_of(fd_); }

 private:
  Error failed(int error_number, const char* operation) const;
  Error ended() const;

  Reactor* reactor_ = nullptr;
  int fd_ = -1;
  std::string peer_;
};

}  // namespace smb3
