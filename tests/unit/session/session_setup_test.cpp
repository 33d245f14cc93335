// SESSION_SETUP and TREE_CONNECT with real NTLM: who is believed, and how requests are protected
// afterwards. The server is an acceptor of GSSAPI in this process.
#include "crypto/key_derivation.h"
#include "support/session_fixture.h"
#include "unit/auth/gss_acceptor.h"
#include "wire/logoff.h"

// gss-ntlmssp 1.2.0 never frees the MD4 that it fetches from OpenSSL for a password.
extern "C" __attribute__((visibility("default"))) const char* __lsan_default_suppressions() {
  return "leak:libcrypto.so\n";
}

namespace smb3::test {
namespace {

// What the server knows when it answers the last request of a logon.
struct Final {
  Element request;
  Octets token;
  std::unique_ptr<PeerKeys> keys;
};

class LogonTest : public SessionTest {
 protected:
  void SetUp() override {
    ::setenv("NTLM_USER_FILE", folder_.write("users", "LAB:alice:Passw0rd!\n").c_str(), 1);
    ::setenv("KRB5_CONFIG", folder_.write("krb5.conf", "").c_str(), 1);
    SessionTest::SetUp();
    acceptor_ = std::make_unique<GssAcceptor>(gss::MechanismKind::ntlm);
    spnego_ = std::make_unique<SpnegoAcceptor>(*acceptor_, spnego::ntlmssp);
    connect_negotiated(64);
    negotiated_.cipher = Cipher::aes_128_gcm;
    negotiated_.signing = SigningAlgorithm::aes_128_gmac;
    negotiated_.max_read_bytes = negotiated_.max_write_bytes = 1 << 20;
  }

  static LogonRequest alice(std::string_view password = "Passw0rd!") {
    LogonRequest logon;
    logon.user = "LAB\\alice";
    logon.password = SecretString(password);
    logon.kerberos = KerberosUse::off;
    return logon;
  }

  // All but the last answer. `chain`: what the server has seen of NEGOTIATE.
  Final converse(PreauthIntegrity chain = {}) {
    Final final;
    final.request = peer_.receive();
    Octets token = accept(final.request, chain);
    const Octets reply =
        session_setup_answer(final.request, token, in_session(NtStatus::more_processing_required));
    EXPECT_TRUE(chain.update(reply));
    peer_.send_frame(reply);
    final.request = peer_.receive();
    if (final.request.bytes.empty()) return final;
    final.token = accept(final.request, chain);
    if (!acceptor_->complete) return final;
    const Octets key = acceptor_->session_key();
    SessionKeys keys = derive_session_keys(key, negotiated_.cipher, chain).value();
    std::optional<Sealer> sealer;
    if (negotiated_.cipher != Cipher::none) {
      sealer = Sealer::create(negotiated_.cipher, keys.decryption, keys.encryption).value();
    }
    final.keys = std::make_unique<PeerKeys>(
        test_session, Signer::create(negotiated_.signing, keys.signing).value(), std::move(sealer));
    return final;
  }
  static Octets final_answer(const Final& final, wire::SessionFlags flags = {}) {
    return session_setup_answer(final.request, final.token, in_session(NtStatus::success), flags);
  }

