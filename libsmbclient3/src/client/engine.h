// What the shares of one client have in common. Belongs to the client's thread.
#pragma once

#include "auth/credentials.h"
#include "client/key_log.h"
#include "connection/connection.h"
#include "connection/negotiation.h"
#include "crypto/available.h"
#include "multichannel/channel_set.h"
#include "session/session.h"
#include "session/tree_connect.h"
#include "transfer/interruption.h"

#include <smbclient3/client.h>
#include <smbclient3/task_group.h>

#include <memory>
#include <string>
#include <vector>

namespace smb3 {

class Engine;

// A session and its connection, shared by the trees of one user on one server.
class SessionNode {
 public:
  SessionNode(std::shared_ptr<Engine> engine, std::string identity)
      : engine_(std::move(engine)), identity_(std::move(identity)) {}
  SessionNode(const SessionNode&) = delete;
  SessionNode& operator=(const SessionNode&) = delete;
  ~SessionNode();

  // NEGOTIATE and SESSION_SETUP over a new connection to one of the endpoints.
  // `label`: the server in messages.
  Task<void> establish(std::vector<Endpoint> endpoints, std::shared_ptr<const LogonRequest> logon,
                       std::string server_name, std::string label);
  // LOGOFF and the end of the connection; once.
  Task<void> close();

  bool is_usable() const noexcept {
    return session_ && !closed_ && session_->usable_channels() != 0 && !session_->has_failed();
  }
  bool is_established() const noexcept { return session_ != nullptr; }
  Connection* connection() const noexcept { return connection_.get(); }
  const ChannelSet* channel_set() const noexcept { return channels_.get(); }
  // Asks the server to end early what takes long.
  void cancel_pending();
  // Ends everything with this error, now.
  void fail(const Error& error);
  Session& session() const noexcept { return *session_; }
  const std::string& identity() const noexcept { return identity_; }
  Engine& engine() const noexcept { return *engine_; }

  std::size_t trees = 0;

 private:
  std::shared_ptr<Engine> engine_;
  std::string identity_;  // whom and where: who shares the node
  std::unique_ptr<Connection> connection_;
  Negotiated negotiated_;
  std::unique_ptr<Session> session_;
  std::unique_ptr<ChannelSet> channels_;  // null where there is to be one channel only
  bool closed_ = false;
};

class Engine : public std::enable_shared_from_this<Engine> {
 public:
  Engine(Reactor& reactor, ClientOptions options, KeyLog key_log);

  Reactor& reactor() const noexcept { return reactor_; }
  BufferPool& pool() noexcept { return pool_; }
  const ClientOptions& options() const noexcept { return options_; }
  const Interruption& interruption() const noexcept { return interruption_; }
  KeyLog& key_log() noexcept { return key_log_; }
  const wire::Guid& client_guid() const noexcept { return client_guid_; }
  TaskGroup& background() noexcept { return background_; }

  // A session for these credentials, an existing one where it fits.
  Task<std::shared_ptr<SessionNode>> session_for(std::string server, std::uint16_t port,
                                                 Credentials credentials);
  void interrupt();
  // Closes everything; nothing runs afterwards.
  Task<void> shut_down();
  // The reactor is gone or about to go: nothing may be posted to it.
  bool is_shut_down() const noexcept { return shut_down_; }

 private:
  friend class SessionNode;
  static void cut_connections(void* self);

  Reactor& reactor_;
  ClientOptions options_;
  BufferPool pool_;
  KeyLog key_log_;
  wire::Guid client_guid_{};
  Interruption interruption_;
  Timer cut_timer_;
  std::vector<SessionNode*> nodes_;                   // all that live
  std::vector<std::weak_ptr<SessionNode>> sessions_;  // those that may be shared
  bool shut_down_ = false;
  TaskGroup background_;  // closings that nobody waits for
};

}  // namespace smb3
