// Reads tests/vectors/crypto.txt, and other small aids of the crypto tests.
#pragma once

#include "base/bytes.h"
#include "crypto/secret.h"

#include <cstdint>
#include <fstream>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace smb3::test {

using Octets = std::vector<std::byte>;

inline Octets from_hex(std::string_view hex) {
  if (hex.size() % 2 != 0) throw std::runtime_error("odd number of hexadecimal digits");
  Octets octets;
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    octets.push_back(
        static_cast<std::byte>(std::stoul(std::string(hex.substr(i, 2)), nullptr, 16)));
  }
  return octets;
}

inline std::string to_hex(Bytes bytes) {
  std::string hex;
  for (const std::byte byte : bytes) {
    hex += "0123456789abcdef"[std::to_integer<unsigned>(byte >> 4)];
    hex += "0123456789abcdef"[std::to_integer<unsigned>(byte & std::byte{15})];
  }
  return hex;
}

struct Vector {
  std::string name;
  std::vector<std::pair<std::string, std::string>> fields;

  bool has(std::string_view field) const {
    for (const auto& [name, value] : fields) {
      if (name == field) return true;
    }
    return false;
  }
  const std::string& text(std::string_view field) const {
    for (const auto& [name, value] : fields) {
      if (name == field) return value;
    }
    throw std::runtime_error(name + " has no field " + std::string(field));
  }
  Octets bytes(std::string_view field) const { return from_hex(text(field)); }
  Key key(std::string_view field) const { return Key(bytes(field)); }
};

// All vectors of one kind. An unreadable file throws, so that no test passes for want of vectors.
inline std::vector<Vector> vectors_of(std::string_view kind) {
  std::ifstream file(SMB3_TESTS_DIR "/vectors/crypto.txt");
  if (!file) throw std::runtime_error("cannot read vectors/crypto.txt");
  std::vector<Vector> all;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.starts_with('#')) continue;
    const std::size_t space = line.find(' ');
    std::string field = line.substr(0, space);
    std::string value = space == std::string::npos ? "" : line.substr(space + 1);
    if (field == "vector") {
      all.push_back({std::move(value), {}});
    } else {
      all.back().fields.emplace_back(std::move(field), std::move(value));
    }
  }
  std::erase_if(all, [&](const Vector& vector) { return vector.text("kind") != kind; });
  if (all.empty()) throw std::runtime_error("no vectors of kind " + std::string(kind));
  return all;
}

inline Octets random_octets(std::size_t size, std::mt19937_64& random) {
  Octets octets(size);
  for (std::byte& octet : octets) octet = static_cast<std::byte>(random());
  return octets;
}

// The same bytes as up to `most` pieces, some of them empty.
inline std::vector<Bytes> random_pieces(Bytes whole, std::size_t most, std::mt19937_64& random) {
  std::vector<Bytes> pieces;
  while (pieces.size() + 1 < most) {
    const std::size_t size = random() % (whole.size() + 1);
    pieces.push_back(whole.first(size));
    whole = whole.subspan(size);
  }
  pieces.push_back(whole);
  return pieces;
}

inline Octets joined(std::span<const Bytes> pieces) {
  Octets whole;
  for (const Bytes piece : pieces) whole.insert(whole.end(), piece.begin(), piece.end());
  return whole;
}

}  // namespace smb3::test
