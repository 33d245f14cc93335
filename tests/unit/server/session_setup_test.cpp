// Logons of all kinds, seen from a client that knows what it should get.
#include "server_fixture.h"

#include "wire/create.h"
#include "wire/logoff.h"

namespace smb3::server::test {
namespace {

using wire::SessionFlags;

class SessionSetupTest : public ServerTest {};

NtStatus status(const Element& answer) { return answer.header.nt_status(); }

SessionFlags flags_of(const Element& answer) {
  return answer.as<wire::SessionSetupResponse>().session_flags;
}

TEST_F(SessionSetupTest, TheLastAnswerIsSignedWithTheNewKey) {
  start();
  auto client = connect_negotiated();
  const Element answer = client->log_on("alice");
  EXPECT_EQ(status(answer), NtStatus::success);
  EXPECT_NE(answer.header.session_id, 0U);
  EXPECT_TRUE(client->verifies(answer));
  EXPECT_EQ(client->status_of(client->request(wire::EchoRequest{}), As::signed_message),
            NtStatus::success);
}

TEST_F(SessionSetupTest, TheHashGoesOverAllLegs) {
  start();
  auto client = connect_negotiated();
  const Element first = client->set_up("more", {});
  EXPECT_EQ(status(first), NtStatus::more_processing_required);
  EXPECT_FALSE(first.header.is_signed());
  const Element last = client->set_up("alice", {});
  ASSERT_EQ(status(last), NtStatus::success);
  client->derive("alice");
  EXPECT_TRUE(client->verifies(last));
}

TEST_F(SessionSetupTest, EveryAlgorithmSigns) {
  start();
  for (const auto algorithm : {SigningAlgorithm::aes_128_gmac, SigningAlgorithm::aes_128_cmac,
                               SigningAlgorithm::hmac_sha256}) {
    auto client = connect();
    client->signing = algorithm;
    client->negotiate();
    EXPECT_TRUE(client->verifies(client->log_on("alice"))) << name_of(algorithm);
    const Element echo = client->ask(client->request(wire::EchoRequest{}), As::signed_message);
    EXPECT_TRUE(client->verifies(echo)) << name_of(algorithm);
  }
}

TEST_F(SessionSetupTest, EveryCipherSeals) {
  settings_.encrypt = true;
  start();
  for (const auto cipher :
       {Cipher::aes_128_ccm, Cipher::aes_128_gcm, Cipher::aes_256_ccm, Cipher::aes_256_gcm}) {
    auto client = connect();
    client->cipher = cipher;
    client->negotiate();
    const Element answer = client->log_on("alice");
    EXPECT_EQ(flags_of(answer), SessionFlags::encrypt_data);
    EXPECT_TRUE(client->verifies(answer));
    EXPECT_EQ(client->status_of(client->request(wire::EchoRequest{}), As::sealed),
              NtStatus::success);
    EXPECT_TRUE(client->last_was_sealed) << name_of(cipher);
  }
}

TEST_F(SessionSetupTest, WhoIsNotToComeInIsTold) {
  start();
  auto client = connect_negotiated();
  EXPECT_EQ(status(client->log_on("wrong")), NtStatus::logon_failure);
  EXPECT_EQ(status(client->log_on("guest")), NtStatus::logon_failure);
  EXPECT_EQ(status(client->log_on("anonymous")), NtStatus::access_denied);
  EXPECT_EQ(status(client->log_on("alice")), NtStatus::success);
}

TEST_F(SessionSetupTest, GuestAndAnonymousAreMarkedAndUnsigned) {
  settings_.allow_guest = settings_.allow_anonymous = true;
  settings_.signing = SigningPolicy::required;
  start();
  auto client = connect_negotiated();
  const Element guest = client->log_on("guest");
  EXPECT_EQ(flags_of(guest), SessionFlags::is_guest);
  EXPECT_FALSE(guest.header.is_signed());
  client->connect_share("rw");
  EXPECT_EQ(flags_of(client->log_on("anonymous")), SessionFlags::is_null);
}

TEST_F(SessionSetupTest, ADemandForEncryptionShutsOutWhoHasNone) {
  settings_.encrypt = true;
  settings_.allow_guest = true;
  start();
  auto client = connect();
  client->cipher = Cipher::none;
  client->negotiate();
  EXPECT_EQ(status(client->log_on("alice")), NtStatus::access_denied);
  EXPECT_EQ(status(connect_negotiated()->log_on("guest")), NtStatus::access_denied);
}

TEST_F(SessionSetupTest, PlainRequestsOfAnEncryptingSessionAreRefused) {
  settings_.encrypt = true;
  start();
  auto client = connect_as("alice");
  EXPECT_EQ(client->status_of(client->tree_connect("\\\\s\\rw")), NtStatus::access_denied);
  EXPECT_TRUE(client->last_was_sealed);
  EXPECT_EQ(client->status_of(client->tree_connect("\\\\s\\rw"), As::signed_message),
            NtStatus::access_denied);
}

TEST_F(SessionSetupTest, UnsignedAndWronglySignedRequestsAreRefusedWhereSigningIsDemanded) {
  settings_.signing = SigningPolicy::required;
  start();
  auto client = connect_as("alice");
  EXPECT_EQ(client->status_of(client->tree_connect("\\\\s\\rw")), NtStatus::access_denied);
  Octets wrong = client->tree_connect("\\\\s\\rw");
  RawClient::sign(wrong, *client->session.signer);
  wrong[wire::signature_offset] ^= std::byte{1};
  const Element refused = client->ask(wrong);
  EXPECT_EQ(status(refused), NtStatus::access_denied);
  EXPECT_TRUE(client->verifies(refused));
  EXPECT_EQ(client->status_of(client->tree_connect("\\\\s\\rw"), As::signed_message),
            NtStatus::success);
}

TEST_F(SessionSetupTest, TheClientMayDemandSigningToo) {
  start();
  auto client = connect_negotiated();
  RawClient::LogonOptions options;
  options.mode = wire::SecurityMode::signing_required;
  client->log_on("alice", options);
  EXPECT_EQ(client->status_of(client->tree_connect("\\\\s\\rw")), NtStatus::access_denied);
}

TEST_F(SessionSetupTest, AnUnknownSessionIsDeleted) {
  start();
  auto client = connect_as("alice");
  client->session.id += 1;
  EXPECT_EQ(client->status_of(client->tree_connect("\\\\s\\rw")), NtStatus::user_session_deleted);
  EXPECT_EQ(status(client->set_up("alice", {})), NtStatus::user_session_deleted);
}

TEST_F(SessionSetupTest, LogoffEndsTheSessionWithASignedAnswer) {
  start();
  auto client = connect_as("alice");
  const Element answer = client->ask(client->request(wire::LogoffRequest{}), As::signed_message);
  EXPECT_EQ(status(answer), NtStatus::success);
  EXPECT_TRUE(client->verifies(answer));
  EXPECT_EQ(client->status_of(client->tree_connect("\\\\s\\rw")), NtStatus::user_session_deleted);
}

TEST_F(SessionSetupTest, AnExpiredSessionIsRefusedUntilItIsRenewed) {
  settings_.session_lifetime_ms = 50;
  start();
  auto client = connect_as("alice");
  client->connect_share("rw");
  std::this_thread::sleep_for(milliseconds(80));
  EXPECT_EQ(client->status_of(client->tree_connect("\\\\s\\rw")),
            NtStatus::network_session_expired);
  RawClient::LogonOptions options;
  options.signed_by = &*client->session.signer;
  EXPECT_EQ(status(client->set_up("more", options)), NtStatus::more_processing_required);
  EXPECT_NE(client->status_of(client->tree_connect("\\\\s\\rw")), NtStatus::success);
  const Element renewed = client->set_up("alice", options);
  EXPECT_EQ(status(renewed), NtStatus::success);
  EXPECT_TRUE(client->verifies(renewed)) << "the keys stay";
  EXPECT_EQ(client->status_of(client->tree_connect("\\\\s\\rw")), NtStatus::success);
  EXPECT_EQ(client->status_of(client->request(wire::LogoffRequest{})), NtStatus::success);
}

TEST_F(SessionSetupTest, AFaultExpiresASession) {
  Fault expired = fault(FaultKind::status);
  expired.status = NtStatus::network_session_expired;
  add_fault(wire::Command::tree_connect, expired);
  start();
  auto client = connect_as("alice");
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(client->status_of(client->tree_connect("\\\\s\\rw")),
              NtStatus::network_session_expired);
  }
  EXPECT_EQ(status(client->set_up("alice", {})), NtStatus::success);
  EXPECT_EQ(client->status_of(client->tree_connect("\\\\s\\rw")), NtStatus::success);
}

TEST_F(SessionSetupTest, ThePreviousSessionOfTheSameUserEnds) {
  start();
  auto first = connect_as("alice");
  auto other = connect_negotiated();
  RawClient::LogonOptions options;
  options.previous = first->session.id;
  other->log_on("bob", options);
  EXPECT_EQ(first->status_of(first->tree_connect("\\\\s\\rw")), NtStatus::success);
  connect_negotiated()->log_on("alice", options);
  EXPECT_EQ(first->status_of(first->tree_connect("\\\\s\\rw")), NtStatus::user_session_deleted);
}

class BindingTest : public SessionSetupTest {
 protected:
  void SetUp() override {
    SessionSetupTest::SetUp();
    settings_.allow_guest = true;
  }
};

TEST_F(BindingTest, ASecondChannelHasItsOwnSigningKeyAndOutlivesTheFirst) {
  start();
  auto first = connect_as("alice");
  first->connect_share("rw");
  auto second = connect_negotiated();
  const Element bound = second->bind(*first, "alice");
  EXPECT_EQ(status(bound), NtStatus::success);
  EXPECT_TRUE(second->verifies(bound));
  EXPECT_FALSE(first->verifies(bound));
  const Element sealed = second->ask(second->request(wire::EchoRequest{}), As::sealed);
  EXPECT_EQ(status(sealed), NtStatus::success);
  first->close();
  const Element echo = second->ask(second->request(wire::EchoRequest{}), As::signed_message);
  EXPECT_EQ(status(echo), NtStatus::success);
  EXPECT_EQ(status(connect_as("bob")->bind(*first, "alice")), NtStatus::success);
}

TEST_F(BindingTest, IntermediateAnswersAreSignedWithTheSessionsKey) {
  start();
  auto first = connect_as("alice");
  auto second = connect_negotiated();
  const Element more = second->bind(*first, "more");
  EXPECT_EQ(status(more), NtStatus::more_processing_required);
  EXPECT_TRUE(first->verifies(more));
}

TEST_F(BindingTest, WhatDoesNotFitIsRefused) {
  start();
  auto first = connect_as("alice");
  auto second = connect_negotiated();
  EXPECT_EQ(status(second->bind(*first, "bob")), NtStatus::not_supported);
  RawClient::LogonOptions again;
  again.flags = wire::SessionSetupFlags::binding;
  again.signed_by = &*first->session.signer;
  EXPECT_EQ(status(first->set_up("alice", again)), NtStatus::request_not_accepted);

  RawClient::LogonOptions unsigned_leg;
  unsigned_leg.flags = wire::SessionSetupFlags::binding;
  EXPECT_EQ(status(second->set_up("alice", unsigned_leg)), NtStatus::invalid_parameter);
  second->session.id += 100;
  EXPECT_EQ(status(second->set_up("alice", unsigned_leg)), NtStatus::user_session_deleted);
}

TEST_F(BindingTest, AnotherClientOrAlgorithmIsRefused) {
  start();
  auto first = connect_as("alice");
  auto stranger = connect();
  stranger->client_guid.bytes.fill(std::byte{8});
  stranger->negotiate();
  EXPECT_EQ(status(stranger->bind(*first, "alice")), NtStatus::user_session_deleted);
  auto other_cipher = connect();
  other_cipher->cipher = Cipher::aes_256_ccm;
  other_cipher->negotiate();
  EXPECT_EQ(status(other_cipher->bind(*first, "alice")), NtStatus::invalid_parameter);
}

TEST_F(BindingTest, GuestsCannotBeBound) {
  start();
  auto guest = connect_as("guest");
  auto second = connect_negotiated();
  second->session.id = guest->session.id;
  RawClient::LogonOptions options;
  options.flags = wire::SessionSetupFlags::binding;
  auto alice = connect_as("alice");
  options.signed_by = &*alice->session.signer;
  EXPECT_EQ(status(second->set_up("guest", options)), NtStatus::not_supported);
}

TEST_F(BindingTest, WithoutMultichannelNothingIsBound) {
  settings_.multichannel = false;
  start();
  auto first = connect_as("alice");
  auto second = connect_negotiated();
  EXPECT_EQ(status(second->bind(*first, "alice")), NtStatus::request_not_accepted);
}

}  // namespace
}  // namespace smb3::server::test
