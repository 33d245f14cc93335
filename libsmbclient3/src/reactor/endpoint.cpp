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

Endpoint with_port(Endpoint endpoint, std::uint16_t port) noexcept {
  if (endpoint.family() == AF_INET) {
    reinterpret_cast<sockaddr_in&>(endpoint.address).sin_port = htons(port);
  } else if (endpoint.family() == AF_INET6) {
    reinterpret_cast<sockaddr_in6&>(endpoint.address).sin6_port = htons(port);
  }
  return endpoint;
}

std::string address_text(const Endpoint& endpoint) {
  char address[INET6_ADDRSTRLEN] = "";
  if (endpoint.family() == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(endpoint.address);
    inet_ntop(AF_INET, &v4.sin_addr, address, sizeof address);
    return address;
  }
  if (endpoint.family() != AF_INET6) return {};
  const auto& v6 = reinterpret_cast<const sockaddr_in6&>(endpoint.address);
  inet_ntop(AF_INET6, &v6.sin6_addr, address, sizeof address);
  if (v6.sin6_scope_id == 0) return address;
  return std::string(address) + "%" + scope_text(v6.sin6_scope_id);
}

std::string text_of(const Endpoint& endpoint) {
  const std::string address = address_text(endpoint);
  if (address.empty()) return {};
  const std::string port = ":" + std::to_string(port_of(endpoint));
  return endpoint.family() == AF_INET6 ? "[" + address + "]" + port : address + port;
}

Bytes address_bytes(const Endpoint& endpoint) noexcept {
  if (endpoint.family() == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(endpoint.address).sin_addr;
    return std::as_bytes(std::span(&v4, 1));
  }
  if (endpoint.family() != AF_INET6) return {};
  const auto& v6 = reinterpret_cast<const sockaddr_in6&>(endpoint.address).sin6_addr;
  return std::as_bytes(std::span(&v6, 1));
}

bool same_address(const Endpoint& a, const Endpoint& b) noexcept {
  return a.family() == b.family() && !address_bytes(a).empty() &&
         std::ranges::equal(address_bytes(a), address_bytes(b));
}

AddressKind kind_of(const Endpoint& endpoint) noexcept {
  if (endpoint.family() == AF_INET) {
    const std::uint32_t address =
        ntohl(reinterpret_cast<const sockaddr_in&>(endpoint.address).sin_addr.s_addr);
    if (address >> 24 == 0 || address >> 28 >= 0xE) return AddressKind::unusable;
    if (address >> 24 == 127) return AddressKind::loopback;
    return address >> 16 == 0xA9FE ? AddressKind::link_local : AddressKind::usual;
  }
  if (endpoint.family() != AF_INET6) return AddressKind::unusable;
  const in6_addr& address = reinterpret_cast<const sockaddr_in6&>(endpoint.address).sin6_addr;
  const bool is_unusable = IN6_IS_ADDR_UNSPECIFIED(&address) || IN6_IS_ADDR_MULTICAST(&address) ||
                           IN6_IS_ADDR_V4MAPPED(&address);
  if (is_unusable) return AddressKind::unusable;
  if (IN6_IS_ADDR_LOOPBACK(&address)) return AddressKind::loopback;
  return IN6_IS_ADDR_LINKLOCAL(&address) ? AddressKind::link_local : AddressKind::usual;
}

}  // namespace smb3
