// Writes a declaration into a buffer.
#pragma once

#include "base/byte_buffer.h"
#include "wire/codec_parts.h"
#include "wire/sizer.h"

#include <array>
#include <cassert>
#include <cstring>
#include <limits>
#include <vector>

namespace smb3::wire {

class Encoder {
 public:
  // Offsets count from `base`, a position in `out`; the fixed part begins at the end of `out`.
  // With `payload` given, a payload is handed out there instead of being copied.
  Encoder(ByteBuffer& out, std::size_t base, std::size_t fixed_bytes, Bytes* payload)
      : out_(out), base_(base), start_(out.size()), at_(out.size()), payload_(payload) {
    out_.extend(fixed_bytes);
  }

  template <Scalar T>
  Encoder& operator()(const char*, const T& value) {
    return append(to_raw(value), sizeof(T));
  }
  template <ByteArray T>
  Encoder& operator()(const char*, const T& value) {
    make_room(value.size());
    std::memcpy(out_.data() + at_, value.data(), value.size());
    at_ += value.size();
    return *this;
  }
  template <Described T>
  Encoder& operator()(const char*, const T& value) {
    T::describe(*this, value);
    return *this;
  }
  template <Scalar T, class W>
  Encoder& operator()(const char*, const T& value, Width<W>) {
    assert(to_raw(value) <= std::numeric_limits<W>::max());
    return append(to_raw(value), sizeof(W));
  }
  template <class W>
  Encoder& reserved(Width<W>, std::uint64_t value = 0) {
    return append(value, sizeof(W));
  }
  template <class W>
  Encoder& constant(const char*, Width<W>, std::uint64_t value) {
    return append(value, sizeof(W));
  }
  Encoder& next_entry() { return append(0, 4); }  // encode_chain() puts the distance here

  template <class W, class T>
  Encoder& offset(Width<W>, const T& part) {
    Slot& slot = slot_of(&part);
    slot.offset_at = at_;
    slot.offset_width = sizeof(W);
    return append(0, sizeof(W));
  }
  template <class W>
  Encoder& length(Width<W>, const Bytes& part, std::size_t bias = 0) {
    assert(part.size() + bias <= std::numeric_limits<W>::max());
    return append(part.size() + bias, sizeof(W));
  }
  template <class W, class T>
  Encoder& length(Width<W>, const std::vector<T>& part) {
    Slot& slot = slot_of(&part);
    slot.length_at = at_;
    slot.length_width = sizeof(W);
    return append(0, sizeof(W));
  }
  template <class W, class T>
  Encoder& count(Width<W>, const std::vector<T>& list) {
    assert(list.size() <= std::numeric_limits<W>::max());
    return append(list.size(), sizeof(W));
  }

  Encoder& part(const char*, const Bytes& bytes, Part how = {}) {
    if (place(&bytes, bytes.empty(), how)) out_.append(bytes);
    return *this;
  }
  Encoder& payload(const char* name, const Bytes& bytes) {
    if (!payload_) return part(name, bytes);
    place(&bytes, bytes.empty(), {});
    *payload_ = bytes;
    return *this;
  }
  Encoder& follows(const char*, const Bytes& bytes, Part = {}) {
    assert(at_ == out_.size());
    out_.append(bytes);
    at_ = out_.size();
    return *this;
  }
  Encoder& rest(const char* name, const Bytes& bytes, Part how = {}) {
    return follows(name, bytes, how);
  }
  template <class T>
  Encoder& array(const char* name, const std::vector<T>& list) {
    for (const T& element : list) (*this)(name, element);
    return *this;
  }
  template <Structure T>
  Encoder& aligned_list(const char*, const std::vector<T>& list, Part how = {.alignment = 8}) {
    place(&list, list.empty(), how);
    for (const T& element : list) {
      pad(how.alignment);
      Encoder inner(out_, base_, fixed_size<T>(), nullptr);
      T::describe(inner, element);
    }
    return *this;
  }
  template <Structure T>
  Encoder& chain(const char*, const std::vector<T>& list,
                 Part how = {.alignment = 8, .zero_if_empty = true});

  Encoder& minimum_size(std::size_t bytes) {
    const std::size_t size = out_.size() - start_;
    if (size < bytes) out_.extend(bytes - size);
    return *this;
  }

 private:
  struct Slot {
    const void* part = nullptr;
    std::size_t offset_at = 0, length_at = 0;
    std::uint8_t offset_width = 0, length_width = 0;
  };

  Encoder& append(std::uint64_t value, std::size_t width) {
    make_room(width);
    store(at_, value, width);
    at_ += width;
    return *this;
  }
  void store(std::size_t at, std::uint64_t value, std::size_t width) {
    assert(width == 8 || value >> (8 * width) == 0);
    std::memcpy(out_.data() + at, &value, width);  // little-endian, see base/bytes.h
  }
  void make_room(std::size_t bytes) {
    if (at_ + bytes > out_.size()) out_.extend(at_ + bytes - out_.size());
  }
  void pad(std::size_t alignment) {
    const std::size_t distance = out_.size() - base_;
    out_.extend(align_up(distance, alignment) - distance);
  }
  // Pads, and writes where the part begins. False if there is nothing to append.
  bool place(const void* part, bool empty, const Part& how) {
    if (empty && how.zero_if_empty) return false;
    pad(empty ? 1 : how.alignment);
    const Slot& slot = slot_of(part);
    if (slot.offset_width) store(slot.offset_at, out_.size() - base_, slot.offset_width);
    return !empty;
  }
  Slot& slot_of(const void* part) {
    for (Slot& slot : slots_) {
      if (slot.part == nullptr) slot.part = part;
      if (slot.part == part) return slot;
    }
    assert(false && "more variable parts than slots");
    __builtin_unreachable();
  }

  ByteBuffer& out_;
  const std::size_t base_;
  const std::size_t start_;
  std::size_t at_;
  Bytes* const payload_;
  std::array<Slot, 4> slots_{};
};

// Entries one behind the other, each aligned and pointing to the next ([MS-FSCC] 2.4).
template <Structure T>
void encode_chain(const std::vector<T>& list, ByteBuffer& out, std::size_t alignment = 8) {
  std::size_t previous = 0;
  bool first = true;
  const std::size_t start = out.size();
  for (const T& entry : list) {
    const std::size_t distance = out.size() - start;
    out.extend(align_up(distance, alignment) - distance);
    const std::size_t at = out.size();
    if (!first) store_le(out.data() + previous, static_cast<std::uint32_t>(at - previous));
    Encoder encoder(out, at, fixed_size<T>(), nullptr);
    T::describe(encoder, entry);
    previous = at;
    first = false;
  }
}

template <Structure T>
Encoder& Encoder::chain(const char*, const std::vector<T>& list, Part how) {
  if (!place(&list, list.empty(), how)) return *this;
  const std::size_t begin = out_.size();
  encode_chain(list, out_, how.alignment);
  const Slot& slot = slot_of(&list);
  if (slot.length_width) store(slot.length_at, out_.size() - begin, slot.length_width);
  return *this;
}

}  // namespace smb3::wire
