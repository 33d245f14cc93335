#include "session/channel.h"

namespace smb3 {
namespace {

// Over so long a channel's rate is measured, while it is never idle.
constexpr auto measure = std::chrono::milliseconds(50);

}  // namespace

Channel::Channel(Connection& connection, std::unique_ptr<Protection> protection)
    : connection_(&connection),
      protection_(std::move(protection)),
      local_address_(connection.local_address()),
      remote_address_(connection.remote_address()) {
  if (protection_) connection.attach(*protection_);
}

void Channel::detach() noexcept {
  if (!connection_) return;
  payload_bytes_ = connection_->payload_bytes();
  if (protection_) connection_->detach(*protection_);
  connection_ = nullptr;
}

std::uint64_t Channel::payload_bytes() const noexcept {
  return connection_ ? connection_->payload_bytes() : payload_bytes_;
}

void Channel::begin(std::uint64_t bytes) noexcept {
  if (requests_ == 0) {
    measured_since_ = connection_->reactor().now();
    measured_bytes_ = 0;
  }
  ++requests_;
  ++requests_sent_;
  bytes_ += bytes;
}

void Channel::end(std::uint64_t bytes) noexcept {
  --requests_;
  bytes_ -= bytes;
  if (!connection_) return;
  measured_bytes_ += bytes;
  const TimePoint now = connection_->reactor().now();
  const Duration elapsed = now - measured_since_;
  if (elapsed < measure || measured_bytes_ == 0) return;
  const double seen =
      static_cast<double>(measured_bytes_) / std::chrono::duration<double>(elapsed).count();
  rate_ = rate_ == 0 ? seen : (3 * rate_ + seen) / 4;
  measured_since_ = now;
  measured_bytes_ = 0;
}

}  // namespace smb3
