// Our own client logs on at the scripted server's acceptor: NTLM in all its forms.
#include "auth/gss_mechanism.h"
#include "auth/ntlm_anonymous.h"
#include "auth/spnego.h"
#include "auth/spnego_authenticator.h"
#include "support/ntlm_authenticate.h"
#include "support/server/ntlm_acceptor.h"
#include "unit/server/logon.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/stat.h>

// gss-ntlmssp 1.2.0 never frees the MD4 that it fetches from OpenSSL for a password, nor 32 bytes
// of each credential of an acceptor.
extern "C" __attribute__((visibility("default"))) const char* __lsan_default_suppressions() {
  return "leak:libcrypto.so\nleak:gssntlmssp.so\n";
}

namespace smb3::server {
namespace {

using test::octets;
using test::to_hex;
using testing::HasSubstr;

class NtlmServer : public testing::Test {
 protected:
  NtlmServer() {
    ::setenv("KRB5_CONFIG", folder_.write("krb5.conf", "").c_str(), 1);
    ::setenv("KRB5CCNAME", ("FILE:" + (folder_ / "none")).c_str(), 1);
    settings_.users = {{"LAB", "alice", "Passw0rd!"},
                       {"LAB", "gerd", "Gehäuse€x"},
                       {"", "everywhere", "Secret-1"}};
  }

  static LogonRequest request(std::string user, std::string_view password) {
    LogonRequest request;
    request.user = std::move(user);
    request.password = SecretString(password);
    return request;
  }

  AcceptorFactory& factory() {
    if (!factory_) {
      auto made = make_gss_acceptors(settings_);
      EXPECT_TRUE(made) << describe(made.error());
      factory_ = std::move(*made);
    }
    return *factory_;
  }

  Outcome log_on(const LogonRequest& logon, const Meddler& meddle = {}) {
    auto client = make_authenticator(logon, "fs.lab.test");
    EXPECT_TRUE(client) << describe(client.error());
    return log_on(**client, meddle);
  }
  Outcome log_on(Authenticator& client, const Meddler& meddle = {}) {
    talk_ = {};
    acceptor_ = factory().make();
    Outcome outcome = converse(client, *acceptor_, factory().hint(), meddle, &talk_);
    if (outcome.server_done) {
      auto logged_on = acceptor_->logon();
      EXPECT_TRUE(logged_on) << describe(logged_on.error());
      logon_ = std::move(*logged_on);
    }
    if (outcome.client_complete && !logon_.guest) {
      EXPECT_EQ(to_hex(client.session_key().value().bytes()), to_hex(logon_.session_key.bytes()));
    }
    return outcome;
  }
  // The logon works, and the server knows the client as this.
  void expect_user(const LogonRequest& logon, const std::string& user) {
    const Outcome outcome = log_on(logon);
    ASSERT_FALSE(outcome.client) << describe(*outcome.client);
    ASSERT_FALSE(outcome.refused) << name_of(*outcome.refused) << " for " << user;
    EXPECT_TRUE(outcome.server_done && outcome.client_complete);
    EXPECT_EQ(logon_.user, user);
    EXPECT_EQ(logon_.mechanism, "NTLMSSP");
    EXPECT_EQ(logon_.session_key.size(), 16U);
    EXPECT_FALSE(logon_.guest || logon_.anonymous);
  }