  void log_on(SecurityPolicy policy = {}, wire::SessionFlags flags = {}) {
    auto logon = start_logon(alice(), policy);
    Final final = converse();
    ASSERT_TRUE(final.keys);
    peer_.send_frame(final.keys->sign(final_answer(final, flags)));
    auto session = logon->result();
    ASSERT_TRUE(session) << describe(session.error());
    session_ = std::move(*session);
    keys_ = std::move(final.keys);
  }
  // One that shall fail: `spoil` makes the last answer.
  Result<std::unique_ptr<Session>> log_on_with(const std::function<Octets(const Final&)>& spoil) {
    auto logon = start_logon(alice());
    const Final final = converse();
    EXPECT_TRUE(final.keys);
    peer_.send_frame(spoil(final));
    return logon->result();
  }
  void connect_tree(wire::ShareFlags flags = {}) {
    auto connecting = start_tree_connect();
    const Element request = session_->seals() ? receive_sealed() : peer_.receive();
    if (!session_->seals()) {
      EXPECT_TRUE(keys_->verifies(request)) << "TREE_CONNECT is signed in any case";
    }
    const Octets reply = tree_answer(request, flags);
    peer_.send_frame(session_->seals() ? keys_->seal(reply) : keys_->sign(reply));
    auto tree = connecting->result();
    ASSERT_TRUE(tree) << describe(tree.error());
    tree_ = std::move(*tree);
  }
  Element receive_sealed() {
    auto requests = keys_->unseal(peer_.receive_frame());
    EXPECT_EQ(requests.size(), 1U);
    return requests.empty() ? Element{} : std::move(requests.front());
  }

  TemporaryFolder folder_;
  std::unique_ptr<GssAcceptor> acceptor_;
  std::unique_ptr<SpnegoAcceptor> spnego_;
  std::unique_ptr<PeerKeys> keys_;

