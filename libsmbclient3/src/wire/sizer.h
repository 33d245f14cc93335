// Counts the fixed part of a declaration at compile time, to check it against the standard.
#pragma once

#include "wire/codec_parts.h"

namespace smb3::wire {

class Sizer {
 public:
  template <Scalar T>
  constexpr Sizer& operator()(const char*, const T&) {
    return add(sizeof(T));
  }
  template <ByteArray T>
  constexpr Sizer& operator()(const char*, const T&) {
    return add(sizeof(T));
  }
  template <Described T>
  constexpr Sizer& operator()(const char*, const T& value) {
    T::describe(*this, value);
    return *this;
  }
  template <Scalar T, class W>
  constexpr Sizer& operator()(const char*, const T&, Width<W>) {
    return add(sizeof(W));
  }
  template <class W>
  constexpr Sizer& reserved(Width<W>, std::uint64_t = 0) {
    return add(sizeof(W));
  }
  template <class W>
  constexpr Sizer& constant(const char*, Width<W>, std::uint64_t) {
    return add(sizeof(W));
  }
  constexpr Sizer& next_entry() { return add(4); }
  template <class W, class T>
  constexpr Sizer& offset(Width<W>, const T&) {
    return add(sizeof(W));
  }
  template <class W, class T>
  constexpr Sizer& length(Width<W>, const T&, std::size_t = 0) {
    return add(sizeof(W));
  }
  template <class W, class T>
  constexpr Sizer& count(Width<W>, const T&) {
    return add(sizeof(W));
  }
  constexpr Sizer& part(const char*, const Bytes&, Part = {}) { return *this; }
  constexpr Sizer& payload(const char*, const Bytes&) { return *this; }
  constexpr Sizer& follows(const char*, const Bytes&, Part = {}) { return *this; }
  constexpr Sizer& rest(const char*, const Bytes&, Part = {}) { return *this; }
  template <class T>
  constexpr Sizer& array(const char*, const T&) {
    return *this;
  }
  template <class T>
  constexpr Sizer& aligned_list(const char*, const T&, Part = {}) {
    return *this;
  }
  template <class T>
  constexpr Sizer& chain(const char*, const T&, Part = {}) {
    return *this;
  }
  constexpr Sizer& minimum_size(std::size_t) { return *this; }

  constexpr std::size_t size() const { return size_; }

 private:
  constexpr Sizer& add(std::size_t bytes) {
    size_ += bytes;
    return *this;
  }

  std::size_t size_ = 0;
};

// The bytes before the variable part. For a message: from the end of the SMB2 header, and so its
// StructureSize without the odd byte that the standard adds for a Buffer.
template <Described T>
constexpr std::size_t fixed_size() {
  Sizer sizer;
  const T value{};
  if constexpr (Message<T>) sizer.reserved(u16);  // StructureSize
  T::describe(sizer, value);
  return sizer.size();
}

}  // namespace smb3::wire
