// Kerberos against a private KDC on the loopback interface.
#include "auth/credentials.h"
#include "auth/gss_mechanism.h"
#include "unit/auth/gss_acceptor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace smb3 {
namespace {

using gss::MechanismKind;
using test::GssAcceptor;
using test::Octets;
using test::shell;
using test::SpnegoAcceptor;
using test::to_hex;
using testing::HasSubstr;
using testing::Not;

constexpr const char* server_name = "fs.lab.test";

class Kerberos : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    ASSERT_TRUE(std::filesystem::exists("/usr/sbin/krb5kdc"))
        << "install the packages krb5-kdc, krb5-admin-server and krb5-user (scripts/setup --dev)";
    folder_ = std::make_unique<test::TemporaryFolder>();
    start_kdc();
  }
  static void TearDownTestSuite() {
    if (folder_) stop_kdc();
    folder_.reset();
  }
  static void start_kdc() {
    const auto started = shell(SMB3_TESTS_DIR "/lab/kdc start '" + *folder_ / "kdc" + "'");
    ASSERT_TRUE(started.exited_with(0)) << started.output;
  }
  static void stop_kdc() { shell(SMB3_TESTS_DIR "/lab/kdc stop '" + *folder_ / "kdc" + "'"); }

  Kerberos() {
    ::setenv("KRB5_CONFIG", (*folder_ / "kdc/krb5.conf").c_str(), 1);
    ::setenv("KRB5CCNAME", ("FILE:" + (own_ / "ccache")).c_str(), 1);
    ::setenv("KRB5_CLIENT_KTNAME", (own_ / "none.keytab").c_str(), 1);
    ::setenv("NTLM_USER_FILE", own_.write("users", "LAB.TEST:alice:Passw0rd!\n").c_str(), 1);
  }

  static std::string of_folder(std::string_view name) {
    return *folder_ / "kdc/" + std::string(name);
  }

  static void kinit(const std::string& user, const std::string& password,
                    const std::string& options = {}) {
    const auto done = shell("echo '" + password + "' | kinit " + options + " " + user);
    ASSERT_TRUE(done.exited_with(0)) << done.output;
  }

  static LogonRequest request(KerberosUse use, std::string user = {},
                              std::string_view password = {}) {
    LogonRequest request;
    request.user = std::move(user);
    if (!password.empty()) request.password = SecretString(password);
    request.kerberos = use;
    return request;
  }

  // By Kerberos, and as whom the server sees us.
  std::string log_on(const LogonRequest& request, const std::string& name = server_name) {
    auto client = make_authenticator(request, name);
    EXPECT_TRUE(client) << describe(client.error());
    if (!client) return {};
    GssAcceptor inner(MechanismKind::kerberos, of_folder("smb.keytab"));
    SpnegoAcceptor server(inner, spnego::microsoft_kerberos);
    const auto done = converse(**client, server, inner);
    EXPECT_TRUE(done) << describe(done.error());
    EXPECT_EQ((*client)->mechanism(), "Kerberos");
    EXPECT_TRUE((*client)->complete());
    if (!done) return {};
    const auto key = (*client)->session_key();
    EXPECT_TRUE(key);
    EXPECT_EQ(key->size(), 32U) << "AES-256";
    EXPECT_EQ(to_hex(key->bytes()), to_hex(inner.session_key()));
    return inner.peer;
  }

  // What the first step uses, and why it is not Kerberos.
  struct Choice {
    std::string mechanism;
    std::string reason;
  };
  static Choice choice(const LogonRequest& request, const std::string& name = server_name) {
    auto client = make_authenticator(request, name);
    if (!client) return {"none", describe(client.error())};
    const auto step = (*client)->step({});
    if (!step) return {"none", describe(step.error())};
    return {(*client)->mechanism(), (*client)->fallback_reason()};
  }

  static std::unique_ptr<test::TemporaryFolder> folder_;
  test::TemporaryFolder own_;
};

std::unique_ptr<test::TemporaryFolder> Kerberos::folder_;

