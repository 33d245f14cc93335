#include "wire/packet_header.h"

namespace smb3::wire {

namespace {

// A header and the StructureSize of its body.
constexpr std::size_t element_bytes_min = header_bytes + 2;

std::unexpected<Error> refuse(const char* why) {
  return std::unexpected(Error(ErrorKind::protocol, why).during(PacketHeader::wire_name));
}

}  // namespace

void store(const PacketHeader& header, MutableBytes at) {
  assert(at.size() >= header_bytes);
  ByteBuffer buffer;
  encode(header, buffer);
  std::memcpy(at.data(), buffer.data(), header_bytes);
}

Result<std::optional<CompoundElement>> CompoundSplitter::next() {
  if (left_.empty() && !first_) return std::nullopt;
  first_ = false;
  const Bytes left = std::exchange(left_, {});
  if (left.size() < element_bytes_min) return refuse("the message is cut short");
  Result<PacketHeader> header = decode<PacketHeader>(left);
  if (!header) return std::unexpected(std::move(header).error());

  const std::uint32_t next = header->next_command;
  if (next == 0) return CompoundElement{*header, left};
  if (next < element_bytes_min) return refuse("next_command points into its own element");
  if (next % 8) return refuse("next_command is not aligned");
  if (next > left.size() || left.size() - next < element_bytes_min) {
    return refuse("next_command points past the end");
  }
  left_ = left.subspan(next);
  return CompoundElement{*header, left.first(next)};
}

}  // namespace smb3::wire
