// Messages of NTLM for the tests.
#pragma once

#include "support/ntlm_authenticate.h"
#include "unit/auth/support.h"

#include <algorithm>
#include <chrono>

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

}  // namespace smb3::test