TEST_F(Kerberos, LogsOnByTheTicketCache) {
  kinit("alice", "Passw0rd!");
  EXPECT_EQ(log_on(request(KerberosUse::desired)), "alice@LAB.TEST");
  EXPECT_EQ(log_on(request(KerberosUse::required)), "alice@LAB.TEST");
  EXPECT_EQ(log_on(request(KerberosUse::desired, "alice")), "alice@LAB.TEST");
  EXPECT_EQ(log_on(request(KerberosUse::desired, "LAB\\alice", "any")), "alice@LAB.TEST");
  EXPECT_EQ(log_on(request(KerberosUse::required, "ALICE@lab.test")), "alice@LAB.TEST");
}

TEST_F(Kerberos, LogsOnByPasswordAndRealm) {
  EXPECT_EQ(log_on(request(KerberosUse::desired, "alice@lab.test", "Passw0rd!")), "alice@LAB.TEST");
  LogonRequest apart = request(KerberosUse::required, "bob", "B0bs-secret");
  apart.realm = "LAB.TEST";
  EXPECT_EQ(log_on(apart), "bob@LAB.TEST");
  EXPECT_FALSE(std::filesystem::exists(own_ / "ccache")) << "the user's cache is not touched";
}

TEST_F(Kerberos, RequiredTakesTheDefaultRealmOrTheDomain) {
  EXPECT_EQ(log_on(request(KerberosUse::required, "alice", "Passw0rd!")), "alice@LAB.TEST");
  EXPECT_EQ(log_on(request(KerberosUse::required, "lab.test\\alice", "Passw0rd!")),
            "alice@LAB.TEST");
}

TEST_F(Kerberos, LogsOnByKeytab) {
  for (const char* user : {"alice", "alice@LAB.TEST", ""}) {
    LogonRequest logon = request(KerberosUse::desired, user);
    logon.keytab = of_folder("alice.keytab");
    EXPECT_EQ(log_on(logon), "alice@LAB.TEST");
  }
  EXPECT_FALSE(std::filesystem::exists(own_ / "ccache"));
  LogonRequest missing = request(KerberosUse::required, "alice");
  missing.keytab = own_ / "no.keytab";
  EXPECT_THAT(choice(missing).reason, HasSubstr("Kerberos: "));
}

TEST_F(Kerberos, LogsOnByTheDefaultKeytab) {
  ::setenv("KRB5_CLIENT_KTNAME", of_folder("alice.keytab").c_str(), 1);
  EXPECT_EQ(log_on(request(KerberosUse::desired)), "alice@LAB.TEST");
}

TEST_F(Kerberos, WithoutATicketDesiredGoesOnByNtlmAndRequiredFails) {
  const Choice desired = choice(request(KerberosUse::desired, "alice", "Passw0rd!"));
  EXPECT_EQ(desired.mechanism, "NTLMSSP");
  EXPECT_THAT(desired.reason, HasSubstr("Kerberos: "));
  const Choice required = choice(request(KerberosUse::required, "alice"));
  EXPECT_EQ(required.mechanism, "none");
  EXPECT_THAT(required.reason, HasSubstr("run kinit, or give a password"));
  const Choice nothing = choice(request(KerberosUse::desired));
  EXPECT_EQ(nothing.mechanism, "none");
  EXPECT_THAT(nothing.reason, HasSubstr("kinit"));
}

TEST_F(Kerberos, AnExpiredTicketCountsAsNone) {
  kinit("alice", "Passw0rd!", "-l 2s");
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (choice(request(KerberosUse::required)).mechanism != "none" &&
         std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));  // to meet every moment of its end
  }
  const Choice required = choice(request(KerberosUse::required));
  EXPECT_EQ(required.mechanism, "none");
  EXPECT_THAT(required.reason, HasSubstr("expired"));
  EXPECT_THAT(required.reason, HasSubstr("run kinit"));
  EXPECT_EQ(choice(request(KerberosUse::desired, "alice", "Passw0rd!")).mechanism, "NTLMSSP");
}

