// How messages name a server: its port where it is not the usual one, an IPv6 address in brackets.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace smb3 {

inline constexpr std::uint16_t direct_tcp_port = 445;

// "host", "host:4450", "[::1]", "[::1]:4450"; port 0 is the usual one.
inline std::string server_label(std::string_view server, std::uint16_t port) {
  std::string label(server);
  if (server.contains(':') && !server.starts_with('[')) label = "[" + label + "]";
  if (port != 0 && port != direct_tcp_port) label += ":" + std::to_string(port);
  return label;
}

}  // namespace smb3
