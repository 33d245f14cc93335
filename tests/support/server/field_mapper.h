// A reader of declarations that notes where each field lies; see wire/codec_parts.h for its words.
#pragma once

#include "support/server/field_map.h"
#include "support/server/message_types.h"

#include <array>
#include <string>
#include <vector>

namespace smb3::server {

// What a message and its parts share while they are walked.
struct FieldWalk {
  const std::byte* origin;  // positions count from here
  bool response;
  std::vector<FieldPlace>& places;
};

// It goes as far as the bytes reach, and takes no part that lies outside of them.
class FieldMapper {
 public:
  // `in` begins at the base of offsets; the fixed part is at `at`.
  FieldMapper(FieldWalk& walk, Bytes in, std::size_t at, std::string prefix)
      : walk_(walk), in_(in), at_(std::min(at, in.size())), prefix_(std::move(prefix)) {}

  template <wire::Scalar T>
  FieldMapper& operator()(const char* name, T& value) {
    return take(kind_of(name), name, value, sizeof(T));
  }
  template <wire::Scalar T, class W>
  FieldMapper& operator()(const char* name, T& value, wire::Width<W>) {
    return take(kind_of(name), name, value, sizeof(W));
  }
  template <wire::ByteArray T>
  FieldMapper& operator()(const char* name, T& value) {
    if (!note(FieldKind::value, name, value.size())) return *this;
    std::memcpy(value.data(), in_.data() + at_, value.size());
    at_ += value.size();
    return *this;
  }
  template <wire::Described T>
  FieldMapper& operator()(const char* name, T& value) {
    const std::size_t length = prefix_.size();
    prefix_.append(name).append(".");
    T::describe(*this, value);
    prefix_.resize(length);
    return *this;
  }
  template <class W>
  FieldMapper& reserved(wire::Width<W>, std::uint64_t = 0) {
    W ignored{};
    return take(FieldKind::constant, "reserved", ignored, sizeof(W));
  }
  template <class W>
  FieldMapper& constant(const char* name, wire::Width<W>, std::uint64_t) {
    W ignored{};
    return take(FieldKind::constant, name, ignored, sizeof(W));
  }
  FieldMapper& next_entry() {
    std::uint32_t ignored{};
    return take(FieldKind::next, "next", ignored, sizeof ignored);
  }

  template <class W, class T>
  FieldMapper& offset(wire::Width<W>, T& part) {
    Claim& claim = claim_of(&part);
    claim.has_offset = true;
    return take_for(claim, FieldKind::offset, claim.offset, sizeof(W));
  }
  template <class W, class T>
  FieldMapper& length(wire::Width<W>, T& part, std::size_t bias = 0) {
    Claim& claim = claim_of(&part);
    take_for(claim, FieldKind::length, claim.length, sizeof(W));
    claim.length -= std::min<std::uint64_t>(claim.length, bias);
    return *this;
  }
  template <class W, class T>
  FieldMapper& count(wire::Width<W>, T& list) {
    Claim& claim = claim_of(&list);
    return take_for(claim, FieldKind::count, claim.length, sizeof(W));
  }

  FieldMapper& part(const char* name, Bytes& bytes, wire::Part = {}) {
    const Claim& claim = name_claim(name, &bytes);
    if (lies_inside(claim, claim.length)) {
      bytes = in_.subspan(static_cast<std::size_t>(claim.offset),
                          static_cast<std::size_t>(claim.length));
    }
    return *this;
  }
  FieldMapper& payload(const char* name, Bytes& bytes) { return part(name, bytes); }
  FieldMapper& follows(const char* name, Bytes& bytes, wire::Part = {}) {
    const Claim& claim = name_claim(name, &bytes);
    if (!has(claim.length)) return *this;
    bytes = in_.subspan(at_, static_cast<std::size_t>(claim.length));
    at_ += static_cast<std::size_t>(claim.length);
    return *this;
  }
  FieldMapper& rest(const char*, Bytes& bytes, wire::Part = {}) {
    bytes = in_.subspan(at_);
    at_ = in_.size();
    return *this;
  }
  template <class T>
  FieldMapper& array(const char* name, std::vector<T>& list) {
    const std::uint64_t count = name_claim(name, &list).length;
    for (std::uint64_t i = 0; i < count && !short_; ++i) {
      T element{};
      (*this)(element_name(name, i).c_str(), element);
    }
    return *this;
  }
  template <wire::Structure T>
  FieldMapper& aligned_list(const char* name, std::vector<T>& list, wire::Part how = {8}) {
    const Claim& claim = name_claim(name, &list);
    std::uint64_t at = claim.offset;
    for (std::uint64_t i = 0; i < claim.length; ++i) {
      if (i != 0) at = align_up(at, how.alignment);
      if (at >= in_.size()) break;
      FieldMapper inner(walk_, in_, static_cast<std::size_t>(at),
                        prefix_ + element_name(name, i) + '.');
      T element{};
      T::describe(inner, element);
      if (inner.short_) break;
      inner.descend(element);
      at = inner.at_;
    }
    return *this;
  }
  template <wire::Structure T>
  FieldMapper& chain(const char* name, std::vector<T>& list, wire::Part how = {8}) {
    const Claim& claim = name_claim(name, &list);
    if (lies_inside(claim, claim.length)) {
      map_chain<T>(in_.subspan(static_cast<std::size_t>(claim.offset),
                               static_cast<std::size_t>(claim.length)),
                   prefix_ + name, how.alignment);
    }
    return *this;
  }
  FieldMapper& minimum_size(std::size_t) { return *this; }

