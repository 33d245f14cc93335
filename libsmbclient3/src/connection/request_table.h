// The outstanding requests of a connection, by MessageId: [MS-SMB2] 3.2.1.2 OutstandingRequests.
#pragma once

#include "base/limits.h"
#include "connection/request.h"

#include <array>
#include <bit>
#include <cstdint>

namespace smb3 {

// Open addressing over a fixed array: MessageIds count upwards, so neighbours rarely collide.
class RequestTable {
 public:
  std::size_t size() const noexcept { return size_; }
  bool full() const noexcept { return size_ >= limits::requests_max; }

  // Precondition: !full().
  void insert(Request& request) noexcept {
    std::size_t at = home(request.message_id);
    while (slots_[at]) at = (at + 1) % slot_count;
    slots_[at] = &request;
    request.in_table = true;
    ++size_;
  }

  Request* find(std::uint64_t message_id) const noexcept {
    for (std::size_t at = home(message_id); slots_[at]; at = (at + 1) % slot_count) {
      if (slots_[at]->message_id == message_id) return slots_[at];
    }
    return nullptr;
  }

  void erase(Request& request) noexcept {
    std::size_t hole = home(request.message_id);
    while (slots_[hole] != &request) hole = (hole + 1) % slot_count;
    // Close the gap, so that every entry can still be reached from its home.
    for (std::size_t at = (hole + 1) % slot_count; slots_[at]; at = (at + 1) % slot_count) {
      const std::size_t distance = (at - home(slots_[at]->message_id)) % slot_count;
      if (distance >= (at - hole) % slot_count) {
        slots_[hole] = slots_[at];
        hole = at;
      }
    }
    slots_[hole] = nullptr;
    request.in_table = false;
    --size_;
  }

  // Calls visit(Request&) for each; it may not change the table.
  template <class Visit>
  void for_each(Visit visit) const {
    for (Request* request : slots_) {
      if (request) visit(*request);
    }
  }

 private:
  static constexpr std::size_t slot_count = 2 * limits::requests_max;
  static_assert(std::has_single_bit(slot_count));

  static std::size_t home(std::uint64_t message_id) noexcept {
    return static_cast<std::size_t>(message_id) % slot_count;
  }

  std::array<Request*, slot_count> slots_{};
  std::size_t size_ = 0;
};

}  // namespace smb3
