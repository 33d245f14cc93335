// SESSION_SETUP: [MS-SMB2] 3.2.4.2.3 and 3.2.5.3.
#include "session/session.h"

#include "wire/session_setup.h"

namespace smb3 {

// What a logon is for.
enum class Purpose : std::uint8_t { new_session, renewal, binding };

// One logon in progress.
class SessionSetup {
 public:
  SessionSetup(Session& session, Connection& connection, const Negotiated& negotiated,
               Purpose purpose)
      : session_(session),
        connection_(connection),
        negotiated_(negotiated),
        logon_(session.logon_),
        purpose_(purpose),
        preauth_(negotiated_.preauth) {}

  // `protection`: what signs or seals the requests of a logon that is not the first.
  Task<void> run(Protection* protection = nullptr);
  // Afterwards, unless it was a renewal: the channel's keys; none of a guest's.
  std::unique_ptr<Protection> take_protection() noexcept { return std::move(new_protection_); }

 private:
  Task<void> make_authenticator_();
  Task<AuthenticationStep> step(std::vector<std::byte> server_token);
  Task<wire::SessionSetupResponse> send(const std::vector<std::byte>& token);
  Task<void> accept(wire::SessionSetupResponse response, std::vector<std::byte> token);
  void prepare_request();
  Task<void> finish(wire::SessionSetupResponse response);
  Task<void> finish_binding();
  Result<void> check_identity(wire::SessionFlags flags);
  Task<void> derive_keys();
  Task<void> make_protection(Key signing_key);
  Result<void> verify_final();
  Result<void> decide_protection(wire::SessionFlags flags);

