// From a host's name to its addresses.
#pragma once

#include "reactor/endpoint.h"
#include "reactor/reactor.h"

#include <smbclient3/task.h>

#include <string>
#include <vector>

namespace smb3 {

// In the order in which to try them (RFC 6724). A literal address ("192.0.2.1", "fe80::1%eth0",
// without brackets) asks no name service. At least one endpoint, or an error.
Task<std::vector<Endpoint>> resolve(Reactor& reactor, std::string host, std::uint16_t port,
                                    TimePoint deadline);

}  // namespace smb3
