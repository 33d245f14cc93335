// The header in front of an encrypted message: [MS-SMB2] 2.2.41.
#pragma once

#include "wire/packet_header.h"

namespace smb3::wire {

struct TransformHeader {
  static constexpr std::string_view wire_name = "SMB2 TRANSFORM_HEADER";

  Signature signature{};              // the tag of the AEAD
  std::array<std::byte, 16> nonce{};  // CCM uses 11 bytes of it, GCM 12; all 16 are authenticated
  std::uint32_t original_message_size = 0;
  std::uint64_t session_id = 0;

  template <class Codec, class Self>
  static constexpr void describe(Codec& c, Self& m) {
    c.constant("protocol_id", u32, transform_protocol_id);
    c("signature", m.signature)("nonce", m.nonce);
    c("original_message_size", m.original_message_size);
    c.reserved(u16);
    c.constant("flags", u16, 0x0001);  // Encrypted
    c("session_id", m.session_id);
  }
};
inline constexpr std::size_t transform_header_bytes = 52;
static_assert(fixed_size<TransformHeader>() == transform_header_bytes);

// What the AEAD authenticates beside the message: from the nonce to the end of the header.
inline constexpr std::size_t transform_aad_offset = 20;

}  // namespace smb3::wire
