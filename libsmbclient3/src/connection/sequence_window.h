// MessageIds and credits of one connection: [MS-SMB2] 3.2.4.1.2, 3.2.4.1.6, 3.2.5.1.4.
#pragma once

#include "base/limits.h"

#include <smbclient3/error.h>

#include <algorithm>
#include <cassert>
#include <cstdint>

namespace smb3 {

// The ids that may be used are always the run [next, end). A request of charge N takes N of them
// when it is sent; only a grant adds to the end.
class SequenceWindow {
 public:
  std::uint32_t available() const noexcept { return static_cast<std::uint32_t>(end_ - next_); }
  // Credits that requests in flight have taken and that their replies may bring back.
  std::uint32_t spent() const noexcept { return spent_; }

  // Precondition: charge <= available().
  std::uint64_t reserve(std::uint16_t charge) noexcept {
    assert(charge != 0 && charge <= available());
    const std::uint64_t message_id = next_;
    next_ += charge;
    spent_ += charge;
    return message_id;
  }

  // A reply (or an interim one) came in and granted credits.
  Result<void> grant(std::uint16_t credits) noexcept {
    if (available() + credits > limits::credits_max) {
      return std::unexpected(
          Error(ErrorKind::protocol, "the server granted more than 65535 credits"));
    }
    end_ += credits;
    return {};
  }

  // The final reply to a request of this charge came in.
  void finished(std::uint16_t charge) noexcept {
    assert(charge <= spent_);
    spent_ -= charge;
  }

  // What to ask for beside the charge itself: enough to come to the target.
  std::uint16_t to_request(std::uint16_t charge) const noexcept {
    const std::uint32_t held = available() + spent_;
    const std::uint32_t missing = held < limits::credit_target ? limits::credit_target - held : 0;
    return static_cast<std::uint16_t>(std::min<std::uint32_t>(charge + missing, 0xFFFF));
  }

 private:
  std::uint64_t next_ = 0;
  std::uint64_t end_ = 1;  // [MS-SMB2] 3.2.4.1.2: a connection starts with one credit, id 0
  std::uint32_t spent_ = 0;
};

}  // namespace smb3
