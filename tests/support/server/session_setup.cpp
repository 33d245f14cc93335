// SESSION_SETUP and LOGOFF: [MS-SMB2] 3.3.5.5 and 3.3.5.6.
#include "wire/session_setup.h"

#include "support/server/connection.h"
#include "support/server/handlers.h"
#include "support/server/json_text.h"
#include "support/server/server.h"
#include "wire/logoff.h"

namespace smb3::server {
namespace {

using Kind = LogonInProgress::Kind;

// The channel of a connection: its signing key, and the session's sealing keys as the server has
// them, which sends with the key that the client receives with.
Result<std::shared_ptr<Protection>> make_protection(Session& session, const Key& signing_key,
                                                    const Connection::Negotiated& negotiated) {
  auto signer = Signer::create(negotiated.signing, signing_key);
  if (!signer) return std::unexpected(std::move(signer).error());
  std::optional<Sealer> sealer;
  if (negotiated.cipher != Cipher::none) {
    auto made =
        Sealer::create(negotiated.cipher, session.keys->decryption, session.keys->encryption);
    if (!made) return std::unexpected(std::move(made).error());
    sealer = std::move(*made);
  }
  auto nonces = session.nonces.next_range();
  if (!nonces) return std::unexpected(std::move(nonces).error());
  return std::make_shared<Protection>(session.id, std::move(*signer), std::move(sealer),
                                      std::move(*nonces));
}

// One SESSION_SETUP request on its way to its answer.
class Leg {
 public:
  Leg(Request& request, const wire::SessionSetupRequest& message)
      : request_(request),
        message_(message),
        server_(request.server),
        connection_(request.connection) {}

  Answer run();

 private:
  StatusOr<LogonInProgress*> find();
  StatusOr<LogonInProgress*> begin_session();
  StatusOr<LogonInProgress*> begin_reauthentication(std::shared_ptr<Session> session);
  StatusOr<LogonInProgress*> find_binding();
  Answer go_on(LogonInProgress& logon);
  StatusOr<wire::SessionFlags> finish(LogonInProgress& logon);
  StatusOr<> check_identity(const Logon& who) const;
  StatusOr<> start_session(Session& session, PreauthIntegrity& preauth, Logon who);
  StatusOr<> bind(LogonInProgress& logon, const Logon& who);
  void end_previous(const Session& session);
  Answer fail(LogonInProgress& logon, NtStatus status);
  void log(const LogonInProgress& logon, const Logon& who) const;

  bool is_binding() const { return wire::has(message_.flags, wire::SessionSetupFlags::binding); }