  Session& session_;
  Connection& connection_;
  const Negotiated& negotiated_;
  std::shared_ptr<const LogonRequest> logon_;
  Purpose purpose_;
  Protection* protection_ = nullptr;
  std::unique_ptr<Protection> new_protection_;
  PreauthIntegrity preauth_;
  std::shared_ptr<Authenticator> authenticator_;
  Request request_;  // its reply holds what the last response's views point at
};

Task<std::unique_ptr<Session>> Session::setup(Connection& connection, const Negotiated& negotiated,
                                              std::shared_ptr<const LogonRequest> logon,
                                              std::string server_name, SecurityPolicy policy) {
  std::unique_ptr<Session> session(
      new Session(connection, negotiated, std::move(logon), std::move(server_name), policy));
  if (policy.encrypt && negotiated.cipher == Cipher::none) {
    co_return Error(ErrorKind::security, "encryption is required, but the server offers no cipher");
  }
  SessionSetup setup(*session, connection, negotiated, Purpose::new_session);
  co_await setup.run();
  session->channels_.push_back(std::make_shared<Channel>(connection, setup.take_protection()));
  // Neither a guest's session nor a null session can be bound: [MS-SMB2] 3.3.5.5.2.
  session->takes_channels_ =
      !session->guest_ && wire::has(negotiated.capabilities, wire::Capabilities::multi_channel);
  co_return std::move(session);
}

Task<void> Session::renew() {
  const std::shared_ptr<Channel> channel = pick(0);
  SessionSetup setup(*this, channel->connection(), negotiated_, Purpose::renewal);
  co_await setup.run(channel->protection());
}

Task<std::shared_ptr<Channel>> Session::bind(Connection& connection, const Negotiated& negotiated) {
  // [MS-SMB2] 3.2.4.2.2.2: the same server, which agrees on the same.
  const bool same = negotiated.server_guid == negotiated_.server_guid &&
                    negotiated.cipher == negotiated_.cipher &&
                    negotiated.signing == negotiated_.signing &&
                    negotiated.signing_required == negotiated_.signing_required &&
                    negotiated.capabilities == negotiated_.capabilities;
  if (!same) {
    co_return Error(ErrorKind::protocol,
                    "the server behind this address is another one, or agrees on something else")
        .during("NEGOTIATE");
  }
  // Every request is signed with the session's key, and none is sealed: [MS-SMB2] 3.2.4.2.3. But a
  // server that seals everything seals its answers to them.
  Signer signer = co_await Signer::create(negotiated.signing, keys_.signing);
  std::optional<Sealer> sealer;
  if (can_seal_) {
    sealer = co_await Sealer::create(negotiated.cipher, keys_.encryption, keys_.decryption);
  }
  Protection for_binding(id_, std::move(signer), std::move(sealer),
                         NonceRange(0, NonceRange::counters));
  SessionSetup setup(*this, connection, negotiated, Purpose::binding);
  connection.attach(for_binding);
  auto bound = co_await attempt(setup.run(&for_binding));
  connection.detach(for_binding);
  co_await std::move(bound);
  auto channel = std::make_shared<Channel>(connection, setup.take_protection());
  for (OpenRecord* open : opens_) connection.add_open(*open);
  channels_.push_back(channel);
  share_patience();
  co_return std::move(channel);
}

void Session::remove(Channel& channel) {
  channel.detach();
  std::erase_if(channels_, [&](const auto& mine) { return mine.get() == &channel; });
  share_patience();
}

Task<void> SessionSetup::run(Protection* protection) {
  protection_ = protection;
  if (purpose_ != Purpose::new_session) request_.session_id = session_.id_;
  co_await make_authenticator_();
  AuthenticationStep next = co_await step(negotiated_.security_buffer);
  while (true) {
    wire::SessionSetupResponse response = co_await send(next.token);
    std::vector<std::byte> token(response.security_buffer.begin(), response.security_buffer.end());
    if (request_.status() == NtStatus::success) {
      co_await accept(response, std::move(token));
      co_return;
    }
    if (purpose_ == Purpose::new_session) session_.id_ = request_.reply->header.session_id;
    auto chained = preauth_.update(request_.reply->message);
    co_await std::move(chained);
    next = co_await step(std::move(token));
  }
}

Task<void> SessionSetup::accept(wire::SessionSetupResponse response, std::vector<std::byte> token) {
  if (purpose_ == Purpose::binding || (!logon_->guest && !logon_->anonymous)) {
    auto identity = check_identity(response.session_flags);
    co_await std::move(identity);
  }
  auto last = co_await step(std::move(token));
  if (!last.token.empty()) {
    co_await Error(ErrorKind::security, "the server accepted the logon before it was complete");
  }
  if (purpose_ == Purpose::new_session) {
    co_await finish(response);
  } else if (!session_.guest_ && !authenticator_->complete()) {
    co_await Error(ErrorKind::security, "the server accepted the logon without proving itself");
  } else if (purpose_ == Purpose::binding) {
    co_await finish_binding();
  }
}

Task<void> SessionSetup::make_authenticator_() {
  // The thread that may block owns all that it touches, should we stop waiting for it.
  std::function<Result<std::shared_ptr<Authenticator>>()> make =
      [logon = logon_, name = session_.server_name_]() -> Result<std::shared_ptr<Authenticator>> {
    auto made = smb3::make_authenticator(*logon, name);
    if (!made) return std::unexpected(std::move(made).error());
    return std::shared_ptr<Authenticator>(std::move(*made));
  };
  auto made = co_await attempt(run_blocking<std::shared_ptr<Authenticator>>(
      connection_.reactor(), connection_.deadline(), std::move(make), &connection_.early_end()));
  if (connection_.has_failed()) co_await connection_.failure()->clone();
  if (!made) co_await std::move(made).error().during("logon");
  authenticator_ = std::move(*made);
}

Task<AuthenticationStep> SessionSetup::step(std::vector<std::byte> server_token) {
  std::function<Result<AuthenticationStep>()> work = [authenticator = authenticator_,
                                                      token = std::move(server_token)] {
    return authenticator->step(token);
  };
  auto done = co_await attempt(run_blocking<AuthenticationStep>(
      connection_.reactor(), connection_.deadline(), std::move(work), &connection_.early_end()));
  if (connection_.has_failed()) co_await connection_.failure()->clone();
  if (!done) co_await std::move(done).error().during("logon");
  co_return std::move(*done);
}

Task<wire::SessionSetupResponse> SessionSetup::send(const std::vector<std::byte>& token) {
  wire::SessionSetupRequest message;
  const bool must_sign = session_.policy_.sign || session_.policy_.encrypt;
  message.security_mode =
      must_sign ? wire::SecurityMode::signing_required : wire::SecurityMode::signing_enabled;
  message.security_buffer = token;
  if (purpose_ == Purpose::binding) message.flags = wire::SessionSetupFlags::binding;
  request_.set(message);
  prepare_request();
  Exchange exchange(request_);
  auto answered = co_await connection_.transact(exchange);
  co_await std::move(answered);

  auto chained = preauth_.update(request_.message.bytes());
  co_await std::move(chained);
  const NtStatus status = request_.status();
  if (status != NtStatus::success && status != NtStatus::more_processing_required) {
    Error refused = status_error(status, "SESSION_SETUP");
    if (refused.kind() != ErrorKind::authentication && refused.kind() != ErrorKind::disconnected) {
      Error logon(ErrorKind::authentication, "the logon was refused: " + refused.what());
      refused = std::move(logon).status(static_cast<std::uint32_t>(status)).during("SESSION_SETUP");
    }
    // With two mechanisms the user wants to know why it was not the better one.
    if (std::string reason = authenticator_->fallback_reason(); !reason.empty()) {
      refused = std::move(refused).advise("Kerberos was not used: " + reason);
    }
    co_await std::move(refused);
  }
  const std::uint64_t id = request_.reply->header.session_id;
  if (id == 0 || (session_.id_ != 0 && id != session_.id_)) {
    co_await Error(ErrorKind::protocol, "the server changed the SessionId during the logon");
  }
  auto response = wire::decode<wire::SessionSetupResponse>(request_.reply->message);
  co_return co_await std::move(response);
}

void SessionSetup::prepare_request() {
  request_.session_id = session_.id_;
  if (purpose_ == Purpose::renewal) session_.prepare(request_, false, true);
  if (purpose_ == Purpose::binding) {
    // Signed, and never sealed; the last answer with the key of the new channel.
    request_.level = ProtectionLevel::sign;
    request_.verified_by_caller = true;
  }
  request_.protection = protection_;
}

// Nobody is made a guest who named a user; nothing of the flags counts further before the
// signature has been verified.
Result<void> SessionSetup::check_identity(wire::SessionFlags flags) {
  const bool guest = wire::has(flags, wire::SessionFlags::is_guest);
  const bool null = wire::has(flags, wire::SessionFlags::is_null);
  if (!guest && !null) return {};
  return std::unexpected(Error(ErrorKind::security, std::string("the server made the logon ") +
                                                        (guest ? "a guest" : "anonymous") +
                                                        " although a user was named")
                             .during("SESSION_SETUP")
                             .advise("check user name and domain, or ask for a guest logon"));
}

Task<void> SessionSetup::finish(wire::SessionSetupResponse response) {
  session_.id_ = request_.reply->header.session_id;
  session_.mechanism_ = authenticator_->mechanism();
  session_.guest_ = wire::has(response.session_flags, wire::SessionFlags::is_guest) ||
                    wire::has(response.session_flags, wire::SessionFlags::is_null) ||
                    logon_->anonymous;
  if (session_.guest_) {
    if (session_.policy_.sign || session_.policy_.encrypt) {
      co_await Error(ErrorKind::security,
                     "a guest session can neither sign nor encrypt, but that is required");
    }
    co_return;
  }
  if (!authenticator_->complete()) {
    co_await Error(ErrorKind::security, "the server accepted the logon without proving itself");
  }
  co_await derive_keys();
  auto verified = verify_final();
  co_await std::move(verified);
  auto decided = decide_protection(response.session_flags);
  co_await std::move(decided);
}

Task<void> SessionSetup::derive_keys() {
  KeyMaterial full = co_await authenticator_->session_key();
  session_.keys_ = co_await derive_session_keys(full.bytes(), negotiated_.cipher, preauth_);
  session_.session_key_ = Key(full.bytes().first(std::min<std::size_t>(full.bytes().size(), 16)));
  session_.can_seal_ = negotiated_.cipher != Cipher::none;
  co_await make_protection(session_.keys_.signing.clone());
}

// The signing key is the channel's; the others are the session's, with nonces of the channel's own:
// [MS-SMB2] 3.2.5.3.1 and 3.2.5.3.3.
Task<void> SessionSetup::make_protection(Key signing_key) {
  Signer signer = co_await Signer::create(negotiated_.signing, signing_key);
  const SessionKeys& keys = session_.keys_;
  std::optional<Sealer> sealer;
  if (session_.can_seal_) {
    sealer = co_await Sealer::create(negotiated_.cipher, keys.encryption, keys.decryption);
  }
  NonceRange nonces = co_await session_.nonces_.next_range();
  new_protection_ = std::make_unique<Protection>(session_.id_, std::move(signer), std::move(sealer),
                                                 std::move(nonces));
}

Task<void> SessionSetup::finish_binding() {
  KeyMaterial full = co_await authenticator_->session_key();
  Key signing_key = co_await derive_channel_signing_key(full.bytes(), preauth_);
  co_await make_protection(std::move(signing_key));
  if (request_.reply->was_sealed) co_return;  // which only the holder of the session's keys can
  auto verified = verify_final();
  co_await std::move(verified);
}

// The only protection against a downgrade of what was negotiated: [MS-SMB2] 3.2.5.3.1.
Result<void> SessionSetup::verify_final() {
  const Reply& reply = *request_.reply;
  if (!wire::has(reply.header.flags, wire::HeaderFlags::signed_message)) {
    return std::unexpected(Error(ErrorKind::security, "the final logon response is not signed")
                               .during("SESSION_SETUP"));
  }
  auto verified = new_protection_->signer().verify(reply.message);
  if (!verified) {
    return std::unexpected(std::move(verified).error().during("SESSION_SETUP"));
  }
  return {};
}

Result<void> SessionSetup::decide_protection(wire::SessionFlags flags) {
  const bool server_seals = wire::has(flags, wire::SessionFlags::encrypt_data);
  if (server_seals && negotiated_.cipher == Cipher::none) {
    return std::unexpected(
        Error(ErrorKind::protocol, "the server demands encryption without a cipher"));
  }
  session_.seals_ = server_seals || session_.policy_.encrypt;
  session_.signs_ = !session_.seals_ && (session_.policy_.sign || negotiated_.signing_required);
  return {};
}

}  // namespace smb3
