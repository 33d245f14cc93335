// The MessageIds that a client may use: [MS-SMB2] 3.3.1.1 and 3.3.5.2.3.
#pragma once

#include <cstdint>
#include <set>

namespace smb3::server {

class SequenceWindow {
 public:
  // Credits that the client holds.
  std::uint64_t available() const noexcept { return end_ - low_ - used_.size(); }

  void grant(std::uint64_t credits) noexcept { end_ += credits; }

  // False: one of the ids lies outside or was used before.
  bool take(std::uint64_t first, std::uint32_t count) {
    if (first < low_ || first >= end_ || end_ - first < count) return false;
    const auto next_used = used_.lower_bound(first);
    if (next_used != used_.end() && *next_used - first < count) return false;
    if (first != low_) {
      for (std::uint64_t id = first; id != first + count; ++id) used_.insert(used_.end(), id);
      return true;
    }
    low_ += count;
    while (!used_.empty() && *used_.begin() == low_) {
      used_.erase(used_.begin());
      ++low_;
    }
    return true;
  }

 private:
  std::uint64_t low_ = 0;         // the first that was not used
  std::uint64_t end_ = 1;         // of what was granted
  std::set<std::uint64_t> used_;  // above low_
};

}  // namespace smb3::server
