// The system calls about sockets that never wait.
#pragma once

#include "reactor/reactor.h"

#include <string>

namespace smb3 {

Result<int> open_tcp_socket(int family);
SocketProgress tcp_progress(int socket);
Endpoint local_endpoint(int socket);
Endpoint remote_endpoint(int socket);

}  // namespace smb3