TEST_F(Kerberos, NobodyLogsOnByAnothersTicket) {
  kinit("alice", "Passw0rd!");
  const Choice required = choice(request(KerberosUse::required, "bob"));
  EXPECT_EQ(required.mechanism, "none");
  EXPECT_THAT(required.reason, HasSubstr("alice@LAB.TEST, not of bob"));
  EXPECT_EQ(choice(request(KerberosUse::required, "alice@OTHER.TEST")).mechanism, "none");
  EXPECT_EQ(choice(request(KerberosUse::desired, "bob", "B0bs-secret")).mechanism, "NTLMSSP");
  EXPECT_EQ(choice(request(KerberosUse::desired, "NAS\\alice", "other")).mechanism, "NTLMSSP");
}

TEST_F(Kerberos, ACollectionOfCachesHoldsSeveralUsers) {
  std::filesystem::create_directory(own_ / "caches");
  ::setenv("KRB5CCNAME", ("DIR:" + (own_ / "caches")).c_str(), 1);
  kinit("bob", "B0bs-secret");
  kinit("alice", "Passw0rd!");
  EXPECT_EQ(log_on(request(KerberosUse::required, "bob")), "bob@LAB.TEST");
  EXPECT_EQ(log_on(request(KerberosUse::required, "alice")), "alice@LAB.TEST");
}

TEST_F(Kerberos, AddressesHaveNoKerberosName) {
  kinit("alice", "Passw0rd!");
  for (const char* address : {"127.0.0.1", "::1", "[fe80::1%lo]", "fe80::1%lo"}) {
    const Choice required = choice(request(KerberosUse::required), address);
    EXPECT_EQ(required.mechanism, "none");
    EXPECT_THAT(required.reason, HasSubstr("is an address"));
    EXPECT_EQ(
        choice(request(KerberosUse::desired, "alice@LAB.TEST", "Passw0rd!"), address).mechanism,
        "NTLMSSP");
  }
}

TEST_F(Kerberos, AServerThatTheRealmDoesNotKnow) {
  kinit("alice", "Passw0rd!");
  const Choice both = choice(request(KerberosUse::desired, "alice", "Passw0rd!"), "nas.lab.test");
  EXPECT_EQ(both.mechanism, "NTLMSSP");
  EXPECT_THAT(both.reason, HasSubstr("cifs/nas.lab.test@LAB.TEST not found"));
  for (const KerberosUse use : {KerberosUse::required, KerberosUse::desired}) {
    const Choice ticket_only = choice(request(use, "alice"), "nas.lab.test");
    EXPECT_EQ(ticket_only.mechanism, "none");
    EXPECT_THAT(ticket_only.reason, HasSubstr("not found"));
  }
}

TEST_F(Kerberos, RequiredNeverFallsBack) {
  const Choice wrong = choice(request(KerberosUse::required, "alice@LAB.TEST", "wrong-one"));
  EXPECT_EQ(wrong.mechanism, "none");
  EXPECT_THAT(wrong.reason, Not(HasSubstr("wrong-one")));
  EXPECT_EQ(choice(request(KerberosUse::required, "alice", "Passw0rd!"), "nas.lab.test").mechanism,
            "none");

  // Nor does a server move it: there is nothing else on the list.
  auto client =
      make_authenticator(request(KerberosUse::required, "alice", "Passw0rd!"), server_name);
  ASSERT_TRUE(client);
  const auto first = (*client)->step(test::vector("hint"));
  ASSERT_TRUE(first) << describe(first.error());
  const auto offered = spnego::decode_init(first->token).value().mech_types;
  for (const Bytes oid : offered) EXPECT_FALSE(spnego::same(oid, spnego::ntlmssp));
  const auto moved = (*client)->step(
      spnego::encode(spnego::NegTokenResp{.state = spnego::NegState::accept_incomplete,
                                          .supported_mech = spnego::ntlmssp,
                                          .response_token = {},
                                          .mech_list_mic = {}}));
  EXPECT_FALSE(moved);
}

TEST_F(Kerberos, WithoutAKdcDesiredGoesOnByNtlmAndRequiredSaysWhy) {
  // A port that nobody listens on: that of a KDC that is gone.
  stop_kdc();
  const Choice required = choice(request(KerberosUse::required, "alice@LAB.TEST", "Passw0rd!"));
  EXPECT_EQ(required.mechanism, "none");
  EXPECT_THAT(required.reason, HasSubstr("Cannot contact any KDC"));
  const Choice desired = choice(request(KerberosUse::desired, "alice@LAB.TEST", "Passw0rd!"));
  EXPECT_EQ(desired.mechanism, "NTLMSSP");
  EXPECT_THAT(desired.reason, HasSubstr("Cannot contact any KDC"));
  start_kdc();
}

