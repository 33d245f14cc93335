#include "wire/network_interface.h"

namespace smb3::wire {

namespace {

// [MS-SMB2] 2.2.32.5.1: Windows' numbers, whatever those of this system are.
constexpr std::uint16_t family_inet = 0x0002;
constexpr std::uint16_t family_inet6 = 0x0017;
constexpr std::size_t ipv4_at = 4, ipv6_at = 8, scope_at = 24;

}  // namespace

std::optional<IpAddress> address_of(const NetworkInterfaceInfo& info) {
  const std::byte* storage = info.sock_addr_storage.data();
  IpAddress address;
  switch (load_le<std::uint16_t>(storage)) {
    case family_inet: std::memcpy(address.bytes.data(), storage + ipv4_at, 4); return address;
    case family_inet6:
      address.v6 = true;
      std::memcpy(address.bytes.data(), storage + ipv6_at, 16);
      address.scope_id = load_le<std::uint32_t>(storage + scope_at);
      return address;
    default: return std::nullopt;
  }
}

void set_address(NetworkInterfaceInfo& info, const IpAddress& address) {
  std::byte* storage = info.sock_addr_storage.data();
  info.sock_addr_storage = {};
  store_le(storage, address.v6 ? family_inet6 : family_inet);
  if (address.v6) {
    std::memcpy(storage + ipv6_at, address.bytes.data(), 16);
    store_le(storage + scope_at, address.scope_id);
  } else {
    std::memcpy(storage + ipv4_at, address.bytes.data(), 4);
  }
}

}  // namespace smb3::wire
