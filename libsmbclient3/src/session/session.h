// An authenticated session: its keys, its policy, and how its requests are protected.
// [MS-SMB2] 3.2.1.3.
#pragma once

#include "auth/credentials.h"
#include "connection/connection.h"
#include "connection/negotiation.h"
#include "crypto/key_derivation.h"
#include "session/channel.h"

#include <functional>
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

class TreeConnect;

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

  // As Connection::transact(), and the way of every request of the session, over one of its
  // channels: one that the server refuses because the session has expired is sent again once the
  // session is renewed, and one whose channel is lost over another, as far as its repetition
  // allows.
  Task<void> transact(Exchange& exchange);
  // The same without a renewal: for what ends with the session anyway.
  Task<void> send(Exchange& exchange);

  // Fills in what every request of the session needs. `tree_seals`: the share demands encryption.
  // `must_sign`: a request that is signed even where signing is optional.
  void prepare(Request& request, bool tree_seals = false, bool must_sign = false);

  // One more connection carries the session: [MS-SMB2] 3.2.4.2.3. It was negotiated with the same
  // ClientGuid, and for what the session's first one agreed on; it outlives its channel.
  Task<std::shared_ptr<Channel>> bind(Connection& connection, const Negotiated& negotiated);
  // The connection of a channel other than the first is about to go.
  void remove(Channel& channel);
  // The first one stays to the end, usable or not; then those that were bound and not removed.
  const std::vector<std::shared_ptr<Channel>>& channels() const noexcept { return channels_; }
  std::size_t usable_channels() const noexcept;
  // Whether more connections may be bound.
  bool takes_channels() const noexcept { return takes_channels_; }
  // What the one that would be taken now can be asked for: Connection::charge_limit().
  std::uint32_t charge_limit() const noexcept { return pick(0)->connection().charge_limit(); }
  // So many bytes are about to be moved: what helps with that should begin before they are.
  void announce(std::uint64_t bytes, const TreeConnect& tree);
  // Called then.
  std::function<void(std::uint64_t bytes, const TreeConnect& tree)> on_announcement;
  // Called with every request that goes out.
  std::function<void(const Request& request)> on_request;
  // Over all channels.
  std::size_t requests_in_flight() const noexcept;
  std::uint64_t bytes_in_flight() const noexcept;
  // Called when a channel was lost.
  std::function<void()> on_loss;

  // The opens that an oplock break may name, on whatever channel.
  void add_open(OpenRecord& open);
  void remove_open(OpenRecord& open) noexcept;

  // The first connection, with what all of them share: reactor, buffers, names, and patience.
  Connection& connection() const noexcept { return connection_; }
  const Negotiated& negotiated() const noexcept { return negotiated_; }
  std::uint64_t id() const noexcept { return id_; }
  bool is_guest() const noexcept { return guest_; }
  bool seals() const noexcept { return seals_; }
  bool signs() const noexcept { return signs_; }
  bool can_seal() const noexcept { return can_seal_; }
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

  // failover.cpp
  std::shared_ptr<Channel> pick(std::uint64_t bytes) const noexcept;
  void protect(Exchange& exchange, const Channel& channel) const noexcept;
  void lose(Channel& channel);
  void share_patience();
  bool is_held_up(const Exchange& exchange) const noexcept;

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
  SessionKeys keys_;
  NonceSource nonces_;
  bool can_seal_ = false;
  bool takes_channels_ = false;
  std::uint16_t channel_sequence_ = 0;
  std::vector<std::shared_ptr<Channel>> channels_;
  std::vector<OpenRecord*> opens_;
};

}  // namespace smb3
