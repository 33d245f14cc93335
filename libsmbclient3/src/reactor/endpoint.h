// An IP address and a port.
#pragma once

#include "base/bytes.h"

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
Endpoint with_port(Endpoint endpoint, std::uint16_t port) noexcept;
// The address alone, as text without brackets and port.
std::string address_text(const Endpoint& endpoint);
// In network order; empty for other families.
Bytes address_bytes(const Endpoint& endpoint) noexcept;
// The same address, whatever the ports.
bool same_address(const Endpoint& a, const Endpoint& b) noexcept;

enum class AddressKind : std::uint8_t { usual, link_local, loopback, unusable };
// Unusable: nobody can be reached there (unspecified, multicast, broadcast, reserved, no IP).
AddressKind kind_of(const Endpoint& endpoint) noexcept;

}  // namespace smb3
