// The hard end of a TCP connection, which the reactor's sockets do not have.
#pragma once

#include "reactor/socket.h"

#include <sys/socket.h>

namespace smb3::server {

// Closing this socket drops what was not sent yet and sends a reset. Precondition: nothing is in
// flight on it.
inline void reset_when_closed(Reactor&, const Socket& socket) noexcept {
  const linger at_once{.l_onoff = 1, .l_linger = 0};
  ::setsockopt(socket.fd(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
}

}  // namespace smb3::server
