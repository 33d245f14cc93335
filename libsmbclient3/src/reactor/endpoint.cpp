// Addresses as text.
#include "reactor/endpoint.h"

#include <arpa/inet.h>
#include <net/if.h>

#include <algorithm>
#include <cstring>

namespace smb3 {

Endpoint make_endpoint(const sockaddr* address, socklen_t length) noexcept {
  Endpoint endpoint;
  endpoint.length = std::min<socklen_t>(length, sizeof endpoint.address);
  std::memcpy(&endpoint.address, address, endpoint.length);
  return endpoint;
}

std::uint16_t port_of(const Endpoint& endpoint) noexcept {
  if (endpoint.family() == AF_INET) {
    return ntohs(reinterpret_cast<const sockaddr_in&>(endpoint.address).sin_port);
  }
  if (endpoint.family() == AF_INET6) {
    return ntohs(reinterpret_cast<const sockaddr_in6&>(endpoint.address).sin6_port);
  }
  return 0;
}

std::string text_of(const Endpoint& endpoint) {
  char text[INET6_ADDRSTRLEN] = "";
  const std::string port = ":" + std::to_string(port_of(endpoint));
  if (endpoint.family() == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(endpoint.address);
    inet_ntop(AF_INET, &v4.sin_addr, text, sizeof text);
    return text + port;
  }
  if (endpoint.family() == AF_INET6) {
    const auto& v6 = reinterpret_cast<const sockaddr_in6&>(endpoint.address);
    inet_ntop(AF_INET6, &v6.sin6_addr, text, sizeof text);
    std::string scope;
    if (v6.sin6_scope_id != 0) {
      char name[IF_NAMESIZE] = "";
      scope = if_indextoname(v6.sin6_scope_id, name) ? std::string("%") + name
                                                     : "%" + std::to_string(v6.sin6_scope_id);
    }
    return "[" + (text + scope) + "]" + port;
  }
  return "";
}

}  // namespace smb3
