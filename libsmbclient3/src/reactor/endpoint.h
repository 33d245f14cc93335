// An IP address and a port.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>

#include <cstdint>
#include <string>

namespace smb3 {

struct Endpoint {
  sockaddr_storage address{};
  socklen_t length = 0;

  const sockaddr* get() const noexcept { return reinterpret_cast<const sockaddr*>(&address); }
  sockaddr* get() noexcept { return reinterpret_cast<sockaddr*>(&address); }
  int family() const noexcept { return address.ss_family; }
};

Endpoint make_endpoint(const sockaddr* address, socklen_t length) noexcept;
// "ip:port" or "[ip]:port", with "%scope" for a link-local address; empty for other families.
std::string text_of(const Endpoint& endpoint);
std::uint16_t port_of(const Endpoint& endpoint) noexcept;

}  // namespace smb3
