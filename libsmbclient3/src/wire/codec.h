// Messages to bytes and back: one describe() a message, see codec_parts.h for its words.
#pragma once

#include <smbclient3/error.h>

#include "base/byte_buffer.h"
#include "wire/codec_parts.h"
#include "wire/decoder.h"
#include "wire/encoder.h"
#include "wire/printer.h"
#include "wire/sizer.h"

#include <optional>

namespace smb3::wire {

struct EncodeOptions {
  std::size_t element_start = 0;  // where this element's SMB2 header lies in the buffer
  Bytes* payload = nullptr;       // if given: the payload is not copied but handed out here
};

// Appends a body to `out`, where its 64 bytes of header lie already (and elements before it).
// Fields that hold more than the wire can say (a name above 65,535 bytes) are the caller's error.
template <Message M>
void encode(const M& message, ByteBuffer& out, EncodeOptions options = {}) {
  assert(out.size() == options.element_start + header_bytes);
  Encoder encoder(out, options.element_start, fixed_size<M>(), options.payload);
  encoder.reserved(u16, M::structure_size);
  M::describe(encoder, message);
}

// Appends a structure; its offsets count from where it begins.
template <Structure S>
void encode(const S& structure, ByteBuffer& out) {
  Encoder encoder(out, out.size(), fixed_size<S>(), nullptr);
  S::describe(encoder, structure);
}

// `element` reaches from the SMB2 header to the end of this element of the frame. What the result
// holds of variable length are views of it.
template <Message M>
Result<M> decode(Bytes element) {
  M message{};
  Decoder decoder(element, header_bytes);
  decoder.constant("structure_size", u16, M::structure_size);
  M::describe(decoder, message);
  if (decoder.failed()) return std::unexpected(decoder.error(M::wire_name));
  return message;
}

// `bytes` begin with the structure; bytes behind it are allowed.
template <Structure S>
Result<S> decode(Bytes bytes) {
  S structure{};
  Decoder decoder(bytes);
  S::describe(decoder, structure);
  if (decoder.failed()) return std::unexpected(decoder.error(S::wire_name));
  return structure;
}

// The StructureSize of a body, which tells layouts of one command apart; 0 if there is none.
inline std::uint16_t structure_size_of(Bytes element) {
  if (element.size() < header_bytes + 2) return 0;
  return load_le<std::uint16_t>(element.data() + header_bytes);
}

// Entries of a chain one by one, without storing them. An entry that is malformed is an error
// value and the walk goes on behind it; after a broken link it ends.
template <Structure T>
class ChainCursor {
 public:
  explicit ChainCursor(Bytes chain, std::size_t alignment = 8) : walk_(chain, alignment) {}

  // Nothing: the end.
  std::optional<Result<T>> next() {
    entry_ = walk_.next();
    if (!entry_.empty()) return decode<T>(entry_);
    if (!walk_.why_broken() || broken_) return std::nullopt;
    broken_ = true;
    return std::unexpected(Error(ErrorKind::protocol, std::string("the list ") + walk_.why_broken())
                               .during(T::wire_name));
  }
  // The links themselves are wrong: what lies behind is lost.
  bool broken() const { return broken_; }
  // All up to the entry behind it, or to the end.
  Bytes last_entry() const { return entry_; }

 private:
  ChainWalk walk_;
  Bytes entry_;
  bool broken_ = false;
};

// All entries of a chain, or the first thing that is wrong with it.
template <Structure T>
Result<std::vector<T>> decode_chain(Bytes chain, std::size_t alignment = 8) {
  std::vector<T> list;
  ChainCursor<T> cursor(chain, alignment);
  while (auto entry = cursor.next()) {
    if (!*entry) return std::unexpected(std::move(*entry).error());
    list.push_back(std::move(**entry));
  }
  return list;
}

}  // namespace smb3::wire
