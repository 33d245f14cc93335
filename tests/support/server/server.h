// A node of a scripted SMB 3.1.1 server, for tests. Knows no sockets but those that it is given,
// and takes time and chance from the reactor: so it runs over TCP and in a simulation.
#pragma once

#include "reactor/event.h"
#include "reactor/reactor.h"
#include "reactor/socket.h"
#include "support/server/acceptor.h"
#include "support/server/message_log.h"
#include "support/server/session.h"
#include "support/server/settings.h"
#include "support/server/socket_reset.h"

#include <smbclient3/task_group.h>

#include <map>
#include <memory>

namespace smb3::server {

class Connection;

// What the nodes share: files, opens, and who may do what.
struct Cluster {
  // Makes the shares of the settings, and IPC$.
  static Result<std::unique_ptr<Cluster>> create(Reactor& reactor, const ServerSettings& settings);
  std::shared_ptr<Share> share(std::string_view name) const;  // without regard to case; or none

  std::vector<std::shared_ptr<Share>> shares;
  std::uint64_t next_persistent_id = 1;
};

class Server {
 public:
  Server(Reactor& reactor, ServerSettings settings, Cluster& cluster, AcceptorFactory& acceptors,
         MessageLog& log);
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  ~Server();

  // One connection from its first byte to its end. What goes wrong is the connection's end, never
  // an error.
  Task<void> serve(Socket socket);
  // All connections and sessions end at once; opens that are persistent, or durable, stay.
  void restart();
  // Ends all connections and waits for them.
  Task<void> stop();

  Reactor& reactor() noexcept { return reactor_; }
  const ServerSettings& settings() const noexcept { return settings_; }
  Cluster& cluster() noexcept { return cluster_; }
  AcceptorFactory& acceptors() noexcept { return acceptors_; }
  MessageLog& log() noexcept { return log_; }
  FaultScript& faults() noexcept { return settings_.faults; }
  const wire::Guid& guid() const noexcept { return guid_; }
  wire::FileTime file_time() const;  // the reactor's time, as of a fixed start

  std::shared_ptr<Session> session(std::uint64_t id) const;
  std::shared_ptr<Session> add_session();
  // Microseconds since the server was made.
  std::uint64_t time_us() const;
  // Those that stand, and why the others have ended, for who wants to know.
  const std::vector<Connection*>& connections() const noexcept { return connections_; }
  const std::vector<std::string>& ends() const noexcept { return ends_; }
  void note_end(const std::string& why) { ends_.push_back(why); }
  // How a connection is reset; sockets that are not the kernel's have another way.
  void (*reset_when_closed)(Reactor& reactor, const Socket& socket) = server::reset_when_closed;
  // Its trees and opens end; those that are durable wait for their client.
  void end_session(Session& session);

 private:
  Reactor& reactor_;
  ServerSettings settings_;
  Cluster& cluster_;
  AcceptorFactory& acceptors_;
  MessageLog& log_;
  wire::Guid guid_{};
  std::map<std::uint64_t, std::shared_ptr<Session>> sessions_;
  std::uint64_t next_session_id_ = 0;
  std::vector<Connection*> connections_;
  std::vector<std::string> ends_;
  std::uint32_t connections_seen_ = 0;
  TimePoint started_{};
  bool stopping_ = false;
  Event idle_;  // the last connection has ended
};

}  // namespace smb3::server
