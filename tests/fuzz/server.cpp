// The scripted server with a client that the fuzzer plays: see client_script.h for what its bytes
// mean.
#include "fuzz/client_script.h"
#include "fuzz/fake_authenticator.h"
#include "support/server/server.h"

#include <smbclient3/task_group.h>

namespace smb3::fuzz {

// Believes everything: '+' goes on, 'x' is refused, 'g' and 'a' are guest and nobody.
class CredulousAcceptor final : public server::Acceptor {
 public:
  server::StatusOr<server::AcceptorStep> step(Bytes token) override {
    name_ = token.empty() ? 'u' : static_cast<char>(token.front());
    if (name_ == 'x') return server::refuse(NtStatus::logon_failure);
    server::AcceptorStep step;
    step.done = name_ != static_cast<char>(another_leg);
    return step;
  }
  Result<server::Logon> logon() override {
    server::Logon logon;
    logon.guest = name_ == 'g';
    logon.anonymous = name_ == 'a';
    logon.user.assign(1, name_);
    logon.mechanism = "none";
    if (!logon.guest && !logon.anonymous) logon.session_key = KeyMaterial(known_session_key());
    return logon;
  }

 private:
  char name_ = 'u';
};

class CredulousAcceptors final : public server::AcceptorFactory {
 public:
  std::vector<std::byte> hint() const override { return {}; }
  std::unique_ptr<server::Acceptor> make() override {
    return std::make_unique<CredulousAcceptor>();
  }
};

server::MessageLog& log_of(std::uint8_t start) {
  static server::MessageLog wanted = *server::MessageLog::open("/dev/null", true);
  static server::MessageLog none = *server::MessageLog::open("", false);
  return start & writes_log ? wanted : none;
}

void serve(Bytes input) {
  // Longer than any pause of the server's.
  constexpr Duration longest = std::chrono::hours(24);
  MemoryReactor reactor;
  ClientScript client(reactor, input);
  reactor.set_peer(client);
  const server::ServerSettings settings = client.settings();
  auto cluster = server::Cluster::create(reactor, settings);
  require(cluster.has_value(), "a server without shares");
  CredulousAcceptors acceptors;
  server::Server server(reactor, settings, **cluster, acceptors, log_of(client.start));
  TaskGroup connections;
  const int socket = *reactor.open_socket(AF_INET);
  connections.start(server.serve(Socket(reactor, socket, "client")));
  client.run(socket);
  const auto over = [&connections] { return connections.running() == 0; };
  require(reactor.run(over, longest), "a connection does not end with its stream");
  connections.start(server.stop());
  require(reactor.run(over, longest), "the server does not stop");
  require(reactor.open_sockets() == 0, "a socket stays open");
}

}  // namespace smb3::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  smb3::fuzz::serve(smb3::fuzz::input_of(data, size));
  return 0;
}
