// One side's keys of a session, and whole elements and frames made and read with them.
#pragma once

#include "base/byte_buffer.h"
#include "crypto/key_derivation.h"
#include "crypto/sealer.h"
#include "crypto/signer.h"
#include "fuzz/fuzz.h"
#include "wire/packet_header.h"

#include <optional>

namespace smb3::fuzz {

enum class Side : std::uint8_t { client, server };

struct SideKeys {
  Signer signer;
  std::optional<Sealer> sealer;
  std::uint64_t nonces = 0;

  static std::optional<SideKeys> derive(Side side, Bytes session_key, Cipher cipher,
                                        SigningAlgorithm signing, const PreauthIntegrity& preauth) {
    auto keys = derive_session_keys(session_key, cipher, preauth);
    if (!keys) return std::nullopt;
    auto signer = Signer::create(signing, keys->signing);
    if (!signer) return std::nullopt;
    SideKeys made{.signer = std::move(*signer), .sealer = std::nullopt};
    if (cipher != Cipher::none) {
      const bool server = side == Side::server;
      auto sealer = Sealer::create(cipher, server ? keys->decryption : keys->encryption,
                                   server ? keys->encryption : keys->decryption);
      if (!sealer) return std::nullopt;
      made.sealer = std::move(*sealer);
    }
    return made;
  }

  // An element whose MessageId no AES-GMAC can have stays without a signature.
  void sign(Octets& element) {
    const Bytes rest[] = {Bytes(element).subspan(wire::header_bytes)};
    static_cast<void>(signer.sign(MutableBytes(element).first(wire::header_bytes), rest));
  }
  Octets seal(std::uint64_t session_id, Bytes message) {
    Nonce nonce{};
    store_le(nonce.data(), ++nonces);
    Octets frame(transform_header_bytes + message.size());
    const Bytes pieces[] = {message};
    require(sealer->seal(session_id, nonce, pieces, frame).has_value(), "a frame is not sealed");
    return frame;
  }
};

// A frame with its length in front.
inline Octets framed(Bytes message) {
  Octets frame(4);
  store_be(frame.data(), static_cast<std::uint32_t>(message.size()));
  frame.insert(frame.end(), message.begin(), message.end());
  return frame;
}

// The next whole frame of a stream, which is taken away; none as long as it is not whole.
inline std::optional<Octets> take_frame(Octets& stream) {
  if (stream.size() < 4) return std::nullopt;
  const std::size_t length = load_be<std::uint32_t>(stream.data());
  if (stream.size() - 4 < length) return std::nullopt;
  Octets frame(stream.begin() + 4, stream.begin() + 4 + static_cast<std::ptrdiff_t>(length));
  stream.erase(stream.begin(), stream.begin() + 4 + static_cast<std::ptrdiff_t>(length));
  return frame;
}

// The bytes behind a message's header.
template <wire::Message M>
Octets body_of(const M& message) {
  ByteBuffer out;
  out.extend(wire::header_bytes);
  wire::encode(message, out);
  return {out.bytes().begin() + wire::header_bytes, out.bytes().end()};
}

inline Octets element_of(const wire::PacketHeader& header, Bytes body) {
  Octets element(wire::header_bytes);
  wire::store(header, element);
  element.insert(element.end(), body.begin(), body.end());
  return element;
}

// Changes one field of a header, as the fuzzer says.
inline void edit(wire::PacketHeader& header, Input& input) {
  const std::uint8_t field = input.byte();
  const auto value = input.number<std::uint64_t>();
  switch (field % 10) {
    case 0: header.credits ^= static_cast<std::uint16_t>(value); break;
    case 1: header.message_id ^= value; break;
    case 2: header.session_id ^= value; break;
    case 3: header.tree_id ^= static_cast<std::uint32_t>(value); break;
    case 4: header.async_id ^= value; break;
    case 5: header.next_command ^= static_cast<std::uint32_t>(value); break;
    case 6: header.credit_charge ^= static_cast<std::uint16_t>(value); break;
    case 7:
      header.command = static_cast<wire::Command>(static_cast<std::uint16_t>(header.command) ^
                                                  static_cast<std::uint16_t>(value));
      break;
    case 8:
      header.flags = static_cast<wire::HeaderFlags>(static_cast<std::uint32_t>(header.flags) ^
                                                    static_cast<std::uint32_t>(value));
      break;
    default: header.status ^= static_cast<std::uint32_t>(value); break;
  }
}

}  // namespace smb3::fuzz
