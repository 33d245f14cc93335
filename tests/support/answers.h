// What a server answers, right or wrong: built by the wire layer, then edited.
#pragma once

#include "crypto/sealer.h"
#include "crypto/signer.h"
#include "support/peer.h"
#include "wire/error_response.h"

#include <functional>

namespace smb3::test {

using Edit = std::function<void(wire::PacketHeader&)>;

// The header of an honest answer: it gives back the credits that the request took.
inline wire::PacketHeader answering(const Element& request) {
  wire::PacketHeader header;
  header.command = request.header.command;
  header.credit_charge = request.header.credit_charge;
  header.credits = std::max<std::uint16_t>(request.header.credit_charge, 1);
  header.flags = wire::HeaderFlags::server_to_redir;
  header.message_id = request.header.message_id;
  header.tree_id = request.header.tree_id;
  header.session_id = request.header.session_id;
  return header;
}

template <wire::Message M>
Octets message(const wire::PacketHeader& header, const M& body) {
  ByteBuffer buffer;
  buffer.extend(wire::header_bytes);
  wire::encode(body, buffer);
  wire::store(header, buffer.bytes());
  return {buffer.bytes().begin(), buffer.bytes().end()};
}

template <wire::Message M>
Octets answer(const Element& request, const M& body, const Edit& edit = {}) {
  wire::PacketHeader header = answering(request);
  if (edit) edit(header);
  return message(header, body);
}

inline Octets refusal(const Element& request, NtStatus status, const Edit& edit = {}) {
  wire::PacketHeader header = answering(request);
  header.status = static_cast<std::uint32_t>(status);
  if (edit) edit(header);
  return message(header, wire::ErrorResponse{});
}

inline Edit granting(std::uint16_t credits) {
  return [credits](wire::PacketHeader& header) { header.credits = credits; };
}

// Puts an answer into the asynchronous form.
inline Edit async(std::uint64_t async_id, std::uint16_t credits = 0) {
  return [=](wire::PacketHeader& header) {
    header.flags |= wire::HeaderFlags::async_command;
    header.async_id = async_id;
    header.credits = credits;
  };
}

inline Octets interim(const Element& request, std::uint64_t async_id, std::uint16_t credits = 1) {
  return refusal(request, NtStatus::pending, async(async_id, credits));
}

// Several answers in one frame. `gap` bytes lie between each and the next boundary of 8.
inline Octets compound(const std::vector<Octets>& members, std::size_t gap = 0) {
  Octets whole;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const std::size_t start = whole.size();
    whole.insert(whole.end(), members[i].begin(), members[i].end());
    if (i + 1 == members.size()) break;
    whole.resize(align_up(whole.size(), 8) + gap);
    store_le(whole.data() + start + 20, static_cast<std::uint32_t>(whole.size() - start));
  }
  return whole;
}

// The server's side of a session's keys. Both sides of these tests use one key for all.
class PeerKeys {
 public:
  PeerKeys(std::uint64_t session_id, Signer signer, std::optional<Sealer> sealer)
      : session_id_(session_id), signer_(std::move(signer)), sealer_(std::move(sealer)) {}

  // One element; its padding too, if it shall have some.
  Octets sign(Octets element) {
    const Bytes rest[] = {Bytes(element).subspan(wire::header_bytes)};
    EXPECT_TRUE(signer_.sign(MutableBytes(element).first(wire::header_bytes), rest));
    return element;
  }
  bool verifies(const Element& request) { return signer_.verify(request.bytes).has_value(); }

  Octets seal(Bytes message) { return seal_for(session_id_, message); }
  Octets seal_for(std::uint64_t session_id, Bytes message) {
    Nonce nonce{};
    store_le(nonce.data(), ++nonces_);
    Octets frame(transform_header_bytes + message.size());
    const Bytes pieces[] = {message};
    EXPECT_TRUE(sealer_->seal(session_id, nonce, pieces, frame));
    return frame;
  }
  // The requests in a sealed frame.
  std::vector<Element> unseal(Octets frame) {
    EXPECT_EQ(sealed_session_id(frame), session_id_) << "the request is not sealed";
    auto message = sealer_->unseal(frame);
    if (message) return split(*message);
    ADD_FAILURE() << describe(message.error());
    return {};
  }

 private:
  std::uint64_t session_id_;
  Signer signer_;
  std::optional<Sealer> sealer_;
  std::uint64_t nonces_ = 0;
};

}  // namespace smb3::test
