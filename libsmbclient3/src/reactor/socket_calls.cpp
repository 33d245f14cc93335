// Options and facts of TCP sockets.
#include "reactor/socket_calls.h"

#include "reactor/endpoint.h"

#include <linux/tcp.h>  // netinet/tcp.h of glibc 2.36 has a tcp_info without the byte counts
#include <unistd.h>

#include <cerrno>
#include <cstddef>

namespace smb3 {

Result<int> open_tcp_socket(int family) {
  const int socket = ::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, IPPROTO_TCP);
  if (socket < 0) return std::unexpected(system_error(errno, "socket"));
  const int yes = 1;
  // Requests are whole messages: waiting for more to send would only add to their latency.
  if (setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes) != 0) {
    Error error = system_error(errno, "setsockopt");
    ::close(socket);
    return std::unexpected(std::move(error));
  }
  return socket;
}

SocketProgress tcp_progress(int socket) {
  tcp_info info{};
  socklen_t length = sizeof info;
  if (getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &length) != 0) return {};
  // Fields beyond `length` stay 0: an old kernel does not have them.
  return {.received_bytes = info.tcpi_bytes_received, .acknowledged_bytes = info.tcpi_bytes_acked};
}

Endpoint local_endpoint(int socket) {
  Endpoint endpoint;
  endpoint.length = sizeof endpoint.address;
  if (getsockname(socket, endpoint.get(), &endpoint.length) != 0) return {};
  return endpoint;
}

Endpoint remote_endpoint(int socket) {
  Endpoint endpoint;
  endpoint.length = sizeof endpoint.address;
  if (getpeername(socket, endpoint.get(), &endpoint.length) != 0) return {};
  return endpoint;
}

}  // namespace smb3
