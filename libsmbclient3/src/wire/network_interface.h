// The answer to FSCTL_QUERY_NETWORK_INTERFACE_INFO: [MS-SMB2] 2.2.32.5.
#pragma once

#include "wire/codec.h"
#include "wire/flags.h"
#include "wire/types.h"

namespace smb3::wire {

enum class InterfaceCapability : std::uint32_t { none = 0, rss_capable = 0x1, rdma_capable = 0x2 };
template <>
inline constexpr bool is_flags<InterfaceCapability> = true;

// An entry of a chain: read the answer with decode_chain<NetworkInterfaceInfo>(output).
struct NetworkInterfaceInfo {
  static constexpr std::string_view wire_name = "NETWORK_INTERFACE_INFO";

  std::uint32_t if_index = 0;
  InterfaceCapability capability = InterfaceCapability::none;
  std::uint64_t link_speed = 0;  // bits a second
  std::array<std::byte, 128> sock_addr_storage{};

  template <class Codec, class Self>
  static constexpr void describe(Codec& c, Self& m) {
    c.next_entry()("if_index", m.if_index)("capability", m.capability).reserved(u32);
    c("link_speed", m.link_speed)("sock_addr_storage", m.sock_addr_storage);
  }
};
static_assert(fixed_size<NetworkInterfaceInfo>() == 152);

// The address of an interface; nothing for a family that is neither IPv4 nor IPv6. The port in it
// is not meant to be used.
std::optional<IpAddress> address_of(const NetworkInterfaceInfo& info);
// The same the other way, port 0.
void set_address(NetworkInterfaceInfo& info, const IpAddress& address);

}  // namespace smb3::wire
