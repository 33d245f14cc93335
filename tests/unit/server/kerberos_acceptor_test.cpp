// Our own client logs on at the scripted server's acceptor by Kerberos, against a private KDC on
// the loopback interface.
#include "auth/gss_mechanism.h"
#include "auth/spnego.h"
#include "unit/server/logon.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace smb3::server {
namespace {

using test::shell;
using test::to_hex;

class KerberosServer : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    ASSERT_TRUE(std::filesystem::exists("/usr/sbin/krb5kdc"))
        << "install the packages krb5-kdc, krb5-admin-server and krb5-user (scripts/setup --dev)";
    folder_ = std::make_unique<test::TemporaryFolder>();
    const auto started = shell(SMB3_TESTS_DIR "/lab/kdc start '" + *folder_ / "kdc" + "'");
    ASSERT_TRUE(started.exited_with(0)) << started.output;
  }
  static void TearDownTestSuite() {
    if (folder_) shell(SMB3_TESTS_DIR "/lab/kdc stop '" + *folder_ / "kdc" + "'");
    folder_.reset();
  }

  KerberosServer() {
    ::setenv("KRB5_CONFIG", (*folder_ / "kdc/krb5.conf").c_str(), 1);
    ::setenv("KRB5CCNAME", ("FILE:" + (own_ / "ccache")).c_str(), 1);
    ::setenv("KRB5_CLIENT_KTNAME", (own_ / "none.keytab").c_str(), 1);
    ServerSettings settings;
    settings.users = {{"LAB.TEST", "alice", "Passw0rd!"}};
    settings.keytab = *folder_ / "kdc/smb.keytab";
    auto made = make_gss_acceptors(settings);
    EXPECT_TRUE(made) << describe(made.error());
    if (made) factory_ = std::move(*made);
  }

  static LogonRequest request(KerberosUse use) {
    LogonRequest request;
    request.user = "alice@LAB.TEST";
    request.password = SecretString("Passw0rd!");
    request.kerberos = use;
    return request;
  }

  Outcome log_on(KerberosUse use, const std::string& server, const Meddler& meddle = {}) {
    auto client = make_authenticator(request(use), server);
    EXPECT_TRUE(client) << describe(client.error());
    acceptor_ = factory_->make();
    talk_ = {};
    Outcome outcome = converse(**client, *acceptor_, factory_->hint(), meddle, &talk_);
    if (outcome.client_complete) key_ = to_hex((*client)->session_key().value().bytes());
    return outcome;
  }

  static std::unique_ptr<test::TemporaryFolder> folder_;
  test::TemporaryFolder own_;
  std::unique_ptr<AcceptorFactory> factory_;
  std::unique_ptr<Acceptor> acceptor_;
  Talk talk_;
  std::string key_;
};

std::unique_ptr<test::TemporaryFolder> KerberosServer::folder_;

TEST_F(KerberosServer, TheHintListsKerberosFirst) {
  const auto hint = factory_->hint();
  const auto types = spnego::decode_init(hint).value().mech_types;
  ASSERT_EQ(types.size(), 3U);
  EXPECT_TRUE(spnego::same(types[0], spnego::microsoft_kerberos));
  EXPECT_TRUE(spnego::same(types[1], spnego::kerberos));
  EXPECT_TRUE(spnego::same(types[2], spnego::ntlmssp));
}

TEST_F(KerberosServer, ATicketLogsOnInOneTurn) {
  const Outcome outcome = log_on(KerberosUse::required, "fs.lab.test");
  ASSERT_FALSE(outcome.client) << describe(*outcome.client);
  ASSERT_FALSE(outcome.refused);
  EXPECT_TRUE(outcome.server_done && outcome.client_complete);
  EXPECT_EQ(talk_.from_server.size(), 1U);
  const auto logon = acceptor_->logon().value();
  EXPECT_EQ(logon.user, "alice@LAB.TEST");
  EXPECT_EQ(logon.mechanism, "Kerberos");
  EXPECT_EQ(logon.spn, "cifs/fs.lab.test@LAB.TEST");
  EXPECT_FALSE(logon.guest || logon.anonymous || logon.mic);
  EXPECT_EQ(logon.session_key.size(), 32U);
  EXPECT_EQ(to_hex(logon.session_key.bytes()), key_);
}

// A test copies messages as an attacker would, and asks why the signature did not hold.
TEST_F(KerberosServer, ATicketIsTakenTwice) {
  ASSERT_TRUE(log_on(KerberosUse::required, "fs.lab.test").server_done);
  EXPECT_TRUE(factory_->make()->step(talk_.from_client[0]));
}

TEST_F(KerberosServer, NtlmIsTakenBesideIt) {
  const Outcome outcome = log_on(KerberosUse::off, "fs.lab.test");
  EXPECT_TRUE(outcome.server_done && outcome.client_complete);
  EXPECT_EQ(acceptor_->logon().value().mechanism, "NTLMSSP");
}

TEST_F(KerberosServer, ADamagedTicketIsRefused) {
  const auto damage = [](int, bool from_client, std::vector<std::byte>& token) {
    if (from_client) token.back() ^= std::byte{1};
  };
  EXPECT_EQ(log_on(KerberosUse::required, "fs.lab.test", damage).refused, NtStatus::logon_failure);
  const auto proof = [](int, bool from_client, std::vector<std::byte>& token) {
    if (!from_client) token.back() ^= std::byte{1};
  };
  const Outcome outcome = log_on(KerberosUse::required, "fs.lab.test", proof);
  ASSERT_TRUE(outcome.client);
  EXPECT_EQ(outcome.client->kind(), ErrorKind::security);
}

TEST_F(KerberosServer, WhatIsNoTicketIsRefused) {
  const Bytes list[] = {spnego::kerberos};
  const auto types = spnego::encode_mech_types(list);
  const auto garbage = test::octets("no ticket");
  const auto step = factory_->make()->step(spnego::encode(spnego::NegTokenInit{
      .mech_types = {}, .mech_types_der = types, .mech_token = garbage, .mech_list_mic = {}}));
  ASSERT_FALSE(step);
  EXPECT_EQ(step.error(), NtStatus::invalid_parameter);
}

}  // namespace
}  // namespace smb3::server
