// Reads an AUTHENTICATE_MESSAGE ([MS-NLMP] 2.2.1.3) that nobody has vouched for.
#pragma once

#include "base/bytes.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>

namespace smb3::test {

// What lies outside of the message is empty.
class Authenticate {
 public:
  static constexpr std::size_t mic_offset = 72;
  static constexpr std::size_t mic_bytes = 16;
  // [MS-NLMP] 2.2.2.1: AvId
  static constexpr unsigned av_flags = 6;
  static constexpr unsigned av_target_name = 9;

  explicit Authenticate(Bytes message) : message_(message) {}

  // Whether it is one at all: its fixed part is whole, and every field lies inside.
  bool well_formed() const {
    constexpr char start[] = "NTLMSSP\0\3\0\0";
    if (message_.size() < fixed_bytes || std::memcmp(message_.data(), start, 12) != 0) return false;
    return std::ranges::all_of(fields, [this](std::size_t at) {
      const std::uint64_t offset = load_le<std::uint32_t>(message_.data() + at + 4);
      return length(at) == 0 || offset + length(at) <= message_.size();
    });
  }

  Bytes lm_response() const { return field(12); }
  Bytes nt_response() const { return field(20); }
  Bytes domain_utf16() const { return field(28); }
  Bytes user_utf16() const { return field(36); }
  std::string domain() const { return narrow(domain_utf16()); }
  std::string user() const { return narrow(user_utf16()); }
  std::uint32_t flags() const {
    return message_.size() < fixed_bytes ? 0 : load_le<std::uint32_t>(message_.data() + 60);
  }
  Bytes mic() const {
    return message_.size() < mic_offset + mic_bytes ? Bytes{}
                                                    : message_.subspan(mic_offset, mic_bytes);
  }
  // MsvAvFlags says that it is there.
  bool has_mic() const {
    const auto all = pairs();
    const auto pair = all.find(av_flags);
    return pair != all.end() && pair->second.size() == 4 &&
           (load_le<std::uint32_t>(pair->second.data()) & 2) != 0;
  }
  // Where the first field lies: 88 when there is room for the MIC.
  std::size_t payload_offset() const {
    std::size_t first = message_.size();
    for (const std::size_t at : fields) {
      if (field(at).empty()) continue;
      first = std::min<std::size_t>(first, load_le<std::uint32_t>(message_.data() + at + 4));
    }
    return first;
  }

  // The pairs of NTLMv2_CLIENT_CHALLENGE (2.2.2.7), behind proof and fixed part.
  std::map<unsigned, Bytes> pairs() const {
    constexpr std::size_t pairs_at = 16 + 28;
    std::map<unsigned, Bytes> pairs;
    Bytes rest = nt_response();
    rest = rest.subspan(std::min(rest.size(), pairs_at));
    while (rest.size() >= 4) {
      const auto id = load_le<std::uint16_t>(rest.data());
      const std::size_t length = load_le<std::uint16_t>(rest.data() + 2);
      if (id == 0 || length > rest.size() - 4) break;
      pairs[id] = rest.subspan(4, length);
      rest = rest.subspan(4 + length);
    }
    return pairs;
  }

  static std::string narrow(Bytes utf16) {
    std::string text;
    for (std::size_t i = 0; i + 1 < utf16.size(); i += 2) {
      text += static_cast<char>(load_le<std::uint16_t>(utf16.data() + i));
    }
    return text;
  }

 private:
  static constexpr std::size_t fixed_bytes = 64;
  static constexpr std::size_t fields[] = {12, 20, 28, 36, 44, 52};

  std::size_t length(std::size_t at) const { return load_le<std::uint16_t>(message_.data() + at); }
  Bytes field(std::size_t at) const {
    if (message_.size() < fixed_bytes) return {};
    const std::uint64_t offset = load_le<std::uint32_t>(message_.data() + at + 4);
    if (offset > message_.size() || length(at) > message_.size() - offset) return {};
    return message_.subspan(static_cast<std::size_t>(offset), length(at));
  }

  Bytes message_;
};

}  // namespace smb3::test