TEST_F(Kerberos, AServerThatTakesNtlmInsteadIsServedWithProof) {
  kinit("alice", "Passw0rd!");
  auto client =
      make_authenticator(request(KerberosUse::desired, "alice@LAB.TEST", "Passw0rd!"), server_name);
  GssAcceptor inner(MechanismKind::ntlm);
  SpnegoAcceptor server(inner, spnego::ntlmssp);
  const auto done = converse(**client, server, inner);
  ASSERT_TRUE(done) << describe(done.error());
  EXPECT_EQ((*client)->mechanism(), "NTLMSSP");
  EXPECT_TRUE(server.client_mic_verified);
}

TEST_F(Kerberos, AServerThatTakesTheSecondNumberIsServed) {
  kinit("alice", "Passw0rd!");
  auto client = make_authenticator(request(KerberosUse::required), server_name);
  GssAcceptor inner(MechanismKind::kerberos, of_folder("smb.keytab"));
  const auto first = (*client)->step({}).value().token;
  const auto init = spnego::decode_init(first).value();
  const auto reply = inner.step(*init.mech_token).value();
  const auto mic = inner.sign(init.mech_types_der);
  const auto last = (*client)->step(
      spnego::encode(spnego::NegTokenResp{.state = spnego::NegState::accept_completed,
                                          .supported_mech = spnego::kerberos,
                                          .response_token = reply,
                                          .mech_list_mic = mic}));
  ASSERT_TRUE(last) << describe(last.error());
  EXPECT_TRUE((*client)->complete());
}

TEST_F(Kerberos, AServerThatCannotProveItselfIsRefused) {
  kinit("alice", "Passw0rd!");
  const auto answer = [&](bool altered, bool with_token) {
    auto client = make_authenticator(request(KerberosUse::required), server_name);
    GssAcceptor inner(MechanismKind::kerberos, of_folder("smb.keytab"));
    const auto first = (*client)->step({}).value().token;
    const auto init = spnego::decode_init(first).value();
    Octets reply = inner.step(*init.mech_token).value();
    if (altered) reply.back() ^= std::byte{1};
    spnego::NegTokenResp resp{.state = spnego::NegState::accept_completed,
                              .supported_mech = spnego::microsoft_kerberos,
                              .response_token = {},
                              .mech_list_mic = {}};
    if (with_token) resp.response_token = reply;
    auto step = (*client)->step(spnego::encode(resp));
    EXPECT_EQ((*client)->complete(), step.has_value());
    return step;
  };
  EXPECT_TRUE(answer(false, true));
  const auto silent = answer(false, false);
  ASSERT_FALSE(silent);
  EXPECT_EQ(silent.error().kind(), ErrorKind::security);
  const auto forged = answer(true, true);
  ASSERT_FALSE(forged);
  EXPECT_EQ(forged.error().kind(), ErrorKind::security) << describe(forged.error());
}

TEST_F(Kerberos, TheServersOwnErrorIsAnError) {
  kinit("alice", "Passw0rd!");
  auto client = make_authenticator(request(KerberosUse::required), server_name);
  GssAcceptor inner(MechanismKind::kerberos, of_folder("smb.keytab"));
  Octets token = (*client)->step({}).value().token;
  token.back() ^= std::byte{1};
  EXPECT_FALSE(inner.step(*spnego::decode_init(token).value().mech_token));
  ASSERT_FALSE(inner.refusal_token.empty()) << "no KRB-ERROR";
  const auto step = (*client)->step(
      spnego::encode(spnego::NegTokenResp{.state = spnego::NegState::accept_incomplete,
                                          .supported_mech = spnego::microsoft_kerberos,
                                          .response_token = inner.refusal_token,
                                          .mech_list_mic = {}}));
  ASSERT_FALSE(step);
  EXPECT_EQ(step.error().kind(), ErrorKind::authentication) << describe(step.error());
  EXPECT_FALSE((*client)->complete());
}

}  // namespace
}  // namespace smb3