  Request& request_;
  const wire::SessionSetupRequest& message_;
  Server& server_;
  Connection& connection_;
};

Answer Leg::run() {
  const auto logon = find();
  if (!logon) return Answer::refusal(logon.error());
  return go_on(**logon);
}

StatusOr<LogonInProgress*> Leg::find() {
  // [MS-SMB2] 3.3.5.5: encryption is demanded of all, and this client has none.
  if (server_.settings().encrypt && connection_.negotiated.cipher == Cipher::none) {
    return refuse(NtStatus::access_denied);
  }
  const std::uint64_t id = request_.header.session_id;
  if (id == 0) return begin_session();
  if (is_binding()) {
    if (!server_.settings().multichannel) return refuse(NtStatus::request_not_accepted);
    return find_binding();
  }
  const auto logon = connection_.logons.find(id);
  if (logon != connection_.logons.end()) return &logon->second;
  auto session = connection_.session(id);
  if (!session) return refuse(NtStatus::user_session_deleted);
  return begin_reauthentication(std::move(session));
}

StatusOr<LogonInProgress*> Leg::begin_session() {
  LogonInProgress logon;
  logon.session = server_.add_session();
  logon.session->client_guid = connection_.negotiated.client_guid;
  logon.acceptor = server_.acceptors().make();
  logon.preauth = std::make_shared<PreauthIntegrity>(connection_.preauth);
  connection_.add_session(logon.session);
  const std::uint64_t id = logon.session->id;
  return &connection_.logons.insert_or_assign(id, std::move(logon)).first->second;
}

// [MS-SMB2] 3.3.5.5.2
StatusOr<LogonInProgress*> Leg::begin_reauthentication(std::shared_ptr<Session> session) {
  if (session->state == SessionState::expired) session->state = SessionState::in_progress;
  LogonInProgress logon;
  logon.kind = Kind::reauthentication;
  logon.session = std::move(session);
  logon.acceptor = server_.acceptors().make();
  const std::uint64_t id = logon.session->id;
  return &connection_.logons.insert_or_assign(id, std::move(logon)).first->second;
}

StatusOr<LogonInProgress*> Leg::find_binding() {
  auto session = server_.session(request_.header.session_id);
  if (!session) return refuse(NtStatus::user_session_deleted);
  // A dialect, cipher or algorithm of its own would leave the session's keys without use here.
  const auto& negotiated = connection_.negotiated;
  if (negotiated.cipher != session->cipher || negotiated.signing != session->signing) {
    return refuse(NtStatus::invalid_parameter);
  }
  if (!request_.header.is_signed()) return refuse(NtStatus::invalid_parameter);
  if (session->client_guid != negotiated.client_guid) {
    return refuse(NtStatus::user_session_deleted);
  }
  if (session->state == SessionState::in_progress) return refuse(NtStatus::request_not_accepted);
  if (session->state == SessionState::expired) return refuse(NtStatus::network_session_expired);
  if (!session->keys) return refuse(NtStatus::not_supported);
  const auto logon = connection_.logons.find(session->id);
  if (logon != connection_.logons.end()) return &logon->second;
  if (connection_.session(session->id)) return refuse(NtStatus::request_not_accepted);

  LogonInProgress binding;
  binding.kind = Kind::binding;
  binding.session = session;
  binding.acceptor = server_.acceptors().make();
  binding.preauth = std::make_shared<PreauthIntegrity>(connection_.preauth);
  binding.protection = request_.protection;
  return &connection_.logons.insert_or_assign(session->id, std::move(binding)).first->second;
}

Answer Leg::go_on(LogonInProgress& logon) {
  if (logon.preauth) {
    auto chained = logon.preauth->update(request_.element);
    static_cast<void>(chained);
  }
  auto step = logon.acceptor->step(message_.security_buffer);
  if (!step) return fail(logon, step.error());
  const std::shared_ptr<Session> session = logon.session;
  wire::SessionSetupResponse response;
  response.security_buffer = step->token;
  if (!step->done) {
    Answer answer = Answer::of(response, NtStatus::more_processing_required);
    answer.session_id = session->id;
    answer.preauth = logon.preauth;
    answer.protection = logon.protection;
    return answer;
  }
  const auto flags = finish(logon);
  if (!flags) return fail(logon, flags.error());
  response.session_flags = *flags;
  Answer answer = Answer::of(response);
  answer.session_id = session->id;
  const auto channel = session->channels.find(&connection_);
  if (channel != session->channels.end()) answer.protection = channel->second.protection;
  answer.sign = answer.protection != nullptr;
  connection_.logons.erase(session->id);
  end_previous(*session);
  return answer;
}

StatusOr<wire::SessionFlags> Leg::finish(LogonInProgress& logon) {
  auto who = logon.acceptor->logon();
  if (!who) return refuse(NtStatus::logon_failure);
  if (const auto checked = check_identity(*who); !checked) return refuse(checked.error());
  log(logon, *who);
  Session& session = *logon.session;
  if (logon.kind == Kind::binding) {
    if (const auto bound = bind(logon, *who); !bound) return refuse(bound.error());
    return wire::SessionFlags::none;
  }
  wire::SessionFlags flags = wire::SessionFlags::none;
  if (who->guest) flags |= wire::SessionFlags::is_guest;
  if (who->anonymous) flags |= wire::SessionFlags::is_null;
  if (logon.kind == Kind::session) {
    const auto started = start_session(session, *logon.preauth, std::move(*who));
    if (!started) return refuse(started.error());
  } else {
    session.logon = std::move(*who);
  }
  session.state = SessionState::valid;
  const auto lifetime = server_.settings().session_lifetime_ms;
  session.expires =
      lifetime ? server_.reactor().now() + std::chrono::milliseconds(*lifetime) : never;
  if (session.encrypt) flags |= wire::SessionFlags::encrypt_data;
  return flags;
}

StatusOr<> Leg::check_identity(const Logon& who) const {
  const ServerSettings& settings = server_.settings();
  if (who.guest && !settings.allow_guest) return refuse(NtStatus::logon_failure);
  if (who.anonymous && !settings.allow_anonymous) return refuse(NtStatus::access_denied);
  // They have no keys, and could not read a word.
  if ((who.guest || who.anonymous) && settings.encrypt) return refuse(NtStatus::access_denied);
  return {};
}

StatusOr<> Leg::start_session(Session& session, PreauthIntegrity& preauth, Logon who) {
  const ServerSettings& settings = server_.settings();
  const auto& negotiated = connection_.negotiated;
  session.logon = std::move(who);
  session.cipher = negotiated.cipher;
  session.signing = negotiated.signing;
  Channel channel{.connection = &connection_};
  if (!session.logon.guest && !session.logon.anonymous) {
    auto keys = derive_session_keys(session.logon.session_key.bytes(), negotiated.cipher, preauth);
    if (!keys) return refuse(NtStatus::internal_error);
    session.keys = std::move(*keys);
    auto protection = make_protection(session, session.keys->signing, negotiated);
    if (!protection) return refuse(NtStatus::internal_error);
    channel.protection = std::move(*protection);
    session.encrypt = settings.encrypt;
    const auto modes =
        static_cast<wire::SecurityMode>(negotiated.client_security_mode) | message_.security_mode;
    session.signing_required =
        !session.encrypt && (settings.signing == SigningPolicy::required ||
                             wire::has(modes, wire::SecurityMode::signing_required));
  }
  session.channels.insert_or_assign(&connection_, std::move(channel));
  return {};
}

StatusOr<> Leg::bind(LogonInProgress& logon, const Logon& who) {
  Session& session = *logon.session;
  if (who.guest || who.anonymous || who.user != session.logon.user) {
    return refuse(NtStatus::not_supported);
  }
  const auto key = derive_channel_signing_key(who.session_key.bytes(), *logon.preauth);
  if (!key) return refuse(NtStatus::internal_error);
  auto protection = make_protection(session, *key, connection_.negotiated);
  if (!protection) return refuse(NtStatus::internal_error);
  Channel channel{.connection = &connection_, .protection = std::move(*protection)};
  session.channels.insert_or_assign(&connection_, std::move(channel));
  connection_.add_session(logon.session);
  return {};
}

// Of a client that lost all its connections and does not know whether we noticed.
void Leg::end_previous(const Session& session) {
  if (message_.previous_session_id == session.id) return;
  const auto previous = server_.session(message_.previous_session_id);
  if (!previous || previous->logon.user != session.logon.user) return;
  server_.end_session(*previous);
}

Answer Leg::fail(LogonInProgress& logon, NtStatus status) {
  Answer answer = Answer::refusal(status);
  const std::shared_ptr<Session> session = logon.session;
  answer.session_id = session->id;
  answer.protection = logon.protection;
  connection_.logons.erase(session->id);
  // The session is gone, but for one that only was to be bound.
  if (!answer.protection) {
    connection_.forget_session(session->id);
    server_.end_session(*session);
  }
  return answer;
}

void Leg::log(const LogonInProgress& logon, const Logon& who) const {
  if (!server_.log().wanted()) return;
  constexpr std::string_view kinds[] = {"session", "binding", "reauthentication"};
  server_.log().write_line(JsonText()
                               .add("event", "logon")
                               .add("connection", connection_.number())
                               .add("time_us", server_.time_us())
                               .add("kind", kinds[static_cast<std::size_t>(logon.kind)])
                               .add("session_id", logon.session->id)
                               .add("user", who.user)
                               .add("mechanism", who.mechanism)
                               .add("spn", who.spn)
                               .add("guest", who.guest)
                               .add("anonymous", who.anonymous)
                               .add("mic", who.mic)
                               .add("netname", connection_.negotiated.netname)
                               .object());
}

}  // namespace

Task<Answer> session_setup(Request& request) {
  const auto message = wire::decode<wire::SessionSetupRequest>(request.element);
  if (!message) co_return Answer::refusal(NtStatus::invalid_parameter);
  Leg leg(request, *message);
  co_return leg.run();
}

Task<Answer> logoff(Request& request) {
  if (!wire::decode<wire::LogoffRequest>(request.element)) {
    co_return Answer::refusal(NtStatus::invalid_parameter);
  }
  const std::shared_ptr<Session> session = request.session;
  request.connection.forget_session(session->id);
  request.server.end_session(*session);
  co_return Answer::of(wire::LogoffResponse{});
}

}  // namespace smb3::server