 private:
  Octets accept(const Element& request, PreauthIntegrity& chain) {
    EXPECT_TRUE(chain.update(request.bytes));
    const auto message = request.as<wire::SessionSetupRequest>();
    return spnego_->step(message.security_buffer).value_or(Octets{});
  }
};

TEST_F(LogonTest, ProvesBothSides) {
  log_on();
  EXPECT_EQ(session_->id(), test_session);
  EXPECT_EQ(session_->mechanism(), "NTLMSSP");
  EXPECT_FALSE(session_->is_guest());
  EXPECT_FALSE(session_->seals());
  EXPECT_FALSE(session_->signs());
  EXPECT_TRUE(session_->can_seal());
  EXPECT_TRUE(spnego_->client_mic_verified);
  EXPECT_EQ(to_hex(session_->session_key()), to_hex(acceptor_->session_key()));
}

TEST_F(LogonTest, WithoutDemandsOnlyTreeConnectIsSigned) {
  log_on();
  connect_tree();
  auto creating = start_create("file");
  const Element request = peer_.receive();
  EXPECT_FALSE(request.header.is_signed());
  peer_.send_frame(refusal(request, NtStatus::access_denied));
  EXPECT_FALSE(creating->result());
}

TEST_F(LogonTest, WhereTheServerDemandsItAllIsSigned) {
  negotiated_.signing_required = true;
  log_on();
  EXPECT_TRUE(session_->signs());
  connect_tree();
  auto creating = start_create("file");
  const Element request = peer_.receive();
  EXPECT_TRUE(keys_->verifies(request));
  peer_.send_frame(refusal(request, NtStatus::access_denied));
  EXPECT_TRUE(fails(creating->result(), ErrorKind::security, "not signed"));
}

TEST_F(LogonTest, WhereTheUserDemandsItAllIsSigned) {
  log_on({.sign = true});
  EXPECT_TRUE(session_->signs());
  auto ending = run<void>([this] { return session_->logoff(); });
  const Element request = peer_.receive();
  EXPECT_EQ(request.header.command, wire::Command::logoff);
  EXPECT_TRUE(keys_->verifies(request));
  peer_.send_frame(keys_->sign(answer(request, wire::LogoffResponse{})));
  EXPECT_TRUE(ending->result());
}

TEST_F(LogonTest, WhereTheServerEncryptsAllIsEncrypted) {
  log_on({}, wire::SessionFlags::encrypt_data);
  EXPECT_TRUE(session_->seals());
  connect_tree();
  auto creating = start_create("file");
  peer_.send_frame(keys_->seal(refusal(receive_sealed(), NtStatus::access_denied)));
  EXPECT_TRUE(fails(creating->result(), ErrorKind::access_denied, "ACCESS_DENIED"));
}

TEST_F(LogonTest, WhereTheUserDemandsItAllIsEncrypted) {
  log_on({.encrypt = true});
  EXPECT_TRUE(session_->seals());
  connect_tree();
}

TEST_F(LogonTest, WhereTheShareEncryptsItsRequestsAre) {
  log_on();
  connect_tree(wire::ShareFlags::encrypt_data);
  EXPECT_TRUE(tree_->seals());
  auto creating = start_create("file");
  const Element request = receive_sealed();
  peer_.send_frame(keys_->sign(refusal(request, NtStatus::access_denied)));
  EXPECT_TRUE(fails(creating->result(), ErrorKind::security, "not encrypted"));
}

TEST_F(LogonTest, AShareThatEncryptsNeedsACipher) {
  negotiated_.cipher = Cipher::none;
  log_on();
  auto connecting = start_tree_connect();
  peer_.send_frame(keys_->sign(tree_answer(peer_.receive(), wire::ShareFlags::encrypt_data)));
  EXPECT_TRUE(fails(connecting->result(), ErrorKind::security, "demands encryption"));
}

TEST_F(LogonTest, AnUnsignedTreeConnectEndsTheConnection) {
  log_on();
  auto connecting = start_tree_connect();
  peer_.send_frame(tree_answer(peer_.receive()));
  EXPECT_TRUE(fails(connecting->result(), ErrorKind::security, "not signed"));
}

TEST_F(LogonTest, ARefusedTreeConnectNamesTheShare) {
  log_on();
  auto connecting = start_tree_connect();
  peer_.send_frame(keys_->sign(refusal(peer_.receive(), NtStatus::bad_network_name)));
  EXPECT_TRUE(fails(connecting->result(), ErrorKind::not_found, "//fs.lab.test/data"));
}

TEST_F(LogonTest, AnUnsignedFinalAnswerIsNotBelieved) {
  EXPECT_TRUE(fails(log_on_with([](const Final& final) { return final_answer(final); }),
                    ErrorKind::security, "final logon response is not signed"));
}

TEST_F(LogonTest, AChangedFinalAnswerIsNotBelieved) {
  EXPECT_TRUE(fails(log_on_with([](const Final& final) {
                      Octets reply = final.keys->sign(final_answer(final));
                      reply[wire::header_bytes + 2] ^= std::byte{4};  // encrypt_data
                      return reply;
                    }),
                    ErrorKind::security, "signature"));
}

// As after a downgrade of NEGOTIATE: the two sides have seen different messages.
TEST_F(LogonTest, AnotherChainOfMessagesIsNoticed) {
  auto logon = start_logon(alice());
  PreauthIntegrity other;
  ASSERT_TRUE(other.update(Octets(10)));
  const Final final = converse(other);
  ASSERT_TRUE(final.keys);
  peer_.send_frame(final.keys->sign(final_answer(final)));
  EXPECT_TRUE(fails(logon->result(), ErrorKind::security, "signature"));
}

TEST_F(LogonTest, NobodyIsMadeAGuest) {
  EXPECT_TRUE(fails(log_on_with([](const Final& final) {
                      return final_answer(final, wire::SessionFlags::is_guest);
                    }),
                    ErrorKind::security, "a guest although a user was named"));
}

TEST_F(LogonTest, NobodyIsMadeAnonymousThoughItBeSigned) {
  EXPECT_TRUE(fails(log_on_with([](const Final& final) {
                      return final.keys->sign(final_answer(final, wire::SessionFlags::is_null));
                    }),
                    ErrorKind::security, "anonymous although a user was named"));
}

TEST_F(LogonTest, EncryptionWithoutACipherIsAFault) {
  negotiated_.cipher = Cipher::none;
  EXPECT_TRUE(fails(log_on_with([](const Final& final) {
                      return final.keys->sign(
                          final_answer(final, wire::SessionFlags::encrypt_data));
                    }),
                    ErrorKind::protocol, "without a cipher"));
}

TEST_F(LogonTest, EncryptionThatIsRequiredNeedsACipher) {
  negotiated_.cipher = Cipher::none;
  auto logon = start_logon(alice(), {.encrypt = true});
  EXPECT_TRUE(fails(logon->result(), ErrorKind::security, "offers no cipher"));
  EXPECT_TRUE(peer_.is_quiet()) << "nothing of the user is told";
}

TEST_F(LogonTest, AWrongPasswordIsTold) {
  auto logon = start_logon(alice("wrong"));
  const Final final = converse();
  EXPECT_FALSE(final.keys);
  peer_.send_frame(refusal(final.request, NtStatus::logon_failure));
  EXPECT_TRUE(fails(logon->result(), ErrorKind::authentication, "wrong user name or password"));
}

TEST_F(LogonTest, AnyRefusalIsOneOfTheLogon) {
  auto logon = start_logon(alice());
  const Final final = converse();
  peer_.send_frame(refusal(final.request, NtStatus::access_denied));
  EXPECT_TRUE(fails(logon->result(), ErrorKind::authentication, "the logon was refused"));
}

TEST_F(LogonTest, AWrongMicIsNotBelieved) {
  spnego_->fault = SpnegoAcceptor::Fault::mic_wrong;
  auto result =
      log_on_with([](const Final& final) { return final.keys->sign(final_answer(final)); });
  EXPECT_TRUE(fails(std::move(result), ErrorKind::security, "mechListMIC"));
}

TEST_F(LogonTest, SuccessAtOnceProvesNothing) {
  auto logon = start_logon(alice());
  peer_.send_frame(session_setup_answer(peer_.receive(), {}, in_session(NtStatus::success)));
  auto result = logon->result();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind(), ErrorKind::security) << describe(result.error());
}

TEST_F(LogonTest, ASessionNeedsAnId) {
  auto logon = start_logon(alice());
  peer_.send_frame(
      session_setup_answer(peer_.receive(), {}, in_session(NtStatus::more_processing_required, 0)));
  EXPECT_TRUE(fails(logon->result(), ErrorKind::protocol, "SessionId"));
}

TEST_F(LogonTest, ASessionKeepsItsId) {
  auto result = log_on_with([](const Final& final) {
    return session_setup_answer(final.request, final.token, in_session(NtStatus::success, 8));
  });
  EXPECT_TRUE(fails(std::move(result), ErrorKind::protocol, "another session"));
}

TEST_F(LogonTest, TheConnectionMayBeLostOnTheWay) {
  auto logon = start_logon(alice());
  peer_.receive();
  peer_.close();
  EXPECT_TRUE(fails(logon->result(), ErrorKind::disconnected, "closed the connection"));
}

// Once the session is gone its keys are not used for what still comes.
TEST_F(LogonTest, ADestroyedSessionIsForgotten) {
  log_on();
  on_reactor([this] { session_.reset(); });
  auto asked = start({echo});
  peer_.send_frame(keys_->seal(answer(peer_.receive(), wire::EchoResponse{})));
  EXPECT_TRUE(fails(asked->result(), ErrorKind::protocol, "no session of this connection"));
}

class NullSession : public SessionTest {};

TEST_F(NullSession, SendsAllInTheClear) {
  connect_share(64);
  EXPECT_TRUE(session_->is_guest());
  EXPECT_FALSE(session_->can_seal());
  EXPECT_TRUE(session_->session_key().empty());
  auto ending = run<void>([this] { return tree_->disconnect(); });
  const Element request = peer_.receive();
  EXPECT_FALSE(request.header.is_signed());
  peer_.send_frame(refusal(request, NtStatus::network_name_deleted));
  EXPECT_TRUE(ending->result()) << "the share is gone in any case";
}

TEST_F(NullSession, CannotUseAShareThatEncrypts) {
  log_on_as_nobody(64);
  auto connecting = start_tree_connect();
  peer_.send_frame(tree_answer(peer_.receive(), wire::ShareFlags::encrypt_data));
  EXPECT_TRUE(fails(connecting->result(), ErrorKind::security, "demands encryption"));
}

}  // namespace
}  // namespace smb3::test
