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

namespace {

std::string scope_text(std::uint32_t scope) {
  char name[IF_NAMESIZE] = "";
  if (if_indextoname(scope, name)) return name;
  return std::to_string(scope);
}

}  // namespace

std::string text_of(const Endpoint& endpoint) {
  char address[INET6_ADDRSTRLEN] = "";
  std::string text;
  if (endpoint.family() == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(endpoint.address);
    inet_ntop(AF_INET, &v4.sin_addr, address, sizeof address);
    text.append(address);
  } else if (endpoint.family() == AF_INET6) {
    const auto& v6 = reinterpret_cast<const sockaddr_in6&>(endpoint.address);
    inet_ntop(AF_INET6, &v6.sin6_addr, address, sizeof address);
    text.append("[").append(address);
    if (v6.sin6_scope_id != 0) text.append("%").append(scope_text(v6.sin6_scope_id));
    text.append("]");
  } else {
    return text;
  }
  return text.append(":").append(std::to_string(port_of(endpoint)));
}

}  // namespace smb3
