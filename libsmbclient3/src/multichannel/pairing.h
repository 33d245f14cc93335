// Which connections a session should have: interfaces of both sides are paired.
#pragma once

#include "reactor/local_interface.h"

#include <smbclient3/error.h>

#include "base/bytes.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace smb3 {

// One address of an interface of the server: [MS-SMB2] 2.2.32.5.
struct RemoteInterface {
  std::uint32_t index = 0;
  Endpoint address;                         // with the port of the first connection
  std::uint64_t speed_bits_per_second = 0;  // 0: unknown
  bool is_rss_capable = false;
};

// What the server says of itself, as far as it can be of use. An error: the answer is broken.
Result<std::vector<RemoteInterface>> remote_interfaces(Bytes answer, std::uint16_t port);

// So many connections from here to there.
struct PlannedPair {
  LocalInterface local;
  Endpoint remote;
  std::uint64_t speed_bits_per_second = 0;  // of the slower end; 0: unknown
  std::size_t connections = 0;
};

struct PairingRequest {
  std::vector<LocalInterface> local;
  std::vector<RemoteInterface> remote;
  // The two ends of the connection that the session began with; it is one of those planned.
  Endpoint first_local, first_remote;
  std::optional<unsigned> connections;  // exactly so many in all, where they can be had
  std::vector<std::string> only;        // local interfaces, by name or address; empty: all
  // Whether a route leads from the one to the other.
  std::function<bool(const LocalInterface& local, const Endpoint& remote)> route_exists;
};

// Pairs that have an interface of their own on both ends come first, and of these the fastest;
// connections are spread over the pairs before a pair gets a second one.
std::vector<PlannedPair> plan_pairs(const PairingRequest& request);

}  // namespace smb3
