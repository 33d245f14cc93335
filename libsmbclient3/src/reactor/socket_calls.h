// The system calls about sockets that never wait.
#pragma once

#include "reactor/reactor.h"

#include <string>

namespace smb3 {

Result<int> open_tcp_socket(int family);
SocketProgress tcp_progress(int socket);
std::string local_address_text(int socket);
std::string remote_address_text(int socket);

}  // namespace smb3
