// The machine's network interfaces, and where they lead.
#pragma once

#include "reactor/endpoint.h"

#include <smbclient3/error.h>

#include <cstdint>
#include <string>
#include <vector>

namespace smb3 {

// One address of an interface that is up.
struct LocalInterface {
  std::string name;
  std::uint32_t index = 0;
  Endpoint address;                         // port 0
  unsigned prefix_bits = 0;                 // of its network
  std::uint64_t speed_bits_per_second = 0;  // 0: unknown
};

// What the kernel knows. Speeds come from /sys/class/net; virtual interfaces often have none.
std::vector<LocalInterface> kernel_interfaces();
// Whether the address is on the interface's network, or the kernel's own way to it starts there;
// nothing is sent.
bool kernel_route_exists(const LocalInterface& local, const Endpoint& remote);
// A socket starts from this address, and as far as that is allowed from this interface: of two on
// one network the kernel would take the first for both.
Result<void> bind_to_interface(int socket, const LocalInterface& local);

}  // namespace smb3
