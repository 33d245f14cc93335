// What holds for every line of wire/messages.h: its vectors, and what hostile bytes may do.
#include "unit/wire/from_fields.h"
#include "unit/wire/vector_file.h"
#include "wire/messages.h"

#include <gtest/gtest.h>

#include <random>

namespace smb3::wire::testing {

namespace {

constexpr PrintOptions in_full{.hex_bytes_max = ~std::size_t{0}};

// As a receiver has it: a message with its header in front, a structure alone. In memory of just
// that size, so that a sanitizer sees every byte read outside.
template <Described T>
class Element {
 public:
  explicit Element(Bytes body) : size_(front + body.size()), bytes_(new std::byte[size_]) {
    std::fill_n(bytes_.get(), front, std::byte{0});
    std::ranges::copy(body, bytes_.get() + front);
  }
  Bytes bytes() const { return {bytes_.get(), size_}; }

  static constexpr std::size_t front = Message<T> ? header_bytes : 0;

 private:
  std::size_t size_;
  std::unique_ptr<std::byte[]> bytes_;
};

template <Described T>
std::vector<std::byte> encoded(const T& value) {
  ByteBuffer out;
  out.extend(Element<T>::front);
  encode(value, out);
  const Bytes body = Bytes(out.bytes()).subspan(Element<T>::front);
  return {body.begin(), body.end()};
}

template <Described T>
void check_vectors(std::string_view type_name) {
  for (const Vector& vector : read_vectors(file_of(type_name))) {
    SCOPED_TRACE(vector.where);
    FieldSource source(vector);
    FromFields from_fields(source, "");
    T value{};
    T::describe(from_fields, value);
    source.expect_all_used();

    EXPECT_EQ(to_hex(encoded(value)), to_hex(vector.hex));
    const Element<T> element(vector.hex);
    const Result<T> decoded = decode<T>(element.bytes());
    ASSERT_TRUE(decoded) << explain(decoded.error());
    EXPECT_EQ(print(*decoded, in_full), print(value, in_full));
  }
}

// Whatever decodes must survive a round trip; whatever does not must say why.
template <Described T>
bool check_round_trip(Bytes body) {
  const Element<T> element(body);
  const Result<T> first = decode<T>(element.bytes());
  if (!first) {
    EXPECT_EQ(first.error().kind(), ErrorKind::protocol);
    EXPECT_EQ(first.error().operation(), T::wire_name);
    EXPECT_FALSE(first.error().what().empty());
    return false;
  }
  const Element<T> again(encoded(*first));
  const Result<T> second = decode<T>(again.bytes());
  EXPECT_TRUE(second) << to_hex(body) << ' ' << explain(second.error());
  if (second) {
    EXPECT_EQ(print(*first, in_full), print(*second, in_full)) << to_hex(body);
  }
  return true;
}

class Mutator {
 public:
  explicit Mutator(std::uint64_t seed) : random_(seed) {}

  std::vector<std::byte> random_bytes(std::size_t size_max) {
    std::vector<std::byte> bytes(below(size_max + 1));
    for (std::byte& b : bytes) b = static_cast<std::byte>(random_());
    return bytes;
  }
  void mutate(std::vector<std::byte>& bytes) {
    for (std::size_t changes = 1 + below(4); changes; --changes) {
      const std::size_t at = below(bytes.size() + 1);
      switch (below(6)) {
        case 0: bytes.resize(at); break;
        case 1: bytes.insert(bytes.begin() + static_cast<long>(at), below(9), std::byte{0}); break;
        case 2: flip(bytes, at); break;
        case 3: put(bytes, at, 0xFFFFFFFF, 1 + below(8)); break;
        case 4: put(bytes, at, below(300), 1 + below(4)); break;
        default: put(bytes, at, random_(), 1 + below(8)); break;
      }
    }
  }

 private:
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_() % n); }
  void flip(std::vector<std::byte>& bytes, std::size_t at) {
    if (at < bytes.size()) bytes[at] ^= static_cast<std::byte>(1u << below(8));
  }
  static void put(std::vector<std::byte>& bytes, std::size_t at, std::uint64_t value,
                  std::size_t width) {
    for (; width && at < bytes.size(); --width, ++at, value >>= 8) {
      bytes[at] = static_cast<std::byte>(value);
    }
  }

  std::mt19937_64 random_;
};

template <Described T>
void check_hostile(std::string_view type_name, std::uint64_t seed) {
  SCOPED_TRACE(seed);
  Mutator mutator(seed);
  for (int i = 0; i < 500; ++i) check_round_trip<T>(mutator.random_bytes(200));
  int decoded = 0;
  for (const Vector& vector : read_vectors(file_of(type_name))) {
    EXPECT_TRUE(check_round_trip<T>(vector.hex));
    for (std::size_t size = 0; size < vector.hex.size(); ++size) {
      check_round_trip<T>(Bytes(vector.hex).first(size));
    }
    for (int i = 0; i < 2000; ++i) {
      std::vector<std::byte> bytes = vector.hex;
      mutator.mutate(bytes);
      decoded += check_round_trip<T>(bytes);
    }
  }
  EXPECT_GT(decoded, 0) << "the mutations were too wild to test anything";
}

}  // namespace

#define SMB3_TEST(Type)                               \
  TEST(Vectors, Type) { check_vectors<Type>(#Type); } \
  TEST(Hostile, Type) { check_hostile<Type>(#Type, 20240501); }

SMB3_MESSAGES(SMB3_TEST)
SMB3_STRUCTURES(SMB3_TEST)

}  // namespace smb3::wire::testing
