#include "auth/der.h"

#include <cassert>
#include <cstddef>

namespace smb3::der {

namespace {

constexpr std::uint8_t tag_number_follows = 0x1F;
constexpr std::uint8_t long_form = 0x80;
// Up to 4 bytes of length: more than any token has.
constexpr std::size_t length_bytes_max = 4;

std::unexpected<Error> malformed(const char* what) {
  return std::unexpected(Error(ErrorKind::protocol, what).during("decoding DER"));
}

}  // namespace

bool Reader::next_is(std::uint8_t tag) const noexcept {
  return !rest_.empty() && std::to_integer<std::uint8_t>(rest_.front()) == tag;
}

Result<Element> Reader::read() {
  if (rest_.size() < 2) return malformed("an element ends before its length");
  const auto tag = std::to_integer<std::uint8_t>(rest_[0]);
  if ((tag & tag_number_follows) == tag_number_follows) return malformed("a tag of several bytes");
  std::uint64_t length = std::to_integer<std::uint8_t>(rest_[1]);
  std::size_t head = 2;
  if (length >= long_form) {
    const std::size_t count = length & ~std::uint64_t{long_form};
    if (count == 0) return malformed("an indefinite length");
    if (count > length_bytes_max) return malformed("a length of more than four bytes");
    if (rest_.size() - head < count) return malformed("an element ends within its length");
    length = 0;
    for (std::size_t i = 0; i < count; ++i) {
      length = length << 8 | std::to_integer<std::uint64_t>(rest_[head + i]);
    }
    const bool shortest = length >= long_form && length >> (8 * (count - 1)) != 0;
    if (!shortest) return malformed("a length that is not in its shortest form");
    head += count;
  }
  if (length > rest_.size() - head) return malformed("an element is longer than what holds it");
  Element element{
      .tag = tag, .content = rest_.subspan(head, length), .whole = rest_.first(head + length)};
  rest_ = rest_.subspan(head + length);
  return element;
}

Result<Bytes> Reader::read(std::uint8_t tag) {
  auto element = read();
  if (!element) return std::unexpected(std::move(element.error()));
  if (element->tag != tag) return malformed("another element is due here");
  return element->content;
}

Result<Bytes> Reader::read_last(std::uint8_t tag) {
  auto content = read(tag);
  if (content && !at_end()) return malformed("bytes follow the last element");
  return content;
}

std::vector<std::byte> encode(std::uint8_t tag, std::initializer_list<Bytes> parts) {
  std::uint64_t length = 0;
  for (Bytes part : parts) length += part.size();
  assert(length <= 0xFFFFFFFF);
  std::vector<std::byte> out;
  out.push_back(std::byte{tag});
  if (length < long_form) {
    out.push_back(static_cast<std::byte>(length));
  } else {
    std::size_t count = 1;
    while (length >> (8 * count) != 0) ++count;
    out.push_back(static_cast<std::byte>(long_form | count));
    for (std::size_t i = count; i-- > 0;) out.push_back(static_cast<std::byte>(length >> (8 * i)));
  }
  for (Bytes part : parts) out.insert(out.end(), part.begin(), part.end());
  return out;
}

}  // namespace smb3::der
