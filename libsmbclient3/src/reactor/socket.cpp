// Operations of one socket, with their errors put into words.
#include "reactor/socket.h"

#include <sys/socket.h>

#include <cassert>
#include <cerrno>
#include <utility>

namespace smb3 {

namespace {

// Whatever the network says, for us it is a lost connection or silence.
Error network_error(int error_number, const char* operation) {
  ErrorKind kind = ErrorKind::disconnected;
  if (error_number == ETIMEDOUT) kind = ErrorKind::timed_out;
  if (error_number == ECANCELED) kind = ErrorKind::cancelled;
  return Error(kind, "").system(error_number).during(operation);
}

}  // namespace

Socket::Socket(Reactor& reactor, int fd, std::string peer) noexcept
    : reactor_(&reactor), fd_(fd), peer_(std::move(peer)) {}

Socket::Socket(Socket&& other) noexcept
    : reactor_(other.reactor_), fd_(std::exchange(other.fd_, -1)), peer_(std::move(other.peer_)) {}

Socket& Socket::operator=(Socket&& other) noexcept {
  std::swap(reactor_, other.reactor_);
  std::swap(fd_, other.fd_);
  std::swap(peer_, other.peer_);
  return *this;
}

Socket::~Socket() {
  if (fd_ >= 0) reactor_->close_now(fd_);
}

Error Socket::failed(int error_number, const char* operation) const {
  return network_error(error_number, operation).on(peer_);
}

Error Socket::ended() const {
  return Error(ErrorKind::disconnected, "the peer closed the connection").during("recv").on(peer_);
}

Task<Socket> Socket::connect(Reactor& reactor, Endpoint remote, std::optional<LocalInterface> local,
                             TimePoint deadline, EarlyEnd* early_end) {
  std::string peer = text_of(remote);
  Result<int> fd = reactor.open_socket(remote.family());
  if (!fd) co_await std::move(fd).error().on(peer);
  Socket socket(reactor, *fd, std::move(peer));
  if (local) {
    Result<void> bound = reactor.bind_socket(*fd, *local);
    co_await std::move(bound);
  }
  Operation operation{.code = OperationCode::connect,
                      .fd = *fd,
                      .buffer = remote.get(),
                      .length = remote.length,
                      .deadline = deadline};
  struct Attempt {
    Reactor& reactor;
    Operation& operation;
  } underway{reactor, operation};
  Timer end(reactor);
  if (early_end) {
    end.set(
        deadline,
        [](void* context) {
          const auto& attempt = *static_cast<Attempt*>(context);
          attempt.reactor.cancel(attempt.operation);
        },
        &underway);
    early_end->join(end);
  }
  const int result = co_await perform(reactor, operation);
  if (early_end) early_end->leave(end);
  if (result < 0) co_await socket.failed(-result, "connect");
  co_return std::move(socket);
}

Task<std::size_t> Socket::receive_exactly(MutableBytes bytes, TimePoint deadline) {
  if (bytes.empty()) co_return std::size_t{0};
  Operation operation{.code = OperationCode::receive,
                      .receive_all = true,
                      .fd = fd_,
                      .buffer = bytes.data(),
                      .length = bytes.size(),
                      .deadline = deadline};
  const int result = co_await perform(*reactor_, operation);
  if (result < 0) co_await failed(-result, "recv");
  if (static_cast<std::size_t>(result) < bytes.size()) co_await ended();
  co_return bytes.size();
}

Task<std::size_t> Socket::receive_some(MutableBytes bytes, TimePoint deadline) {
  Operation operation{.code = OperationCode::receive,
                      .fd = fd_,
                      .buffer = bytes.data(),
                      .length = bytes.size(),
                      .deadline = deadline};
  const int result = co_await perform(*reactor_, operation);
  if (result < 0) co_await failed(-result, "recv");
  co_return static_cast<std::size_t>(result);
}

Task<void> Socket::send(std::span<const iovec> parts, TimePoint deadline) {
  std::uint64_t done_bytes = 0;
  co_await send(parts, done_bytes, deadline);
}

Task<void> Socket::send(std::span<const iovec> parts, std::uint64_t& done_bytes,
                        TimePoint deadline) {
  msghdr message{};
  message.msg_iov = const_cast<iovec*>(parts.data());  // the kernel only reads them
  message.msg_iovlen = parts.size();
  Operation operation{.code = OperationCode::send,
                      .fd = fd_,
                      .buffer = &message,
                      .offset = done_bytes,
                      .deadline = deadline};
  const int result = co_await perform(*reactor_, operation);
  done_bytes = operation.done_bytes;
  if (result < 0) co_await failed(-result, "send");
}

Task<void> Socket::shutdown() {
  Operation operation{.code = OperationCode::shutdown, .fd = fd_, .flags = SHUT_WR};
  const int result = co_await perform(*reactor_, operation);
  if (result < 0) co_await failed(-result, "shutdown");
}

Task<void> Socket::close() {
  Operation operation{.code = OperationCode::close, .fd = std::exchange(fd_, -1)};
  const int result = co_await perform(*reactor_, operation);
  if (result < 0) co_await failed(-result, "close");
}

void Socket::abort() noexcept {
  if (fd_ >= 0) reactor_->shutdown_now(fd_);
}

}  // namespace smb3
