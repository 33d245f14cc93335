// An authenticated session: its keys, its policy, and how its requests are protected.
// [MS-SMB2] 3.2.1.3.
#pragma once

#include "auth/credentials.h"
#include "connection/connection.h"
#include "connection/negotiation.h"
#include "connection/protection.h"
#include "crypto/key_derivation.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace smb3 {

// What the user demands of every session.
struct SecurityPolicy {
  bool sign = false;
  bool encrypt = false;
};

class Session {
 public:
  // SESSION_SETUP until the server is satisfied and has proven that it knows the key.
  static Task<std::unique_ptr<Session>> setup(Connection& connection, const Negotiated& negotiated,
                                              std::shared_ptr<const LogonRequest> logon,
                                              std::string server_name, SecurityPolicy policy);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session();

  // LOGOFF, as far as the connection still works.
  Task<void> logoff();

  // As Connection::transact(), and the way of every request of the session: one that the server
  // refuses because the session has expired is sent again once the session is renewed.
  Task<void> transact(Exchange& exchange);

  // Fills in what every request of the session needs. `tree_seals`: the share demands encryption.
  // `must_sign`: a request that is signed even where signing is optional.
  void prepare(Request& request, bool tree_seals = false, bool must_sign = false);

  Connection& connection() const noexcept { return connection_; }
  const Negotiated& negotiated() const noexcept { return negotiated_; }
  std::uint64_t id() const noexcept { return id_; }
  bool is_guest() const noexcept { return guest_; }
  bool seals() const noexcept { return seals_; }
  bool signs() const noexcept { return signs_; }
  bool can_seal() const noexcept { return protection_ && protection_->can_seal(); }
  const std::string& mechanism() const noexcept { return mechanism_; }
  // The first 16 bytes of what the mechanism exported, as decoders of captures want it; empty for a
  // guest.
  Bytes session_key() const noexcept { return session_key_.bytes(); }
  // It has expired, and could not be renewed.
  bool has_failed() const noexcept { return renewal_.failure.has_value(); }

  // SESSION_SETUP once more with the same SessionId; the keys stay. [MS-SMB2] 3.2.4.2.3.1.
  Task<void> renew();

 private:
  friend class SessionSetup;
  Session(Connection& connection, const Negotiated& negotiated,
          std::shared_ptr<const LogonRequest> logon, std::string server_name, SecurityPolicy policy)
      : connection_(connection),
        negotiated_(negotiated),
        logon_(std::move(logon)),
        server_name_(std::move(server_name)),
        policy_(policy) {}

  // renewal.cpp
  Task<void> await_renewal();
  Task<void> renew_for_all();
  Task<void> renew_after_a_pause();

  // Requests that find the session expired: one renews it, the others wait.
  struct Renewal {
    bool running = false;
    std::uint64_t count = 0;  // of those that have succeeded
    std::size_t in_vain = 0;  // of those since a request was last carried out
    std::vector<std::coroutine_handle<>> waiting;
    std::optional<Error> failure;
  };

  Connection& connection_;
  const Negotiated& negotiated_;
  // Kept for a later renewal.
  std::shared_ptr<const LogonRequest> logon_;
  std::string server_name_;
  SecurityPolicy policy_;
  Renewal renewal_;
  std::uint64_t id_ = 0;
  bool guest_ = false;
  bool signs_ = false;
  bool seals_ = false;
  std::string mechanism_;
  Key session_key_;
  NonceSource nonces_;
  std::unique_ptr<Protection> protection_;  // null for guests
};

}  // namespace smb3