  test::TemporaryFolder folder_;
  ServerSettings settings_;
  std::unique_ptr<AcceptorFactory> factory_;
  std::unique_ptr<Acceptor> acceptor_;
  Logon logon_;
  Talk talk_;
};

TEST_F(NtlmServer, UsersLogOnWithTargetAndMic) {
  expect_user(request("LAB\\alice", "Passw0rd!"), "LAB\\alice");
  EXPECT_EQ(logon_.spn, "cifs/fs.lab.test");
  EXPECT_TRUE(logon_.mic);
  // Both sides prove the list of mechanisms.
  EXPECT_TRUE(spnego::decode_resp(talk_.from_client.back()).value().mech_list_mic);
  const auto last = spnego::decode_resp(talk_.from_server.back()).value();
  EXPECT_TRUE(last.mech_list_mic);
  EXPECT_EQ(last.state, spnego::NegState::accept_completed);
  EXPECT_FALSE(acceptor_->step(talk_.from_client.back())) << "after the end";
}

TEST_F(NtlmServer, TheMechanismIsNamedOnceAndTheFirstTokenIsTaken) {
  expect_user(request("LAB\\alice", "Passw0rd!"), "LAB\\alice");
  ASSERT_EQ(talk_.from_server.size(), 2U) << "the optimistic token saves a turn";
  const auto first = spnego::decode_resp(talk_.from_server[0]).value();
  ASSERT_TRUE(first.supported_mech);
  EXPECT_TRUE(spnego::same(*first.supported_mech, spnego::ntlmssp));
  EXPECT_EQ(first.state, spnego::NegState::accept_incomplete);
  EXPECT_FALSE(spnego::decode_resp(talk_.from_server[1]).value().supported_mech);
}

TEST_F(NtlmServer, EveryFormOfUserAndPassword) {
  expect_user(request("alice", "Passw0rd!"), "LAB\\alice");
  expect_user(request("alice@LAB", "Passw0rd!"), "LAB\\alice");
  expect_user(request("lab\\ALICE", "Passw0rd!"), "lab\\ALICE");
  expect_user(request("LAB\\gerd", "Gehäuse€x"), "LAB\\gerd");
  expect_user(request("everywhere", "Secret-1"), "everywhere");
  expect_user(request("ANY\\everywhere", "Secret-1"), "ANY\\everywhere");
}

TEST_F(NtlmServer, WrongPasswordsAndUnknownUsersAreRefused) {
  for (const auto& [user, password] : {std::pair{"LAB\\alice", "wrong"},
                                       {"LAB\\alice", ""},
                                       {"LAB\\bob", "Passw0rd!"},
                                       {"OTHER\\alice", "Passw0rd!"},
                                       {"LAB\\gerd", "Gehäuse€"}}) {
    EXPECT_EQ(log_on(request(user, password)).refused, NtStatus::logon_failure) << user;
  }
}

TEST_F(NtlmServer, UnknownUsersAreGuestsWhereThatIsAllowed) {
  settings_.allow_guest = true;
  const Outcome outcome = log_on(request("LAB\\bob", "any"));
  ASSERT_FALSE(outcome.refused);
  EXPECT_TRUE(outcome.server_done && outcome.client_complete);
  EXPECT_TRUE(logon_.guest);
  EXPECT_FALSE(logon_.anonymous);
  EXPECT_EQ(logon_.user, "LAB\\bob");
  EXPECT_TRUE(logon_.session_key.empty());
  // Who is known is not made a guest.
  EXPECT_EQ(log_on(request("LAB\\alice", "wrong")).refused, NtStatus::logon_failure);
  LogonRequest guest;
  guest.guest = true;
  EXPECT_TRUE(log_on(guest).server_done);
  EXPECT_TRUE(logon_.guest);
  EXPECT_EQ(logon_.user, "Guest");
}

TEST_F(NtlmServer, NobodyLogsOnWhereThatIsAllowed) {
  LogonRequest nobody;
  nobody.anonymous = true;
  EXPECT_EQ(log_on(nobody).refused, NtStatus::logon_failure);
  settings_.allow_guest = true;
  factory_.reset();
  EXPECT_EQ(log_on(nobody).refused, NtStatus::logon_failure) << "nobody is no guest";
  settings_.allow_anonymous = true;
  factory_.reset();
  const Outcome outcome = log_on(nobody);
  EXPECT_TRUE(outcome.server_done && outcome.client_complete);
  EXPECT_TRUE(logon_.anonymous);
  EXPECT_FALSE(logon_.guest);
  EXPECT_EQ(logon_.user, "");
  EXPECT_TRUE(logon_.session_key.empty());
}

// A token within SPNEGO is changed where it lies.
void damage(std::vector<std::byte>& whole, Bytes part, std::size_t at) {
  whole[static_cast<std::size_t>(part.data() - whole.data()) + at] ^= std::byte{1};
}

TEST_F(NtlmServer, ADamagedMicIsRefused) {
  const Outcome outcome =
      log_on(request("LAB\\alice", "Passw0rd!"), [](int turn, bool client, auto& token) {
        if (!client || turn != 1) return;
        const auto resp = spnego::decode_resp(token).value();
        damage(token, *resp.response_token, test::Authenticate::mic_offset);
      });
  ASSERT_TRUE(outcome.refused);
  EXPECT_TRUE(is_error(*outcome.refused));
}

TEST_F(NtlmServer, ADamagedMechListMicIsRefused) {
  const auto damages = [](bool of_client) {
    return [of_client](int turn, bool client, std::vector<std::byte>& token) {
      if (client != of_client || turn != 1) return;
      const auto resp = spnego::decode_resp(token).value();
      damage(token, *resp.mech_list_mic, resp.mech_list_mic->size() - 1);
    };
  };
  EXPECT_EQ(log_on(request("LAB\\alice", "Passw0rd!"), damages(true)).refused,
            NtStatus::access_denied);
  const Outcome outcome = log_on(request("LAB\\alice", "Passw0rd!"), damages(false));
  ASSERT_TRUE(outcome.client);
  EXPECT_EQ(outcome.client->kind(), ErrorKind::security);
}

// Kerberos is offered first by a client whose server has no key for it.
class OfferOnly final : public Mechanism {
 public:
  std::string_view name() const noexcept override { return "Kerberos"; }
  std::span<const Bytes> oids() const noexcept override { return oids_; }
  Result<std::vector<std::byte>> step(Bytes) override { return octets("AP-REQ"); }
  bool complete() const noexcept override { return false; }
  Result<std::vector<std::byte>> sign(Bytes) override { return no(); }
  Result<void> verify(Bytes, Bytes) override { return no(); }
  Result<KeyMaterial> session_key() override { return no(); }
  bool signs_mech_list() const noexcept override { return false; }

