#include "sim/wire_tap.h"

#include "wire/packet_header.h"

#include <algorithm>

namespace smb3::sim {
namespace {

constexpr std::size_t prefix_bytes = 4;
constexpr std::size_t head_bytes_max = 2048;

// [MS-SMB2] 2.2.41 and 2.2.1.2. By hand: the library's own reading is what is under test.
constexpr std::size_t transform_nonce = 20, transform_session = 44, transform_end = 52;
constexpr std::size_t header_charge = 6, header_command = 12, header_flags = 16, header_next = 20,
                      header_message_id = 24, header_session = 40, header_end = 64;
constexpr std::uint32_t flag_signed = 8;
constexpr std::uint16_t command_cancel = 12;
constexpr std::uint32_t magic_plain = 0x424D53FE, magic_sealed = 0x424D53FD;

}  // namespace

void WireTap::sent(std::uint32_t connection, int side, Bytes bytes) {
  if (side != 0) return;
  Stream& stream = streams_[connection];
  while (!bytes.empty()) {
    if (stream.head.size() < prefix_bytes) {
      const std::size_t count = std::min(bytes.size(), prefix_bytes - stream.head.size());
      stream.head.insert(stream.head.end(), bytes.begin(), bytes.begin() + count);
      bytes = bytes.subspan(count);
      if (stream.head.size() == prefix_bytes) {
        stream.missing = load_be<std::uint32_t>(stream.head.data());
      }
      continue;
    }
    const std::size_t count = std::min<std::uint64_t>(bytes.size(), stream.missing);
    const std::size_t kept =
        std::min(count, head_bytes_max - std::min(head_bytes_max, stream.head.size()));
    stream.head.insert(stream.head.end(), bytes.begin(), bytes.begin() + kept);
    bytes = bytes.subspan(count);
    stream.missing -= count;
    if (stream.missing == 0) {
      frame(connection, stream);
      stream.head.clear();
    }
  }
}

void WireTap::wrong(std::uint32_t connection, const std::string& what) {
  violations_.push_back("connection " + std::to_string(connection) + ": " + what);
}

void WireTap::frame(std::uint32_t connection, Stream& stream) {
  ++frames_;
  Bytes rest = Bytes(stream.head).subspan(prefix_bytes);
  if (rest.size() >= transform_end && load_le<std::uint32_t>(rest.data()) == magic_sealed) {
    return sealed(connection, rest);
  }
  while (rest.size() >= header_end) {
    if (load_le<std::uint32_t>(rest.data()) != magic_plain) {
      return wrong(connection, "the client sent what is no SMB2 message");
    }
    element(connection, stream, rest);
    const auto next = load_le<std::uint32_t>(rest.data() + header_next);
    if (next == 0 || next >= rest.size()) return;
    rest = rest.subspan(next);
  }
}

void WireTap::sealed(std::uint32_t connection, Bytes frame) {
  ++sealed_frames_;
  const auto session = load_le<std::uint64_t>(frame.data() + transform_session);
  const Bytes nonce = frame.subspan(transform_nonce, 16);
  if (!nonces_.insert({session, {nonce.begin(), nonce.end()}}).second) {
    wrong(connection, "a nonce was used twice");
  }
}

void WireTap::element(std::uint32_t connection, Stream& stream, Bytes element) {
  const auto message_id = load_le<std::uint64_t>(element.data() + header_message_id);
  const auto charge = load_le<std::uint16_t>(element.data() + header_charge);
  const bool is_signed = (load_le<std::uint32_t>(element.data() + header_flags) & flag_signed) != 0;
  if (load_le<std::uint16_t>(element.data() + header_command) == command_cancel) {
    // AES-GMAC's nonce is the MessageId and whether it is a CANCEL: [MS-SMB2] 3.1.4.1.
    const auto session = load_le<std::uint64_t>(element.data() + header_session);
    if (is_signed && !signed_cancels_.insert({session, message_id}).second) {
      wrong(connection, "two signed CANCELs have the MessageId " + std::to_string(message_id));
    }
    return;
  }
  if (message_id < stream.next_message_id) {
    wrong(connection, "the MessageId " + std::to_string(message_id) + " was used before");
  }
  stream.next_message_id = message_id + std::max<std::uint16_t>(charge, 1);
}

}  // namespace smb3::sim
