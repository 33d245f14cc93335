// Reads an AUTHENTICATE_MESSAGE ([MS-NLMP] 2.2.1.3) for the tests.
#pragma once

#include "unit/auth/support.h"

#include <algorithm>
#include <chrono>
#include <map>

namespace smb3::test {

// The published challenge under today's MsvAvTimestamp: 100 ns since 1601.
inline Octets as_of_now(Octets challenge) {
  const Octets pair = from_hex("07000800");
  const auto at = std::ranges::search(challenge, pair).begin();
  const auto unix_time = std::chrono::duration_cast<std::chrono::seconds>(
      std::chrono::system_clock::now().time_since_epoch());
  store_le<std::int64_t>(&*at + pair.size(), (unix_time.count() + 11644473600) * 10'000'000);
  return challenge;
}

class Authenticate {
 public:
  explicit Authenticate(Bytes message) : message_(message) {}

  Bytes nt_response() const { return field(20); }
  Bytes lm_response() const { return field(12); }
  std::string domain() const { return narrow(field(28)); }
  std::string user() const { return narrow(field(36)); }
  std::uint32_t flags() const { return load_le<std::uint32_t>(message_.data() + 60); }
  static constexpr std::size_t mic_offset = 72;
  Bytes mic() const { return message_.subspan(mic_offset, 16); }
  // Where the first field lies: 88 when there is room for the MIC.
  std::size_t payload_offset() const {
    std::size_t first = message_.size();
    for (const std::size_t at : {20U, 28U, 36U, 44U, 52U}) {
      if (field(at).empty()) continue;
      first = std::min<std::size_t>(first, load_le<std::uint32_t>(message_.data() + at + 4));
    }
    return first;
  }

  // The pairs of NTLMv2_CLIENT_CHALLENGE (2.2.2.7), behind proof and fixed part.
  std::map<unsigned, Bytes> pairs() const {
    std::map<unsigned, Bytes> pairs;
    Bytes rest = nt_response().subspan(16 + 28);
    while (rest.size() >= 4) {
      const auto id = load_le<std::uint16_t>(rest.data());
      const auto length = load_le<std::uint16_t>(rest.data() + 2);
      if (id == 0) break;
      pairs[id] = rest.subspan(4, length);
      rest = rest.subspan(4U + length);
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
  Bytes field(std::size_t at) const {
    return message_.subspan(load_le<std::uint32_t>(message_.data() + at + 4),
                            load_le<std::uint16_t>(message_.data() + at));
  }
  Bytes message_;
};

}  // namespace smb3::test
