// What a request costs: [MS-SMB2] 3.1.5.2 and 3.3.5.2.5.
#pragma once

#include "wire/packet_header.h"

namespace smb3::server {

// The larger of what the request carries and what its answer may.
std::uint64_t payload_bytes(wire::Command command, Bytes element);

bool has_charge_for_payload(const wire::PacketHeader& header, Bytes element, bool multi_credit);

}  // namespace smb3::server
