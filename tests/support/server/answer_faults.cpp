#include "support/server/answer_faults.h"

#include "support/server/field_map.h"

#include <algorithm>
#include <cstdio>

namespace smb3::server {
namespace {

constexpr std::uint64_t trailing_bytes_max = 8_MiB;

// A rule that names what the answer does not have is a mistake of the test.
void tell(const Fault& fault, const Result<void>& done) {
  if (!done && !fault.may_miss)
    std::fprintf(stderr, "a fault cannot be carried out: %s\n", describe(done.error()).c_str());
}

bool changes_bytes(const Fault& fault) {
  switch (fault.kind) {
    case FaultKind::set_field:
    case FaultKind::patch:
    case FaultKind::truncate:
    case FaultKind::trailing_bytes: return true;
    default: return false;
  }
}

void copy_payload(Outgoing& answer) {
  answer.answer.message->append(answer.answer.payload);
  answer.answer.payload = {};
  answer.answer.owner.reset();
}

// Little-endian, as far as the message reaches.
void store(MutableBytes message, std::uint64_t offset, std::uint64_t width, std::uint64_t value) {
  for (std::uint64_t i = 0; i < std::min<std::uint64_t>(width, 8); ++i) {
    if (offset + i >= message.size() || offset + i < offset) return;
    message[offset + i] = static_cast<std::byte>(value >> (8 * i));
  }
}

void cut(Outgoing& answer, std::uint64_t bytes) {
  ByteBuffer& message = *answer.answer.message;
  if (bytes >= message.size()) return;
  auto shorter = std::make_unique<ByteBuffer>();
  shorter->append(message.bytes().first(bytes));
  answer.answer.message = std::move(shorter);
}

OutgoingFrame& replace_frame(OutgoingFrame& frame, const std::vector<std::byte>& data) {
  frame.raw = data;
  frame.pieces = {{frame.raw.data(), frame.raw.size()}};
  frame.bytes = frame.raw.size();
  return frame;
}

// The bytes of a frame, to be sent once more.
std::unique_ptr<OutgoingFrame> copy_of(const OutgoingFrame& frame) {
  auto copy = std::make_unique<OutgoingFrame>();
  copy->prefix = frame.prefix;
  copy->has_prefix = frame.has_prefix;
  std::vector<std::byte> bytes;
  for (const iovec& piece : frame.pieces) {
    const auto* const begin = static_cast<const std::byte*>(piece.iov_base);
    bytes.insert(bytes.end(), begin, begin + piece.iov_len);
  }
  replace_frame(*copy, bytes);
  return copy;
}

void damage_tag(OutgoingFrame& frame) {
  constexpr std::size_t tag_at = 4;
  if (frame.sealed.size > tag_at) frame.sealed.memory[tag_at] ^= std::byte{0x01};
}

}  // namespace

bool any_has(const OutgoingFrame& frame, FaultKind kind) {
  for (const Outgoing& answer : frame.answers) {
    for (const Fault& fault : answer.faults) {
      if (fault.kind == kind) return true;
    }
  }
  return false;
}

void edit_body(Outgoing& answer) {
  if (!std::ranges::any_of(answer.faults, changes_bytes)) return;
  copy_payload(answer);
  ByteBuffer& message = *answer.answer.message;
  wire::store(answer.header, message.bytes());  // tells what the body is
  for (const Fault& fault : answer.faults) {
    if (fault.kind == FaultKind::set_field) {
      tell(fault, set_field(message.bytes(), answer.header.command, fault.field, fault.index,
                            fault.value, answer.information));
    }
  }
  for (const Fault& fault : answer.faults) {
    if (fault.kind == FaultKind::trailing_bytes) {
      message.extend(std::min<std::uint64_t>(fault.value, trailing_bytes_max));
    }
  }
  for (const Fault& fault : answer.faults) {
    if (fault.kind == FaultKind::truncate) cut(answer, fault.value);
  }
}

void store_header(Outgoing& answer) {
  std::array<std::byte, wire::header_bytes> header{};
  wire::store(answer.header, header);
  for (const Fault& fault : answer.faults) {
    if (fault.kind == FaultKind::set_header) {
      tell(fault, set_header_field(header, fault.field, fault.value));
    }
  }
  const MutableBytes message = answer.answer.message->bytes();
  std::copy_n(header.begin(), std::min(header.size(), message.size()), message.begin());
  for (const Fault& fault : answer.faults) {
    if (fault.kind == FaultKind::patch) store(message, fault.offset, fault.width, fault.value);
    if (fault.kind == FaultKind::unsigned_answer) answer.sign = false;
  }
}

void damage_signature(Outgoing& answer) {
  const MutableBytes message = answer.answer.message->bytes();
  if (message.size() < wire::header_bytes) return;
  for (const Fault& fault : answer.faults) {
    if (fault.kind == FaultKind::wrong_signature) {
      message[wire::signature_offset] ^= std::byte{0x01};
    }
  }
}

std::unique_ptr<OutgoingFrame> edit_frame(OutgoingFrame& frame) {
  std::unique_ptr<OutgoingFrame> again;
  std::vector<Fault> faults;
  for (const Outgoing& answer : frame.answers) {
    faults.insert(faults.end(), answer.faults.begin(), answer.faults.end());
  }
  for (const Fault& fault : faults) {
    switch (fault.kind) {
      case FaultKind::wrong_tag: damage_tag(frame); break;
      case FaultKind::raw_frame:
        replace_frame(frame, fault.data);
        store_be(frame.prefix.data(), static_cast<std::uint32_t>(frame.bytes));
        break;
      case FaultKind::raw_bytes: replace_frame(frame, fault.data).has_prefix = false; break;
      case FaultKind::frame_length:
        store_be(frame.prefix.data(), static_cast<std::uint32_t>(fault.value));
        break;
      case FaultKind::replay_answer: again = copy_of(frame); break;
      case FaultKind::close_within:
      case FaultKind::reset_within:
        frame.cut_bytes = fault.value;
        frame.end = fault.kind == FaultKind::close_within ? FrameEnd::close : FrameEnd::reset;
        break;
      default: break;
    }
  }
  return again;
}

}  // namespace smb3::server
