// The property of every line of wire/messages.h: what decodes survives a round trip.
#pragma once

#include "fuzz/fuzz.h"
#include "wire/messages.h"

#include <iterator>

namespace smb3::fuzz {

inline constexpr wire::PrintOptions in_full{.hex_bytes_max = ~std::size_t{0}};

// The room of the header that stands in front of a body.
template <wire::Described T>
inline constexpr std::size_t front_bytes = wire::Message<T> ? wire::header_bytes : 0;

template <wire::Described T>
Octets encoded(const T& value) {
  ByteBuffer out;
  out.extend(front_bytes<T>);
  wire::encode(value, out);
  return {out.bytes().begin(), out.bytes().end()};
}

// `element` as a receiver has it: a message with its header in front, a structure alone.
template <wire::Described T>
void check_round_trip(Bytes element) {
  const Result<T> first = wire::decode<T>(element);
  if (!first) {
    require(first.error().kind() == ErrorKind::protocol, "a decoder's error is of another kind");
    require(!first.error().what().empty(), "a decoder does not say what is wrong");
    return;
  }
  const Octets again = encoded(*first);
  const Exact exact(again);
  const Result<T> second = wire::decode<T>(exact.bytes());
  require(second.has_value(), "what was encoded does not decode");
  require(wire::print(*first, in_full) == wire::print(*second, in_full),
          "a round trip changes the values");
  require(encoded(*second) == again, "a second round trip changes the bytes");
}

template <wire::Described T>
void check_body(Bytes body) {
  Octets element(front_bytes<T>);
  element.insert(element.end(), body.begin(), body.end());
  check_round_trip<T>(Exact(element).bytes());
}

struct Decodable {
  const char* name;
  void (*check)(Bytes body);
};

// All of the list; a seed's first byte says which.
#define SMB3_DECODABLE(Type) {#Type, &check_body<wire::Type>},
inline constexpr Decodable decodables[] = {SMB3_MESSAGES(SMB3_DECODABLE)
                                               SMB3_STRUCTURES(SMB3_DECODABLE)};
#undef SMB3_DECODABLE
static_assert(std::size(decodables) <= 256, "one byte chooses");

}  // namespace smb3::fuzz
