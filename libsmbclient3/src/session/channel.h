// A connection that carries a session: [MS-SMB2] 3.2.1.8.
#pragma once

#include "connection/connection.h"
#include "connection/protection.h"

#include <cstdint>
#include <memory>

namespace smb3 {

// Whether a connection has ended in a way that another one may not.
inline bool is_loss(const Error& error) noexcept {
  return error.kind() == ErrorKind::disconnected || error.kind() == ErrorKind::timed_out;
}

// Belongs to the connection's thread.
class Channel {
 public:
  // `protection`: null for guests.
  Channel(Connection& connection, std::unique_ptr<Protection> protection);
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;
  ~Channel() { detach(); }

  // The connection goes. What it has carried stays to be told.
  void detach() noexcept;

  bool is_attached() const noexcept { return connection_ != nullptr; }
  bool is_usable() const noexcept { return connection_ && !connection_->has_failed(); }
  Connection& connection() const noexcept { return *connection_; }  // precondition: not detached
  Protection* protection() const noexcept { return protection_.get(); }

  // A request that moves so many bytes begins, and ends.
  void begin(std::uint64_t bytes) noexcept;
  void end(std::uint64_t bytes) noexcept;
  std::size_t requests() const noexcept { return requests_; }
  std::uint64_t bytes() const noexcept { return bytes_; }
  // How fast it was of late, in bytes a second; 0 while that is not known.
  double rate() const noexcept { return rate_; }

  // What is told of it.
  const std::string& local_address() const noexcept { return local_address_; }
  const std::string& remote_address() const noexcept { return remote_address_; }
  std::uint64_t payload_bytes() const noexcept;
  std::uint64_t requests_sent() const noexcept { return requests_sent_; }
  std::uint64_t speed_bits_per_second = 0;  // of its link; 0: unknown

  bool is_lost = false;  // the session has taken notice

 private:
  Connection* connection_;
  std::unique_ptr<Protection> protection_;
  std::string local_address_;
  std::string remote_address_;
  std::uint64_t payload_bytes_ = 0;  // of a connection that has gone
  std::uint64_t requests_sent_ = 0;

  std::size_t requests_ = 0;  // in flight
  std::uint64_t bytes_ = 0;
  TimePoint measured_since_{};
  std::uint64_t measured_bytes_ = 0;
  double rate_ = 0;
};

}  // namespace smb3
