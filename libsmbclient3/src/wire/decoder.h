// Reads a declaration from bytes that nobody has vouched for.
#pragma once

#include <smbclient3/error.h>

#include "wire/codec_parts.h"
#include "wire/sizer.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>
#include <string>
#include <vector>

namespace smb3::wire {

// The first failure sticks, and nothing is read behind it. All sums are in 64 bits, so that no
// field of 32 bits can wrap one. A view is taken only of bytes that were given.
class Decoder {
 public:
  // `in` begins at the base of offsets and ends where the element ends; the fixed part is at `at`.
  explicit Decoder(Bytes in, std::size_t at = 0) : in_(in), at_(at) {
    if (at > in.size()) fail("header", "is cut short");
  }

  template <Scalar T>
  Decoder& operator()(const char* name, T& value) {
    return take(name, value, sizeof(T));
  }
  template <ByteArray T>
  Decoder& operator()(const char* name, T& value) {
    if (!has(name, value.size())) return *this;
    std::memcpy(value.data(), in_.data() + at_, value.size());
    at_ += value.size();
    return *this;
  }
  template <Described T>
  Decoder& operator()(const char*, T& value) {
    T::describe(*this, value);
    return *this;
  }
  template <Scalar T, class W>
  Decoder& operator()(const char* name, T& value, Width<W>) {
    return take(name, value, sizeof(W));
  }
  template <class W>
  Decoder& reserved(Width<W>, std::uint64_t = 0) {
    if (has("a reserved field", sizeof(W))) at_ += sizeof(W);
    return *this;
  }
  template <class W>
  Decoder& constant(const char* name, Width<W>, std::uint64_t wanted) {
    W got{};
    take(name, got, sizeof(W));
    if (!why_ && got != wanted) fail(name, "has a wrong value");
    return *this;
  }
  // Whoever walks the chain has checked it.
  Decoder& next_entry() { return reserved(u32); }

  template <class W, class T>
  Decoder& offset(Width<W>, T& part) {
    W value{};
    take("an offset", value, sizeof(W));
    Claim& claim = claim_of(&part);
    claim.offset = value;
    claim.has_offset = true;
    return *this;
  }
  template <class W, class T>
  Decoder& length(Width<W>, T& part, std::size_t bias = 0) {
    W value{};
    take("a length", value, sizeof(W));
    if (!why_ && value < bias) fail("a length", "is too small");
    if (!why_) claim_of(&part).length = value - bias;
    return *this;
  }
  template <class W, class T>
  Decoder& count(Width<W>, T& list) {
    W value{};
    take("a count", value, sizeof(W));
    claim_of(&list).length = value;
    return *this;
  }

  Decoder& part(const char* name, Bytes& bytes, Part = {}) {
    const Claim claim = claim_of(&bytes);
    if (lies_inside(name, claim, claim.length)) {
      bytes = in_.subspan(static_cast<std::size_t>(claim.offset),
                          static_cast<std::size_t>(claim.length));
    }
    return *this;
  }
  Decoder& payload(const char* name, Bytes& bytes) { return part(name, bytes); }
  Decoder& follows(const char* name, Bytes& bytes, Part = {}) {
    const std::uint64_t length = claim_of(&bytes).length;
    if (!has(name, length)) return *this;
    bytes = in_.subspan(at_, static_cast<std::size_t>(length));
    at_ += static_cast<std::size_t>(length);
    return *this;
  }
  Decoder& rest(const char*, Bytes& bytes, Part = {}) {
    if (why_) return *this;
    bytes = in_.subspan(at_);
    at_ = in_.size();
    return *this;
  }
  template <class T>
  Decoder& array(const char* name, std::vector<T>& list) {
    const std::uint64_t count = claim_of(&list).length;
    if (!has(name, count * size_of_element<T>())) return *this;
    list.resize(static_cast<std::size_t>(count));  // no more than the message has bytes for
    for (T& element : list) (*this)(name, element);
    return *this;
  }
  template <Structure T>
  Decoder& aligned_list(const char* name, std::vector<T>& list, Part how = {.alignment = 8});
  template <Structure T>
  Decoder& chain(const char* name, std::vector<T>& list, Part how = {.alignment = 8});
  Decoder& minimum_size(std::size_t) { return *this; }

  bool failed() const { return why_ != nullptr; }
  // How far the sequential reading came, from the base.
  std::size_t at() const { return at_; }
  Error error(std::string_view wire_name) const {
    assert(why_);
    return Error(ErrorKind::protocol, std::string(what_) + ' ' + why_).during(wire_name);
  }

