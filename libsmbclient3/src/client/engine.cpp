#include "client/engine.h"

#include "base/limits.h"
#include "client/server_label.h"
#include "reactor/resolve.h"

#include <algorithm>

namespace smb3 {
namespace {

// After an interruption: what has not ended by then loses its connection.
constexpr auto grace = std::chrono::milliseconds(1000);

std::shared_ptr<const LogonRequest> logon_for(const Credentials& credentials) {
  auto logon = std::make_shared<LogonRequest>();
  logon->user = credentials.user;
  logon->domain = credentials.domain;
  if (credentials.password) logon->password = credentials.password->clone();
  logon->keytab = credentials.keytab;
  logon->kerberos = credentials.kerberos;
  logon->guest = credentials.guest;
  logon->anonymous = credentials.anonymous;
  return logon;
}

std::string identity_of(const std::string& server, std::uint16_t port,
                        const Credentials& credentials) {
  std::string identity = server + "\n" + std::to_string(port) + "\n" + credentials.domain + "\n" +
                         credentials.user + "\n";
  identity += credentials.guest ? 'g' : '-';
  identity += credentials.anonymous ? 'a' : '-';
  return identity;
}

}  // namespace

SessionNode::~SessionNode() { std::erase(engine_->nodes_, this); }

Task<void> SessionNode::establish(std::vector<Endpoint> endpoints,
                                  std::shared_ptr<const LogonRequest> logon,
                                  std::string server_name, std::string label) {
  engine_->nodes_.push_back(this);
  const ClientOptions& options = engine_->options();
  ConnectionOptions connection_options{.server_label = std::move(label),
                                       .timeout = options.timeout};
  connection_ = co_await Connection::open(engine_->reactor(), engine_->pool(), std::move(endpoints),
                                          std::move(connection_options));
  NegotiateOptions negotiate_options;
  negotiate_options.server_name = server_name;
  negotiate_options.client_guid = engine_->client_guid();
  negotiate_options.signing_required = options.sign || options.encrypt;
  negotiate_options.ciphers = preferred_ciphers();
  negotiate_options.signing_algorithms = preferred_signing_algorithms();
  negotiate_options.multi_channel = options.channels != 1;
  negotiated_ = co_await negotiate(*connection_, negotiate_options);
  const SecurityPolicy policy{.sign = options.sign, .encrypt = options.encrypt};
  session_ =
      co_await Session::setup(*connection_, negotiated_, std::move(logon), server_name, policy);
  if (session_->takes_channels() && options.channels != 1) {
    ChannelSetOptions channels;
    if (options.channels != 0) channels.channels = options.channels;
    channels.interfaces = options.interfaces;
    channels.negotiate = std::move(negotiate_options);
    channels.server_name = std::move(server_name);
    channels.port = port_of(connection_->remote_endpoint());
    channels_ = std::make_unique<ChannelSet>(*session_, std::move(channels));
  }
  auto logged = engine_->key_log().add(session_->id(), session_->session_key());
  co_await std::move(logged);
}

Task<void> SessionNode::close() {
  if (closed_) co_return;
  closed_ = true;
  if (channels_) co_await channels_->stop();
  if (session_) co_await session_->logoff();
  if (channels_) co_await channels_->close();
  if (connection_) co_await connection_->close();
}

void SessionNode::cancel_pending() {
  for (const auto& channel : session_->channels()) {
    if (channel->is_usable()) channel->connection().cancel_pending();
  }
}

void SessionNode::fail(const Error& error) {
  if (connection_) connection_->fail(error.clone());
  if (!session_) return;
  for (const auto& channel : session_->channels()) {
    if (channel->is_usable()) channel->connection().fail(error.clone());
  }
}

Engine::Engine(Reactor& reactor, ClientOptions options, KeyLog key_log)
    : reactor_(reactor),
      options_(std::move(options)),
      pool_(reactor, limits::large_buffers + 1,
            limits::head_room_bytes + limits::large_frame_bytes),
      key_log_(std::move(key_log)),
      cut_timer_(reactor) {
  reactor_.random(client_guid_.bytes);
}

Task<std::shared_ptr<SessionNode>> Engine::session_for(std::string server, std::uint16_t port,
                                                       Credentials credentials) {
  if (interruption_.requested) co_return interruption_.error();
  if (options_.port != 0) port = options_.port;
  if (port == 0) port = direct_tcp_port;
  std::string identity = identity_of(server, port, credentials);
  std::erase_if(sessions_, [](const auto& session) { return session.expired(); });
  for (const auto& session : sessions_) {
    auto node = session.lock();
    if (node && node->is_usable() && node->identity() == identity) co_return std::move(node);
  }

  const std::string& host = options_.address.empty() ? server : options_.address;
  const std::string label = server_label(server, port);
  auto endpoints =
      co_await attempt(resolve(reactor_, host, port, reactor_.now() + options_.timeout));
  if (!endpoints) co_return std::move(endpoints).error().on(server_label(host, port));
  auto node = std::make_shared<SessionNode>(shared_from_this(), std::move(identity));
  auto established = co_await attempt(
      node->establish(std::move(*endpoints), logon_for(credentials), server, label));
  if (!established) {
    co_await node->close();
    co_return std::move(established).error().on(label);
  }
  sessions_.push_back(node);
  co_return std::move(node);
}

void Engine::interrupt() {
  interruption_.requested = true;
  for (SessionNode* node : nodes_) {
    if (!node->connection()) continue;
    if (node->is_established()) {
      node->cancel_pending();
    } else {
      node->connection()->fail(interruption_.error());
    }
  }
  cut_timer_.set(reactor_.now() + grace, &cut_connections, this);
}

void Engine::cut_connections(void* self) {
  auto& engine = *static_cast<Engine*>(self);
  for (SessionNode* node : engine.nodes_) {
    node->fail(engine.interruption_.error());
  }
}

Task<void> Engine::shut_down() {
  const std::vector<SessionNode*> nodes = nodes_;
  for (SessionNode* node : nodes) co_await node->close();
  auto ended = co_await attempt(background_.join());
  static_cast<void>(ended);  // closings that nobody waited for
  cut_timer_.clear();
  shut_down_ = true;
}

}  // namespace smb3
