// The SMB2 packet header: [MS-SMB2] 2.2.1, in its ASYNC (2.2.1.1) and SYNC (2.2.1.2) forms.
#pragma once

#include "base/nt_status.h"
#include "wire/codec.h"
#include "wire/command.h"
#include "wire/flags.h"

namespace smb3::wire {

// The first four bytes of what a frame can hold, as a little-endian number.
inline constexpr std::uint32_t smb2_protocol_id = 0x424D53FE;
inline constexpr std::uint32_t transform_protocol_id = 0x424D53FD;
inline constexpr std::uint32_t compression_protocol_id = 0x424D53FC;

// Of a message that the server sends unasked ([MS-SMB2] 3.2.5.19).
inline constexpr std::uint64_t unsolicited_message_id = ~std::uint64_t{0};

enum class HeaderFlags : std::uint32_t {
  none = 0,
  server_to_redir = 0x1,
  async_command = 0x2,
  related_operations = 0x4,
  signed_message = 0x8,
  priority_mask = 0x70,
  dfs_operations = 0x10000000,
  replay_operation = 0x20000000,
};
template <>
inline constexpr bool is_flags<HeaderFlags> = true;

using Signature = std::array<std::byte, 16>;
inline constexpr std::size_t signature_offset = 48;

struct PacketHeader {
  static constexpr std::string_view wire_name = "SMB2 header";

  std::uint16_t credit_charge = 0;
  std::uint32_t status = 0;  // in a request: ChannelSequence
  Command command = Command::negotiate;
  std::uint16_t credits = 0;  // CreditRequest or CreditResponse
  HeaderFlags flags = HeaderFlags::none;
  std::uint32_t next_command = 0;
  std::uint64_t message_id = 0;
  std::uint64_t async_id = 0;    // only with async_command
  std::uint32_t process_id = 0;  // Reserved; the two below only without async_command
  std::uint32_t tree_id = 0;
  std::uint64_t session_id = 0;
  Signature signature{};

  NtStatus nt_status() const noexcept { return NtStatus{status}; }
  std::uint16_t channel_sequence() const noexcept { return static_cast<std::uint16_t>(status); }
  bool is_async() const noexcept { return has(flags, HeaderFlags::async_command); }
  bool is_response() const noexcept { return has(flags, HeaderFlags::server_to_redir); }
  bool is_signed() const noexcept { return has(flags, HeaderFlags::signed_message); }

  template <class Codec, class Self>
  static constexpr void describe(Codec& c, Self& m) {
    c.constant("protocol_id", u32, smb2_protocol_id);
    c.constant("structure_size", u16, 64);
    c("credit_charge", m.credit_charge)("status", m.status)("command", m.command);
    c("credits", m.credits)("flags", m.flags)("next_command", m.next_command);
    c("message_id", m.message_id);
    if (has(m.flags, HeaderFlags::async_command)) {
      c("async_id", m.async_id);
    } else {
      c("process_id", m.process_id)("tree_id", m.tree_id);
    }
    c("session_id", m.session_id)("signature", m.signature);
  }
};
static_assert(fixed_size<PacketHeader>() == header_bytes);

// Writes a header over the 64 bytes that were kept free for it.
void store(const PacketHeader& header, MutableBytes at);

// The protocol id at the front of a frame; 0 if it is too short for one.
inline std::uint32_t protocol_id_of(Bytes frame) {
  return frame.size() < 4 ? 0 : load_le<std::uint32_t>(frame.data());
}

struct CompoundElement {
  PacketHeader header;
  Bytes bytes{};  // from its header up to the next one, padding and all: what its signature covers
};

// Walks the elements of a message, compounded or not ([MS-SMB2] 3.2.5.1.9).
class CompoundSplitter {
 public:
  explicit CompoundSplitter(Bytes message) : left_(message) {}

  // Nothing: the end. An error: no more elements, and the frame is not to be trusted.
  Result<std::optional<CompoundElement>> next();

 private:
  Bytes left_{};
  bool first_ = true;
};

}  // namespace smb3::wire