 private:
  struct Claim {
    const void* part = nullptr;
    std::uint64_t offset = 0, length = 0;
    bool has_offset = false;
  };

  template <class T>
  static constexpr std::uint64_t size_of_element() {
    if constexpr (Described<T>) {
      return fixed_size<T>();
    } else {
      return sizeof(T);
    }
  }
  template <Scalar T>
  Decoder& take(const char* name, T& value, std::size_t width) {
    if (!has(name, width)) return *this;
    std::uint64_t raw = 0;
    std::memcpy(&raw, in_.data() + at_, width);  // little-endian, see base/bytes.h
    value = static_cast<T>(raw);
    at_ += width;
    return *this;
  }
  bool has(const char* name, std::uint64_t bytes) {
    if (!why_ && bytes > in_.size() - at_) fail(name, "is cut short");
    return !why_;
  }
  // The only check of a part found by its offset: behind what was read so far, inside the element.
  bool lies_inside(const char* name, const Claim& claim, std::uint64_t length) {
    if (why_ || claim.length == 0) return false;
    assert(claim.has_offset);
    if (claim.offset < at_) {
      fail(name, "overlaps the fixed part");
    } else if (claim.offset > in_.size() || length > in_.size() - claim.offset) {
      fail(name, "runs past the end");
    }
    return !why_;
  }
  Claim& claim_of(const void* part) {
    for (Claim& claim : claims_) {
      if (claim.part == nullptr) claim.part = part;
      if (claim.part == part) return claim;
    }
    assert(false && "more variable parts than claims");
    __builtin_unreachable();
  }
  void fail(const char* what, const char* why) {
    if (why_) return;
    what_ = what;
    why_ = why;
  }
  void fail_like(const Decoder& inner) {
    if (inner.failed()) fail(inner.what_, inner.why_);
  }

  const Bytes in_;
  std::size_t at_;
  const char* what_ = nullptr;
  const char* why_ = nullptr;
  std::array<Claim, 4> claims_{};
};

// Walks a chain of entries, strictly forward. Each entry begins with the distance to the next.
class ChainWalk {
 public:
  ChainWalk(Bytes chain, std::size_t alignment) : left_(chain), alignment_(alignment) {}

  // The next entry's bytes up to its successor, empty at the end of the chain or once broken.
  Bytes next() {
    if (left_.empty()) return {};
    if (left_.size() < 4) return stop("is cut short");
    const std::uint32_t distance = load_le<std::uint32_t>(left_.data());
    const Bytes entry =
        distance ? left_.first(std::min<std::size_t>(distance, left_.size())) : left_;
    if (distance) {
      if (distance < 4) return stop("has a next entry inside its own link");
      if (distance % alignment_) return stop("has a next entry that is not aligned");
      if (distance >= left_.size()) return stop("has a next entry past the end");
    }
    left_ = distance ? left_.subspan(distance) : Bytes{};
    return entry;
  }
  const char* why_broken() const { return why_; }

 private:
  Bytes stop(const char* why) {
    why_ = why;
    left_ = {};
    return {};
  }

  Bytes left_{};
  std::size_t alignment_;
  const char* why_ = nullptr;
};

template <Structure T>
Decoder& Decoder::aligned_list(const char* name, std::vector<T>& list, Part how) {
  const Claim claim = claim_of(&list);  // its length is the count of elements
  if (!lies_inside(name, claim, 0)) return *this;
  std::uint64_t at = claim.offset;
  for (std::uint64_t i = 0; i < claim.length && !why_; ++i) {
    if (i) at = align_up(at, how.alignment);  // the first lies where the peer says
    if (at > in_.size()) fail(name, "is cut short");
    if (why_) break;
    Decoder inner(in_, static_cast<std::size_t>(at));
    T element{};
    T::describe(inner, element);
    fail_like(inner);
    list.push_back(std::move(element));
    at = inner.at();
  }
  return *this;
}

template <Structure T>
Decoder& Decoder::chain(const char* name, std::vector<T>& list, Part how) {
  const Claim claim = claim_of(&list);
  if (!lies_inside(name, claim, claim.length)) return *this;
  ChainWalk walk(
      in_.subspan(static_cast<std::size_t>(claim.offset), static_cast<std::size_t>(claim.length)),
      how.alignment);
  for (Bytes entry = walk.next(); !entry.empty(); entry = walk.next()) {
    Decoder inner(entry);
    T element{};
    T::describe(inner, element);
    if (inner.failed()) {
      fail_like(inner);
      return *this;
    }
    list.push_back(std::move(element));
  }
  if (walk.why_broken()) fail(name, walk.why_broken());
  return *this;
}

}  // namespace smb3::wire
