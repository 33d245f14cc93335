// As much of DER (X.690) as SPNEGO needs: definite, shortest lengths; tags of one byte.
#pragma once

#include "base/bytes.h"

#include <smbclient3/error.h>

#include <cstdint>
#include <initializer_list>
#include <vector>

namespace smb3::der {

inline constexpr std::uint8_t octet_string = 0x04;
inline constexpr std::uint8_t object_identifier = 0x06;
inline constexpr std::uint8_t enumerated = 0x0A;
inline constexpr std::uint8_t sequence = 0x30;
// [APPLICATION n] and [n], constructed.
constexpr std::uint8_t application(unsigned n) { return static_cast<std::uint8_t>(0x60 | n); }
constexpr std::uint8_t context(unsigned n) { return static_cast<std::uint8_t>(0xA0 | n); }

struct Element {
  std::uint8_t tag = 0;
  Bytes content;
  Bytes whole;  // tag and length too
};

// Walks over the elements that follow each other in `input`, which must outlive what is read.
class Reader {
 public:
  explicit Reader(Bytes input) : rest_(input) {}

  bool at_end() const noexcept { return rest_.empty(); }
  Bytes rest() const noexcept { return rest_; }
  bool next_is(std::uint8_t tag) const noexcept;
  Result<Element> read();
  // The content of the next element, which must have this tag.
  Result<Bytes> read(std::uint8_t tag);
  // The same when nothing may follow.
  Result<Bytes> read_last(std::uint8_t tag);

 private:
  Bytes rest_;
};

// One element around the parts, in their order.
std::vector<std::byte> encode(std::uint8_t tag, std::initializer_list<Bytes> parts);

}  // namespace smb3::der
