#include "support/server/server.h"

#include "support/server/connection.h"
#include "support/server/handlers.h"
#include "support/server/json_text.h"

#include <algorithm>

namespace smb3::server {
namespace {

// 2025-01-01, in 100 ns since 1601: what the reactor's time 0 is for clients.
constexpr std::uint64_t first_file_time = 133'801'632'000'000'000;

wire::FileTime file_time_of(const Reactor& reactor) {
  return wire::FileTime{first_file_time + static_cast<std::uint64_t>(reactor.now().count()) / 100};
}

wire::FileTime clock_of_reactor(void* reactor) {
  return file_time_of(*static_cast<const Reactor*>(reactor));
}

bool same_name(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return std::ranges::equal(a, b, {}, lower, lower);
}

}  // namespace

Result<std::unique_ptr<Cluster>> Cluster::create(Reactor& reactor, const ServerSettings& settings) {
  auto cluster = std::make_unique<Cluster>();
  for (const ShareSettings& share : settings.shares) {
    auto store = make_store(share, {.now = clock_of_reactor, .context = &reactor});
    if (!store) return std::unexpected(std::move(store).error().on(share.name));
    cluster->shares.push_back(std::make_shared<Share>(share, std::move(*store)));
  }
  if (!cluster->share("IPC$")) {
    ShareSettings pipes;
    pipes.name = "IPC$";
    pipes.type = wire::ShareType::pipe;
    pipes.guest_ok = true;
    cluster->shares.push_back(std::make_shared<Share>(pipes, nullptr));
  }
  return cluster;
}

std::shared_ptr<Share> Cluster::share(std::string_view name) const {
  for (const auto& share : shares) {
    if (same_name(share->settings.name, name)) return share;
  }
  return nullptr;
}

Server::Server(Reactor& reactor, ServerSettings settings, Cluster& cluster,
               AcceptorFactory& acceptors, MessageLog& log)
    : reactor_(reactor),
      settings_(std::move(settings)),
      cluster_(cluster),
      acceptors_(acceptors),
      log_(log),
      started_(reactor.now()),
      idle_(reactor) {
  reactor_.random(guid_.bytes);
  // So that a client notices when it takes a session of another node for one of this.
  std::array<std::byte, 4> node;
  reactor_.random(node);
  next_session_id_ = (std::uint64_t{load_le<std::uint32_t>(node.data())} << 24) + 1;
}

Server::~Server() = default;

Task<void> Server::serve(Socket socket) {
  if (stopping_) co_return;
  auto connection = std::make_unique<Connection>(*this, std::move(socket), ++connections_seen_);
  connections_.push_back(connection.get());
  auto ended = co_await attempt(connection->run());
  static_cast<void>(ended);
  std::erase(connections_, connection.get());
  connection.reset();
  if (connections_.empty()) idle_.set();
}

void Server::restart() {
  for (Connection* connection : connections_) connection->abort();
  const auto sessions = sessions_;
  for (const auto& [id, session] : sessions) end_session(*session);
  if (log_.wanted()) {
    log_.write_line(JsonText().add("event", "restart").add("time_us", time_us()).object());
  }
}

Task<void> Server::stop() {
  stopping_ = true;
  for (Connection* connection : connections_) connection->abort();
  while (!connections_.empty()) co_await idle_.wait();
}

wire::FileTime Server::file_time() const { return file_time_of(reactor_); }

std::uint64_t Server::time_us() const {
  return static_cast<std::uint64_t>((reactor_.now() - started_).count()) / 1000;
}

std::shared_ptr<Session> Server::session(std::uint64_t id) const {
  const auto found = sessions_.find(id);
  return found == sessions_.end() ? nullptr : found->second;
}

std::shared_ptr<Session> Server::add_session() {
  auto session = std::make_shared<Session>();
  session->id = next_session_id_++;
  sessions_.emplace(session->id, session);
  return session;
}

void Server::end_session(Session& session) {
  const auto kept = this->session(session.id);
  if (kept.get() != &session) return;  // it has ended already
  sessions_.erase(session.id);
  session.state = SessionState::expired;
  end_opens(session, nullptr);
  session.trees.clear();
  const auto channels = std::exchange(session.channels, {});
  for (const auto& [connection, channel] : channels) {
    channel.connection->forget_session(session.id);
  }
}

}  // namespace smb3::server
