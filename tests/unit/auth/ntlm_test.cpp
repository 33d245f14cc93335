// NTLM by gss-ntlmssp, against an acceptor in this process.
#include "auth/credentials.h"
#include "auth/gss_mechanism.h"
#include "auth/ntlm_anonymous.h"
#include "auth/spnego_authenticator.h"
#include "unit/auth/gss_acceptor.h"
#include "unit/auth/ntlm_messages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

// gss-ntlmssp 1.2.0 never frees the MD4 that it fetches from OpenSSL for a password: 6 KiB a logon.
// Nothing else in this program leaves memory with OpenSSL.
extern "C" __attribute__((visibility("default"))) const char* __lsan_default_suppressions() {
  return "leak:libcrypto.so\n";
}

namespace smb3 {
namespace {

using gss::MechanismKind;
using test::Authenticate;
using test::GssAcceptor;
using test::Octets;
using test::SpnegoAcceptor;
using test::to_hex;
using test::vector;
using testing::HasSubstr;

constexpr unsigned av_flags = 6;
constexpr unsigned av_target_name = 9;

class Ntlm : public testing::Test {
 protected:
  Ntlm() {
    ::setenv("NTLM_USER_FILE",
             folder_.write("users", "LAB:alice:Passw0rd!\nLAB:gerd:Gehäuse€\n").c_str(), 1);
    // The realm of the machine's own configuration shall play no part.
    ::setenv("KRB5_CONFIG", folder_.write("krb5.conf", "").c_str(), 1);
    ::setenv("KRB5CCNAME", ("FILE:" + (folder_ / "none")).c_str(), 1);
  }

  static LogonRequest request(std::string user, std::string_view password) {
    LogonRequest request;
    request.user = std::move(user);
    request.password = SecretString(password);
    return request;
  }

  // A logon that shall work, with the AUTHENTICATE that it sent.
  Octets log_on(const LogonRequest& request) {
    auto client = make_authenticator(request, "fs.lab.test");
    EXPECT_TRUE(client) << describe(client.error());
    GssAcceptor inner(MechanismKind::ntlm);
    SpnegoAcceptor server(inner, spnego::ntlmssp);
    const auto done = converse(**client, server, inner);
    EXPECT_TRUE(done) << describe(done.error());
    if (!done) return {};
    EXPECT_TRUE(server.client_mic_verified);
    EXPECT_EQ((*client)->mechanism(), "NTLMSSP");
    const auto key = (*client)->session_key();
    EXPECT_TRUE(key);
    EXPECT_EQ(key->size(), 16U);
    EXPECT_EQ(to_hex(key->bytes()), to_hex(inner.session_key()));
    peer_ = inner.peer;
    return server.mech_token_seen;
  }

  static Result<void> fail_to_log_on(const LogonRequest& request,
                                     SpnegoAcceptor::Fault fault = SpnegoAcceptor::Fault::none,
                                     bool removes_first_mech = false) {
    auto client = make_authenticator(request, "fs.lab.test");
    EXPECT_TRUE(client) << describe(client.error());
    GssAcceptor inner(MechanismKind::ntlm);
    SpnegoAcceptor server(inner, spnego::ntlmssp);
    server.fault = fault;
    server.removes_first_mech = removes_first_mech;
    auto done = converse(**client, server, inner);
    EXPECT_FALSE(done);
    EXPECT_FALSE((*client)->complete());
    return done;
  }

