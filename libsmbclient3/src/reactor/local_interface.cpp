#include "reactor/local_interface.h"

#include <ifaddrs.h>
#include <net/if.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <fstream>

namespace smb3 {
namespace {

constexpr std::uint64_t megabit = 1'000'000;

std::uint64_t speed_of(const std::string& name) {
  std::ifstream file("/sys/class/net/" + name + "/speed");
  std::int64_t megabits = 0;
  if (!(file >> megabits) || megabits <= 0) return 0;
  return static_cast<std::uint64_t>(megabits) * megabit;
}

socklen_t length_of(const sockaddr* address) noexcept {
  if (!address) return 0;
  if (address->sa_family == AF_INET) return sizeof(sockaddr_in);
  if (address->sa_family == AF_INET6) return sizeof(sockaddr_in6);
  return 0;
}

// How many bits of a netmask are set.
unsigned bits_of(const Endpoint& mask) noexcept {
  unsigned bits = 0;
  for (const std::byte byte : address_bytes(mask))
    bits += std::popcount(std::to_integer<unsigned>(byte));
  return bits;
}

bool in_one_network(const Endpoint& a, const Endpoint& b, unsigned prefix_bits) noexcept {
  const Bytes of_a = address_bytes(a), of_b = address_bytes(b);
  if (prefix_bits == 0 || of_a.size() != of_b.size() || prefix_bits > 8 * of_a.size()) return false;
  for (unsigned bit = 0; bit < prefix_bits; ++bit) {
    const std::byte mask{static_cast<unsigned char>(0x80 >> bit % 8)};
    if ((of_a[bit / 8] & mask) != (of_b[bit / 8] & mask)) return false;
  }
  return true;
}

}  // namespace

std::vector<LocalInterface> kernel_interfaces() {
  std::vector<LocalInterface> interfaces;
  ifaddrs* first = nullptr;
  if (::getifaddrs(&first) != 0) return interfaces;
  for (const ifaddrs* entry = first; entry; entry = entry->ifa_next) {
    const socklen_t length = length_of(entry->ifa_addr);
    constexpr unsigned up = IFF_UP | IFF_RUNNING;
    if (length == 0 || (entry->ifa_flags & up) != up) continue;
    LocalInterface interface;
    const std::string label = entry->ifa_name;  // of one address it may be "eth0:1"
    interface.name = label.substr(0, label.find(':'));
    interface.index = ::if_nametoindex(interface.name.c_str());
    interface.address = make_endpoint(entry->ifa_addr, length);
    if (length_of(entry->ifa_netmask) == length) {
      interface.prefix_bits = bits_of(make_endpoint(entry->ifa_netmask, length));
    }
    interface.speed_bits_per_second = speed_of(interface.name);
    interfaces.push_back(std::move(interface));
  }
  ::freeifaddrs(first);
  return interfaces;
}

Result<void> bind_to_interface(int socket, const LocalInterface& local) {
  // Refused where something else has bound it, or by an old kernel: then the address must do.
  static_cast<void>(::setsockopt(socket, SOL_SOCKET, SO_BINDTODEVICE, local.name.c_str(),
                                 static_cast<socklen_t>(local.name.size())));
  if (::bind(socket, local.address.get(), local.address.length) == 0) return {};
  return std::unexpected(system_error(errno, "bind").on(text_of(local.address)));
}

bool kernel_route_exists(const LocalInterface& local, const Endpoint& remote) {
  if (local.address.family() != remote.family()) return false;
  if (in_one_network(local.address, remote, local.prefix_bits)) return true;
  const int fd = ::socket(remote.family(), SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return false;
  Endpoint chosen;
  chosen.length = sizeof chosen.address;
  const bool exists = ::connect(fd, remote.get(), remote.length) == 0 &&
                      ::getsockname(fd, chosen.get(), &chosen.length) == 0 &&
                      same_address(chosen, local.address);
  ::close(fd);
  return exists;
}

}  // namespace smb3
