// Frames, MessageIds, credits, compounds, CANCEL, and waiting requests.
#include "server_fixture.h"

#include "wire/cancel.h"
#include "wire/close.h"
#include "wire/create.h"
#include "wire/read.h"

namespace smb3::server::test {
namespace {

using wire::Command;
using wire::HeaderFlags;

NtStatus status(const Element& answer) { return answer.header.nt_status(); }

class ServerConnectionTest : public ServerTest {
 protected:
  // A CREATE of "name" that opens what is there.
  static wire::CreateRequest opening(const Octets& name, wire::CreateDisposition disposition) {
    wire::CreateRequest create;
    create.desired_access = wire::AccessMask{0x12019F};
    create.share_access = wire::ShareAccess{7};
    create.create_disposition = disposition;
    create.name = name;
    return create;
  }
  static wire::ReadRequest reading(std::uint32_t length) {
    wire::ReadRequest read;
    read.length = length;
    read.file_id = {1, 1};
    return read;
  }
  static void take_credits(RawClient& client) {
    auto header = client.next(Command::echo);
    header.credits = 20;
    EXPECT_EQ(client.ask(message(header, wire::EchoRequest{})).header.credits, 20);
  }
  std::unique_ptr<RawClient> connect_share() {
    auto client = connect_as("alice");
    client->connect_share("rw");
    return client;
  }
};

Octets related(Octets element) {
  const auto flags = load_le<std::uint32_t>(element.data() + 16);
  store_le(element.data() + 16,
           flags | static_cast<std::uint32_t>(HeaderFlags::related_operations));
  return element;
}

TEST_F(ServerConnectionTest, NegotiationChoosesWhatIsPreferred) {
  settings_.signing_algorithms = {SigningAlgorithm::hmac_sha256, SigningAlgorithm::aes_128_cmac};
  settings_.ciphers = {Cipher::aes_256_gcm};
  start();
  auto client = connect();
  client->signing = SigningAlgorithm::aes_128_gmac;
  client->cipher = Cipher::aes_128_ccm;
  const auto answer = client->negotiate();
  const auto response = answer.as<wire::NegotiateResponse>();
  EXPECT_EQ(response.dialect_revision, wire::Dialect::smb_3_1_1);
  EXPECT_EQ(response.security_mode, wire::SecurityMode::signing_enabled);
  ASSERT_EQ(response.contexts.size(), 3U);
  const auto cipher = wire::decode<wire::EncryptionCapabilities>(response.contexts[1].data);
  EXPECT_EQ(cipher->ciphers, std::vector{Cipher::none}) << "none in common is told";
  const auto signing = wire::decode<wire::SigningCapabilities>(response.contexts[2].data);
  EXPECT_EQ(signing->signing_algorithms, std::vector{SigningAlgorithm::aes_128_cmac});
}

TEST_F(ServerConnectionTest, WrongNegotiationsAreRefused) {
  start();
  auto client = connect();
  auto wrong = client->negotiation();
  wrong.dialects = {wire::Dialect::smb_3_0_2};
  wrong.contexts.clear();
  EXPECT_EQ(client->status_of(client->request(wrong)), NtStatus::not_supported);
  wrong = client->negotiation();
  wrong.dialects.clear();
  EXPECT_EQ(client->status_of(client->request(wrong)), NtStatus::invalid_parameter);
  wrong = client->negotiation();
  wrong.contexts.push_back(wrong.contexts.front());
  EXPECT_EQ(client->status_of(client->request(wrong)), NtStatus::invalid_parameter);
  wrong = client->negotiation();
  ByteBuffer data;
  wire::PreauthIntegrityCapabilities preauth;
  preauth.hash_algorithms = {HashAlgorithm{9}};
  wrong.contexts.front() = wire::make_context(preauth, data);
  EXPECT_EQ(client->status_of(client->request(wrong)),
            NtStatus::smb_no_preauth_integrity_hash_overlap);
}

TEST_F(ServerConnectionTest, OutOfOrderNegotiationsEndTheConnection) {
  start();
  auto early = connect();
  early->send(early->request(wire::EchoRequest{}));
  EXPECT_TRUE(early->sees_end());
  auto twice = connect_negotiated();
  twice->send(twice->request(twice->negotiation()));
  EXPECT_TRUE(twice->sees_end());
}

TEST_F(ServerConnectionTest, BytesThatAreNoFrameEndTheConnection) {
  start();
  for (const auto& bytes : {octets("GET / HTTP/1.1\r\n\r\n"), Octets(4), Octets(4096),
                            octets(std::string_view("\0\0\0\x44\xFF"
                                                    "SMB",
                                                    8))}) {
    auto client = connect();
    Octets padded = bytes;
    padded.resize(std::max<std::size_t>(padded.size(), 80));
    client->send_bytes(padded);
    EXPECT_TRUE(client->sees_end());
  }
}

TEST_F(ServerConnectionTest, MessageIdsAreTakenOnceAndOnlyIfGranted) {
  start();
  auto again = connect_as("alice");
  auto header = again->next(Command::echo);
  EXPECT_EQ(again->status_of(message(header, wire::EchoRequest{})), NtStatus::success);
  again->send(message(header, wire::EchoRequest{}));
  EXPECT_TRUE(again->sees_end());

  auto beyond = connect_as("alice");
  header = beyond->next(Command::echo);
  header.message_id += 1;
  beyond->send(message(header, wire::EchoRequest{}));
  EXPECT_TRUE(beyond->sees_end());
}

TEST_F(ServerConnectionTest, GrantsWhatIsAskedUpToTheMost) {
  settings_.credits_max = 50;
  start();
  auto client = connect_as("alice");
  auto header = client->next(Command::echo);
  header.credits = 20;
  EXPECT_EQ(client->ask(message(header, wire::EchoRequest{})).header.credits, 20);
  header = client->next(Command::echo);
  header.credits = 1000;
  EXPECT_EQ(client->ask(message(header, wire::EchoRequest{})).header.credits, 31);
  header = client->next(Command::echo);
  header.credits = 0;
  EXPECT_EQ(client->ask(message(header, wire::EchoRequest{})).header.credits, 1);
}

TEST_F(ServerConnectionTest, APayloadHasItsPrice) {
  start();
  auto client = connect_share();
  take_credits(*client);
  EXPECT_EQ(client->status_of(client->request(reading(65537), 1)), NtStatus::invalid_parameter);
  EXPECT_EQ(client->status_of(client->request(reading(65536), 1)), NtStatus::file_closed);
  EXPECT_EQ(client->status_of(client->request(reading(65537), 2)), NtStatus::file_closed);
}

TEST_F(ServerConnectionTest, ARelatedChainHandsItsIdsOn) {
  start();
  auto client = connect_share();
  take_credits(*client);
  const Octets name = RawClient::to_utf16("made");
  const Octets create = client->request(opening(name, wire::CreateDisposition::open_if));
  wire::CloseRequest close;
  close.file_id = wire::no_file_id;
  const Octets last = related(client->request(close));
  client->send(compound({create, last}));
  const auto answers = client->receive_all();
  ASSERT_EQ(answers.size(), 2U);
  EXPECT_EQ(status(answers[0]), NtStatus::success);
  EXPECT_EQ(status(answers[1]), NtStatus::success);
  EXPECT_FALSE(wire::has(answers[0].header.flags, HeaderFlags::related_operations));
  EXPECT_TRUE(wire::has(answers[1].header.flags, HeaderFlags::related_operations));
}

TEST_F(ServerConnectionTest, AFailedCreateFailsItsChain) {
  start();
  auto client = connect_share();
  take_credits(*client);
  const Octets name = RawClient::to_utf16("missing");
  const Octets create = client->request(opening(name, wire::CreateDisposition::open));
  wire::CloseRequest close;
  close.file_id = wire::no_file_id;
  const Octets second = related(client->request(close));
  client->send(compound({create, second, related(client->request(close))}));
  const auto answers = client->receive_all();
  ASSERT_EQ(answers.size(), 3U);
  for (const Element& answer : answers) {
    EXPECT_EQ(status(answer), NtStatus::object_name_not_found);
  }
}

TEST_F(ServerConnectionTest, AChainCannotBeginInTheMiddle) {
  start();
  auto client = connect_share();
  EXPECT_EQ(client->status_of(related(client->request(wire::EchoRequest{}))),
            NtStatus::invalid_parameter);
}

TEST_F(ServerConnectionTest, AStrictServerRefusesMixedCompounds) {
  settings_.strict = true;
  start();
  auto client = connect_as("alice");
  take_credits(*client);
  const Octets first = client->request(wire::EchoRequest{});
  const Octets second = client->request(wire::EchoRequest{});
  client->send(compound({first, second, related(client->request(wire::EchoRequest{}))}));
  const auto answers = client->receive_all();
  ASSERT_EQ(answers.size(), 3U);
  for (const Element& answer : answers) EXPECT_EQ(status(answer), NtStatus::invalid_parameter);
}

TEST_F(ServerConnectionTest, EachElementOfACompoundIsSignedByItself) {
  start();
  auto client = connect_as("alice");
  take_credits(*client);
  Octets first = client->request(wire::EchoRequest{});
  first.resize(align_up(first.size(), 8));
  store_le(first.data() + 20, static_cast<std::uint32_t>(first.size()));
  RawClient::sign(first, *client->session.signer);
  Octets second = client->request(wire::EchoRequest{});
  RawClient::sign(second, *client->session.signer);
  first.insert(first.end(), second.begin(), second.end());
  client->send(first);
  const auto answers = client->receive_all();
  ASSERT_EQ(answers.size(), 2U);
  for (const Element& answer : answers) {
    EXPECT_EQ(status(answer), NtStatus::success);
    EXPECT_TRUE(client->verifies(answer));
  }
}

TEST_F(ServerConnectionTest, ASealedRequestOfAnotherSessionEndsTheConnection) {
  start();
  auto client = connect_as("alice");
  auto header = client->next(Command::echo);
  header.session_id += 1;
  client->send(client->seal(message(header, wire::EchoRequest{})));
  EXPECT_TRUE(client->sees_end());
}

TEST_F(ServerConnectionTest, ADelayedAnswerHoldsUpNobody) {
  FaultRule rule;
  rule.command = Command::echo;
  rule.first = 2;
  rule.fault = fault(FaultKind::delay);
  rule.fault.delay = milliseconds(150);
  settings_.faults.add(rule);
  start();
  auto client = connect_as("alice");
  take_credits(*client);
  const auto late = client->next(Command::echo);
  client->send(message(late, wire::EchoRequest{}));
  const Element quick = client->ask(client->request(wire::EchoRequest{}));
  EXPECT_EQ(quick.header.message_id, late.message_id + 1);
  EXPECT_EQ(client->receive().header.message_id, late.message_id);
}

// Each of the two ways to name what shall be cancelled.
class CancelTest : public ServerConnectionTest, public testing::WithParamInterface<bool> {};
INSTANTIATE_TEST_SUITE_P(Ways, CancelTest, testing::Bool());

TEST_P(CancelTest, EndsWhatIsPendingForEver) {
  add_fault(Command::echo, fault(FaultKind::pending_for_ever));
  start();
  auto client = connect_as("alice");
  auto header = client->next(Command::echo);
  header.credits = 5;
  client->send(message(header, wire::EchoRequest{}), As::signed_message);
  const Element interim = client->receive();
  EXPECT_EQ(status(interim), NtStatus::pending);
  EXPECT_EQ(interim.header.credits, 5);
  EXPECT_NE(interim.header.async_id, 0U);
  EXPECT_FALSE(interim.header.is_signed());
  EXPECT_EQ(client->status_of(client->request(wire::EchoRequest{})), NtStatus::success);
  EXPECT_TRUE(client->is_quiet());

  wire::PacketHeader cancel;
  cancel.command = Command::cancel;
  cancel.session_id = client->session.id;
  cancel.message_id = header.message_id;
  if (GetParam()) {
    cancel.message_id = 0;
    cancel.flags |= HeaderFlags::async_command;
    cancel.async_id = interim.header.async_id;
  }
  const Element last = client->ask(message(cancel, wire::CancelRequest{}));
  EXPECT_EQ(status(last), NtStatus::cancelled);
  EXPECT_EQ(last.header.message_id, header.message_id);
  EXPECT_EQ(last.header.async_id, interim.header.async_id);
  EXPECT_EQ(last.header.credits, 0);
  EXPECT_TRUE(client->verifies(last));
}

TEST_F(ServerConnectionTest, ANodeThatDiesTakesConnectionsAndSessionsAlong) {
  start();
  auto client = connect_as("alice");
  auto second = connect_negotiated();
  smb3::test::on(reactor(), [this] { server_->restart(); });
  EXPECT_TRUE(client->sees_end());
  EXPECT_TRUE(second->sees_end());
  auto fresh = connect_negotiated();
  EXPECT_EQ(status(fresh->bind(*client, "alice")), NtStatus::user_session_deleted);
}

TEST_F(ServerConnectionTest, StoppingEndsWhatWaits) {
  add_fault(Command::echo, fault(FaultKind::pending_for_ever));
  start();
  auto client = connect_as("alice");
  client->ask(client->request(wire::EchoRequest{}));
  stop();
  EXPECT_TRUE(client->sees_end());
}

}  // namespace
}  // namespace smb3::server::test