 private:
  static std::unexpected<Error> no() {
    return std::unexpected(Error(ErrorKind::unsupported, "it only offers"));
  }
  std::vector<Bytes> oids_{spnego::kerberos};
};

std::unique_ptr<GssMechanism> ntlm_of(std::string user, std::string_view password) {
  return std::make_unique<GssMechanism>(GssLogon{.kind = gss::MechanismKind::ntlm,
                                                 .user = std::move(user),
                                                 .password = SecretString(password),
                                                 .keytab = {},
                                                 .ready = {}},
                                        "fs.lab.test");
}

TEST_F(NtlmServer, TheSecondMechanismIsTakenWithProofOfTheList) {
  const auto client = [] {
    std::vector<std::unique_ptr<Mechanism>> mechanisms;
    mechanisms.push_back(std::make_unique<OfferOnly>());
    mechanisms.push_back(ntlm_of("LAB\\alice", "Passw0rd!"));
    return std::make_unique<SpnegoAuthenticator>(std::move(mechanisms));
  };
  // The hint would spare the client its first choice.
  const auto no_hint = std::vector<std::byte>();
  auto honest = client();
  auto acceptor = factory().make();
  Talk talk;
  const Outcome outcome = converse(*honest, *acceptor, no_hint, {}, &talk);
  EXPECT_TRUE(outcome.server_done && outcome.client_complete);
  EXPECT_EQ(spnego::decode_resp(talk.from_server[0]).value().state, spnego::NegState::request_mic);
  EXPECT_TRUE(spnego::decode_resp(talk.from_server.back()).value().mech_list_mic);

  // Who takes the first mechanism off the list on its way is found.
  auto robbed = client();
  acceptor = factory().make();
  const Outcome found = converse(
      *robbed, *acceptor, no_hint, [](int turn, bool from_client, std::vector<std::byte>& token) {
        if (!from_client || turn != 0) return;
        const Bytes only[] = {spnego::ntlmssp};
        const auto types = spnego::encode_mech_types(only);
        token = spnego::encode(spnego::NegTokenInit{
            .mech_types = {}, .mech_types_der = types, .mech_token = {}, .mech_list_mic = {}});
      });
  EXPECT_EQ(found.refused, NtStatus::access_denied);
}

TEST_F(NtlmServer, AClientThatOwesTheProofIsAskedForIt) {
  auto mechanism = ntlm_of("LAB\\alice", "Passw0rd!");
  auto acceptor = factory().make();
  const Bytes list[] = {spnego::kerberos, spnego::ntlmssp};
  const auto types = spnego::encode_mech_types(list);
  const auto answer = [&](const spnego::NegTokenResp& token) {
    return acceptor->step(spnego::encode(token));
  };
  const auto with_token = [](Bytes token) {
    return spnego::NegTokenResp{
        .state = {}, .supported_mech = {}, .response_token = token, .mech_list_mic = {}};
  };
  ASSERT_TRUE(acceptor->step(spnego::encode(spnego::NegTokenInit{
      .mech_types = {}, .mech_types_der = types, .mech_token = {}, .mech_list_mic = {}})));
  const auto challenge = answer(with_token(mechanism->step({}).value())).value();
  const auto challenge_token = spnego::decode_resp(challenge.token).value();
  const auto authenticate = mechanism->step(*challenge_token.response_token).value();
  const auto waiting = answer(with_token(authenticate)).value();
  EXPECT_FALSE(waiting.done);
  const auto asked = spnego::decode_resp(waiting.token).value();
  EXPECT_EQ(asked.state, spnego::NegState::accept_incomplete);
  ASSERT_TRUE(asked.mech_list_mic);
  EXPECT_TRUE(mechanism->verify(types, *asked.mech_list_mic));
  const auto mic = mechanism->sign(types).value();
  auto proof = with_token({});
  proof.response_token.reset();
  proof.mech_list_mic = mic;
  const auto last = answer(proof).value();
  EXPECT_TRUE(last.done);
  EXPECT_EQ(spnego::decode_resp(last.token).value().state, spnego::NegState::accept_completed);
}

TEST_F(NtlmServer, BareNtlmIsTaken) {
  auto client = ntlm_of("LAB\\alice", "Passw0rd!");
  auto acceptor = factory().make();
  const auto challenge = acceptor->step(client->step({}).value()).value();
  EXPECT_FALSE(challenge.done);
  const auto last = acceptor->step(client->step(challenge.token).value()).value();
  EXPECT_TRUE(last.done);
  EXPECT_TRUE(last.token.empty());
  EXPECT_EQ(to_hex(acceptor->logon().value().session_key.bytes()),
            to_hex(client->session_key().value().bytes()));
}

TEST_F(NtlmServer, GarbageIsNotALogon) {
  expect_user(request("LAB\\alice", "Passw0rd!"), "LAB\\alice");
  const Talk good = talk_;
  for (const auto& garbage :
       {octets(""), octets("x"), octets("NTLMSSP"), octets(std::string_view("NTLMSSP\0\1", 9)),
        test::from_hex("6000"), std::vector<std::byte>(300, std::byte{0x60})}) {
    const auto step = factory().make()->step(garbage);
    EXPECT_EQ(step ? NtStatus::success : step.error(), NtStatus::invalid_parameter)
        << to_hex(garbage);
  }
  // Each token cut off everywhere: refused, or (cut within what it does not need) no logon yet.
  for (std::size_t length = 0; length < good.from_client[0].size(); ++length) {
    auto acceptor = factory().make();
    const auto step = acceptor->step(Bytes(good.from_client[0]).first(length));
    EXPECT_EQ(step ? NtStatus::success : step.error(), NtStatus::invalid_parameter) << length;
  }
  for (std::size_t length = 0; length < good.from_client[1].size(); length += 3) {
    auto acceptor = factory().make();
    ASSERT_TRUE(acceptor->step(good.from_client[0]));
    EXPECT_FALSE(acceptor->step(Bytes(good.from_client[1]).first(length))) << length;
  }
}

TEST_F(NtlmServer, ACutAuthenticateIsRefusedWithoutSpnegoToo) {
  for (std::size_t cut = 1; cut < 400; cut += 7) {
    auto client = ntlm_of("LAB\\alice", "Passw0rd!");
    auto acceptor = factory().make();
    const auto challenge = acceptor->step(client->step({}).value()).value();
    auto authenticate = client->step(challenge.token).value();
    if (cut >= authenticate.size()) break;
    authenticate.resize(authenticate.size() - cut);
    const auto last = acceptor->step(authenticate);
    EXPECT_EQ(last ? NtStatus::success : last.error(), NtStatus::invalid_parameter) << cut;
  }
}

TEST_F(NtlmServer, TheHintListsWhatIsTaken) {
  const auto hint = factory().hint();
  const auto decoded = spnego::decode_init(hint).value();
  ASSERT_EQ(decoded.mech_types.size(), 1U);
  EXPECT_TRUE(spnego::same(decoded.mech_types[0], spnego::ntlmssp));
  EXPECT_FALSE(decoded.mech_token || decoded.mech_list_mic);
  EXPECT_THAT(std::string(reinterpret_cast<const char*>(hint.data()), hint.size()),
              HasSubstr("not_defined_in_RFC4178@please_ignore"));
}

TEST_F(NtlmServer, PasswordsLieInAPrivateFileThatGoesAway) {
  factory();
  const std::string path = ::getenv("NTLM_USER_FILE");
  struct stat info{};
  ASSERT_EQ(::stat(path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0600U);
  const std::string folder = path.substr(0, path.rfind('/'));
  ASSERT_EQ(::stat(folder.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0700U);
  factory_.reset();
  EXPECT_NE(::stat(folder.c_str(), &info), 0);
}

TEST_F(NtlmServer, TwoServersHaveUsersOfTheirOwn) {
  factory();
  ServerSettings other;
  other.users = {{"LAB", "bob", "B0bs-secret"}};
  const auto second = make_gss_acceptors(other).value();
  expect_user(request("LAB\\alice", "Passw0rd!"), "LAB\\alice");
  auto client = make_authenticator(request("LAB\\bob", "B0bs-secret"), "fs").value();
  auto acceptor = second->make();
  EXPECT_TRUE(converse(*client, *acceptor, second->hint()).client_complete);
  expect_user(request("LAB\\alice", "Passw0rd!"), "LAB\\alice");
}

TEST_F(NtlmServer, UsersThatTheFileCannotSayAreErrors) {
  for (const UserSettings& user : std::initializer_list<UserSettings>{{"LAB", "", "x"},
                                                                      {"LAB", "a:b", "x"},
                                                                      {"L:B", "a", "x"},
                                                                      {"LAB", "a", "x\ny"},
                                                                      {"LAB", "a", "x:y"}}) {
    settings_.users = {user};
    EXPECT_FALSE(make_gss_acceptors(settings_));
  }
}

TEST_F(NtlmServer, AKeytabThatIsNotThereIsAnError) {
  settings_.keytab = folder_ / "none.keytab";
  const auto made = make_gss_acceptors(settings_);
  EXPECT_FALSE(made);
}

}  // namespace
}  // namespace smb3::server