  // Structures in a buffer of this message.
  template <class T>
  void map(Bytes bytes, const std::string& name) {
    if constexpr (is_chained<T>) {
      constexpr bool notify = std::is_same_v<T, wire::FileNotifyInformation>;
      map_chain<T>(bytes, name, notify ? wire::file_notify_alignment : 8);
    } else {
      map_one<T>(bytes, 0, name + '.');
    }
  }
  // Returns how far it came.
  template <class T>
  std::size_t map_one(Bytes bytes, std::size_t at, std::string prefix) {
    FieldMapper inner(walk_, bytes, at, std::move(prefix));
    T element{};
    T::describe(inner, element);
    if (!inner.short_) inner.descend(element);
    return inner.at_;
  }

 private:
  // A part without a name yet: its offset and length stand in front of it.
  struct Claim {
    const void* part = nullptr;
    std::uint64_t offset = 0, length = 0;
    bool has_offset = false;
    std::array<std::size_t, 3> places{};
    std::size_t place_count = 0;
  };

  static FieldKind kind_of(std::string_view name);
  static std::string element_name(const char* name, std::uint64_t index) {
    return std::string(name) + '[' + std::to_string(index) + ']';
  }
  bool has(std::uint64_t bytes) {
    if (bytes > in_.size() - at_) short_ = true;
    return !short_;
  }
  bool note(FieldKind kind, std::string_view name, std::size_t width) {
    if (!has(width)) return false;
    walk_.places.push_back({.kind = kind,
                            .name = prefix_ + std::string(name),
                            .position = static_cast<std::size_t>(in_.data() - walk_.origin) + at_,
                            .width = width});
    return true;
  }
  template <wire::Scalar T>
  FieldMapper& take(FieldKind kind, std::string_view name, T& value, std::size_t width) {
    if (!note(kind, name, width)) return *this;
    std::uint64_t raw = 0;
    std::memcpy(&raw, in_.data() + at_, width);
    value = static_cast<T>(raw);
    at_ += width;
    return *this;
  }
  FieldMapper& take_for(Claim& claim, FieldKind kind, std::uint64_t& value, std::size_t width) {
    if (claim.place_count < claim.places.size() && has(width)) {
      claim.places[claim.place_count++] = walk_.places.size();
    }
    return take(kind, {}, value, width);
  }
  Claim& claim_of(const void* part) {
    for (Claim& claim : claims_) {
      if (claim.part == nullptr) claim.part = part;
      if (claim.part == part) return claim;
    }
    return claims_.back();  // no declaration has more parts than that
  }
  Claim& name_claim(const char* name, const void* part);
  bool lies_inside(const Claim& claim, std::uint64_t length) const {
    return !short_ && claim.has_offset && length != 0 && claim.offset <= in_.size() &&
           length <= in_.size() - claim.offset;
  }
  template <class T>
  void map_chain(Bytes chain, const std::string& name, std::size_t alignment) {
    wire::ChainWalk links(chain, alignment);
    std::uint64_t index = 0;
    for (Bytes entry = links.next(); !entry.empty(); entry = links.next()) {
      map_one<T>(entry, 0, element_name(name.c_str(), index++) + '.');
    }
  }

  // What an element's data holds, where the element itself tells.
  template <class T>
  void descend(const T&) {}
  void descend(const wire::NegotiateContext& context) {
    visit_negotiate_context(context.context_type, [&](auto type) {
      map<typename decltype(type)::type>(context.data, prefix_ + "data");
    });
  }
  void descend(const wire::CreateContext& context) {
    visit_create_context(context, walk_.response, [&](auto type) {
      map<typename decltype(type)::type>(context.data, prefix_ + "data");
    });
  }
  void descend(const wire::ErrorContext& context);

  FieldWalk& walk_;
  Bytes in_;
  std::size_t at_;
  std::string prefix_;
  bool short_ = false;
  std::array<Claim, 4> claims_{};
};

}  // namespace smb3::server