  test::TemporaryFolder folder_;
  std::string peer_;
};

TEST_F(Ntlm, LogsOn) {
  log_on(request("LAB\\alice", "Passw0rd!"));
  EXPECT_THAT(peer_, HasSubstr("alice"));
}

TEST_F(Ntlm, TakesEveryFormOfUser) {
  const Octets bare = log_on(request("alice", "Passw0rd!"));
  EXPECT_EQ(Authenticate(bare).domain(), "");
  EXPECT_EQ(Authenticate(bare).user(), "alice");
  const Octets realm = log_on(request("alice@LAB", "Passw0rd!"));
  EXPECT_EQ(Authenticate(realm).domain(), "LAB");
  EXPECT_EQ(Authenticate(realm).user(), "alice");
  LogonRequest apart = request("alice", "Passw0rd!");
  apart.domain = "LAB";
  const Octets domain = log_on(apart);
  EXPECT_EQ(Authenticate(domain).domain(), "LAB");
  EXPECT_EQ(Authenticate(domain).user(), "alice");
}

TEST_F(Ntlm, TakesPasswordsOfEveryScriptAndNone) {
  log_on(request("LAB\\gerd", "Gehäuse€"));
  const auto refused = fail_to_log_on(request("LAB\\alice", ""));
  EXPECT_THAT(refused.error().what(), HasSubstr("the server:")) << "not by this side";
}

TEST_F(Ntlm, AWrongPasswordIsRefused) {
  const auto refused = fail_to_log_on(request("LAB\\alice", "wrong"));
  EXPECT_EQ(refused.error().kind(), ErrorKind::authentication);
  EXPECT_THAT(describe(refused.error()), testing::Not(HasSubstr("wrong")));
}

Octets hmac_md5(Bytes key, std::initializer_list<Bytes> parts) {
  Octets message;
  for (const Bytes part : parts) message.insert(message.end(), part.begin(), part.end());
  Octets mac(16);
  unsigned length = 0;
  ::HMAC(::EVP_md5(), key.data(), static_cast<int>(key.size()),
         reinterpret_cast<const unsigned char*>(message.data()), message.size(),
         reinterpret_cast<unsigned char*>(mac.data()), &length);
  return mac;
}

Octets without_mic(Bytes authenticate) {
  Octets copy(authenticate.begin(), authenticate.end());
  std::fill_n(copy.begin() + Authenticate::mic_offset, 16, std::byte{0});
  return copy;
}

TEST_F(Ntlm, ThePublishedMicIsReadAndComputedAsHere) {
  const auto authenticate = vector("ntlm_authenticate");
  EXPECT_EQ(to_hex(Authenticate(authenticate).mic()), to_hex(vector("ntlm_mic")));
  EXPECT_EQ(to_hex(hmac_md5(
                vector("ntlm_exported_session_key"),
                {vector("ntlm_negotiate"), vector("ntlm_challenge"), without_mic(authenticate)})),
            to_hex(vector("ntlm_mic")));
  EXPECT_EQ(Authenticate::narrow(Authenticate(authenticate).pairs().at(av_target_name)),
            "cifs/SUT311");
}

// The bare mechanism, so that all three messages are at hand.
TEST_F(Ntlm, TheAuthenticateCarriesItsMicAndTheTarget) {
  GssMechanism client({.kind = MechanismKind::ntlm,
                       .user = "LAB\\alice",
                       .password = SecretString("Passw0rd!"),
                       .keytab = {},
                       .ready = {}},
                      "fs.lab.test");
  GssAcceptor server(MechanismKind::ntlm);
  const auto negotiate = client.step({}).value();
  const auto challenge = server.step(negotiate).value();
  const auto authenticate = client.step(challenge).value();
  ASSERT_TRUE(client.complete());

  const Authenticate parsed(authenticate);
  const auto pairs = parsed.pairs();
  ASSERT_TRUE(pairs.contains(av_flags));
  EXPECT_EQ(load_le<std::uint32_t>(pairs.at(av_flags).data()) & 2U, 2U);
  ASSERT_TRUE(pairs.contains(av_target_name));
  EXPECT_EQ(Authenticate::narrow(pairs.at(av_target_name)), "cifs/fs.lab.test");
  EXPECT_GE(parsed.payload_offset(), 88U);
  EXPECT_EQ(to_hex(parsed.mic()),
            to_hex(hmac_md5(client.session_key().value().bytes(),
                            {negotiate, challenge, without_mic(authenticate)})));
  // NTLMv2, and no LM response that would weaken it.
  EXPECT_GT(parsed.nt_response().size(), 24U);
  EXPECT_TRUE(
      std::ranges::all_of(parsed.lm_response(), [](std::byte b) { return b == std::byte{0}; }));

  const auto accepted = server.step(authenticate);
  EXPECT_TRUE(accepted && server.complete) << server.refusal;
}

TEST_F(Ntlm, AnAlteredAuthenticateIsRefused) {
  GssMechanism client({.kind = MechanismKind::ntlm,
                       .user = "LAB\\alice",
                       .password = SecretString("Passw0rd!"),
                       .keytab = {},
                       .ready = {}},
                      "fs.lab.test");
  GssAcceptor server(MechanismKind::ntlm);
  const auto challenge = server.step(client.step({}).value()).value();
  auto authenticate = client.step(challenge).value();
  authenticate[Authenticate::mic_offset] ^= std::byte{1};
  EXPECT_FALSE(server.step(authenticate)) << "the MIC is not checked";
}

TEST_F(Ntlm, AWrongMechListMicOfTheServerIsRefused) {
  const auto refused =
      fail_to_log_on(request("LAB\\alice", "Passw0rd!"), SpnegoAcceptor::Fault::mic_wrong);
  EXPECT_EQ(refused.error().kind(), ErrorKind::security);
  EXPECT_THAT(refused.error().what(), HasSubstr("mechListMIC"));
}

// Kerberos is offered first by a mechanism that cannot go on, as one whose server has no key.
class OfferOnly final : public Mechanism {
 public:
  std::string_view name() const noexcept override { return "Kerberos"; }
  std::span<const Bytes> oids() const noexcept override { return oids_; }
  Result<std::vector<std::byte>> step(Bytes) override { return test::octets("AP-REQ"); }
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

std::unique_ptr<SpnegoAuthenticator> kerberos_before_ntlm() {
  std::vector<std::unique_ptr<Mechanism>> mechanisms;
  mechanisms.push_back(std::make_unique<OfferOnly>());
  mechanisms.push_back(
      std::make_unique<GssMechanism>(GssLogon{.kind = MechanismKind::ntlm,
                                              .user = "LAB\\alice",
                                              .password = SecretString("Passw0rd!"),
                                              .keytab = {},
                                              .ready = {}},
                                     "fs.lab.test"));
  return std::make_unique<SpnegoAuthenticator>(std::move(mechanisms));
}

TEST_F(Ntlm, IsTakenAsTheSecondMechanismWhenBothSidesProveTheList) {
  auto client = kerberos_before_ntlm();
  GssAcceptor inner(MechanismKind::ntlm);
  SpnegoAcceptor server(inner, spnego::ntlmssp);
  const auto done = converse(*client, server, inner);
  ASSERT_TRUE(done) << describe(done.error());
  EXPECT_TRUE(server.client_mic_verified);
}

TEST_F(Ntlm, AChangedListOfMechanismsIsFound) {
  auto client = kerberos_before_ntlm();
  GssAcceptor inner(MechanismKind::ntlm);
  SpnegoAcceptor server(inner, spnego::ntlmssp);
  server.removes_first_mech = true;
  const auto done = converse(*client, server, inner);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().kind(), ErrorKind::security);
  EXPECT_FALSE(server.client_mic_verified) << "the server sees it too";
}

TEST_F(Ntlm, ASecondMechanismWithoutProofIsRefused) {
  auto client = kerberos_before_ntlm();
  GssAcceptor inner(MechanismKind::ntlm);
  SpnegoAcceptor server(inner, spnego::ntlmssp);
  server.fault = SpnegoAcceptor::Fault::mic_missing;
  const auto done = converse(*client, server, inner);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().kind(), ErrorKind::security);
}

TEST_F(Ntlm, TruncatedChallengesAreErrors) {
  const auto whole = vector("ntlm_challenge");
  for (std::size_t length = 1; length < whole.size(); length += 3) {
    GssMechanism client({.kind = MechanismKind::ntlm,
                         .user = "alice",
                         .password = SecretString("Passw0rd!"),
                         .keytab = {},
                         .ready = {}},
                        "fs.lab.test");
    ASSERT_TRUE(client.step({}));
    EXPECT_FALSE(client.step(Bytes(whole).first(length))) << length;
    EXPECT_FALSE(client.complete());
  }
}

// The challenge of a Windows server, which grants no sealing to who does not ask.
TEST_F(Ntlm, AnswersThePublishedChallenge) {
  GssMechanism client({.kind = MechanismKind::ntlm,
                       .user = "SUT311\\administrator",
                       .password = SecretString("Password01!"),
                       .keytab = {},
                       .ready = {}},
                      "SUT311");
  const auto negotiate = client.step({}).value();
  const auto challenge = test::as_of_now(vector("ntlm_challenge"));
  const auto authenticate = client.step(challenge);
  ASSERT_TRUE(authenticate) << describe(authenticate.error());
  const Authenticate parsed(*authenticate);
  EXPECT_EQ(parsed.user(), "administrator");
  EXPECT_EQ(parsed.domain(), "SUT311");
  EXPECT_EQ(to_hex(parsed.mic()),
            to_hex(hmac_md5(client.session_key().value().bytes(),
                            {negotiate, challenge, without_mic(*authenticate)})));
}

// gss-ntlmssp refuses a server whose clock differs by more than some hours.
TEST_F(Ntlm, AChallengeOfYearsAgoNamesTheClocks) {
  auto client = make_authenticator(request("alice", "Passw0rd!"), "SUT311");
  ASSERT_TRUE((*client)->step({}));
  const auto step = (*client)->step(vector("challenge"));
  ASSERT_FALSE(step);
  EXPECT_EQ(step.error().kind(), ErrorKind::authentication);
  EXPECT_THAT(describe(step.error()), HasSubstr("set the clock"));
}

TEST_F(Ntlm, TheGuestHasANameAndNoPassword) {
  LogonRequest guest;
  guest.guest = true;
  auto client = make_authenticator(guest, "fs.lab.test");
  ASSERT_TRUE(client);
  ASSERT_TRUE((*client)->step({}));
  const auto step = (*client)->step(test::as_of_now(vector("challenge")));
  ASSERT_TRUE(step) << describe(step.error());
  EXPECT_TRUE(step->done);
  const auto resp = spnego::decode_resp(step->token).value();
  EXPECT_EQ(Authenticate(*resp.response_token).user(), "Guest");
}

TEST_F(Ntlm, AnonymousHasNeitherNameNorKey) {
  LogonRequest request;
  request.anonymous = true;
  auto client = make_authenticator(request, "fs.lab.test");
  ASSERT_TRUE(client);
  ASSERT_TRUE((*client)->step({}));
  const auto step = (*client)->step(vector("challenge"));
  ASSERT_TRUE(step) << describe(step.error());
  EXPECT_TRUE(step->done);
  const auto resp = spnego::decode_resp(step->token).value();
  const Authenticate parsed(*resp.response_token);
  EXPECT_EQ(parsed.flags() & 0x800U, 0x800U);
  EXPECT_EQ(parsed.flags() & 0x40000030U, 0U) << "neither key exchange nor signatures";
  EXPECT_TRUE(parsed.nt_response().empty());
  EXPECT_EQ(to_hex(parsed.lm_response()), "00");
  EXPECT_EQ(parsed.user(), "");
  EXPECT_FALSE(resp.mech_list_mic);
  const auto last = (*client)->step(test::from_hex("A1073005A0030A0100"));
  ASSERT_TRUE(last) << describe(last.error());
  EXPECT_TRUE((*client)->complete());
  EXPECT_TRUE((*client)->session_key().value().empty());
}

TEST_F(Ntlm, AnonymousTakesNothingButAChallenge) {
  const auto challenge = vector("ntlm_challenge");
  for (std::size_t length = 0; length < 32; ++length) {
    NtlmAnonymousMechanism mechanism;
    ASSERT_TRUE(mechanism.step({}));
    const Octets cut(challenge.begin(), challenge.begin() + static_cast<std::ptrdiff_t>(length));
    EXPECT_FALSE(mechanism.step(cut));
    EXPECT_FALSE(mechanism.complete());
  }
  NtlmAnonymousMechanism mechanism;
  ASSERT_TRUE(mechanism.step({}));
  EXPECT_FALSE(mechanism.step(vector("ntlm_negotiate")));
}

}  // namespace
}  // namespace smb3
