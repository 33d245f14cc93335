#include "support/server/charge.h"

#include <algorithm>

namespace smb3::server {
namespace {

constexpr std::uint64_t credit_bytes = 65536;

// A length field of a body; 0 where the message ends before it.
std::uint64_t field(Bytes element, std::size_t offset) {
  const std::size_t at = wire::header_bytes + offset;
  return element.size() < at + 4 ? 0 : load_le<std::uint32_t>(element.data() + at);
}

}  // namespace

std::uint64_t payload_bytes(wire::Command command, Bytes element) {
  switch (command) {
    case wire::Command::read:
    case wire::Command::write: return field(element, 4);
    case wire::Command::ioctl:  // InputCount, OutputCount; MaxInputResponse, MaxOutputResponse
      return std::max(field(element, 28) + field(element, 40),
                      field(element, 32) + field(element, 44));
    case wire::Command::query_directory: return field(element, 28);
    case wire::Command::change_notify: return field(element, 4);
    case wire::Command::query_info: return std::max(field(element, 4), field(element, 12));
    case wire::Command::set_info: return field(element, 4);
    default: return 0;
  }
}

bool has_charge_for_payload(const wire::PacketHeader& header, Bytes element, bool multi_credit) {
  if (!multi_credit) return true;
  const std::uint64_t payload = payload_bytes(header.command, element);
  const std::uint64_t paid = std::max<std::uint64_t>(header.credit_charge, 1);
  return payload <= paid * credit_bytes;
}

}  // namespace smb3::server
