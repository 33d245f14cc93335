// What each kind of fault puts on the wire.
#include "server_fixture.h"

namespace smb3::server::test {
namespace {

using wire::Command;

NtStatus status(const Element& answer) { return answer.header.nt_status(); }

constexpr std::size_t echo_bytes = wire::header_bytes + 4;

class AnswerFaultsTest : public ServerTest {
 protected:
  // Alice, whose first ECHO meets these faults.
  std::unique_ptr<RawClient> meet(std::vector<Fault> faults) {
    for (Fault& one : faults) add_fault(Command::echo, std::move(one));
    start();
    return connect_as("alice");
  }
  std::unique_ptr<RawClient> meet(Fault one) { return meet(std::vector<Fault>{std::move(one)}); }
  static Octets echo(RawClient& client) { return client.request(wire::EchoRequest{}); }
};

TEST_F(AnswerFaultsTest, AStatusIsAnsweredOnce) {
  Fault full = fault(FaultKind::status);
  full.status = NtStatus::disk_full;
  auto client = meet(full);
  EXPECT_EQ(client->status_of(echo(*client)), NtStatus::disk_full);
  EXPECT_EQ(client->status_of(echo(*client)), NtStatus::success);
}

TEST_F(AnswerFaultsTest, PendingIsFollowedByTheAnswer) {
  Fault pending = fault(FaultKind::pending);
  pending.delay = milliseconds(20);
  auto client = meet(pending);
  EXPECT_EQ(client->status_of(echo(*client)), NtStatus::pending);
  EXPECT_EQ(client->receive().header.nt_status(), NtStatus::success);
}

TEST_F(AnswerFaultsTest, DroppedAndIgnoredHaveNoAnswer) {
  for (const FaultKind kind : {FaultKind::drop, FaultKind::ignore}) {
    auto client = meet({fault(kind)});
    client->send(echo(*client));
    EXPECT_TRUE(client->is_quiet());
    stop();
    settings_.faults = {};
  }
}

TEST_F(AnswerFaultsTest, SilenceIsForEverAndOnlyHere) {
  auto client = meet(fault(FaultKind::silence));
  client->send(echo(*client));
  EXPECT_TRUE(client->is_quiet());
  EXPECT_EQ(connect_negotiated()->log_on("bob").header.nt_status(), NtStatus::success);
}

TEST_F(AnswerFaultsTest, ClosingSendsFin) {
  auto client = meet(fault(FaultKind::close));
  client->send(echo(*client));
  EXPECT_EQ(client->end(), RawClient::End::fin);
}

TEST_F(AnswerFaultsTest, ResettingSendsRst) {
  auto client = meet(fault(FaultKind::reset));
  client->send(echo(*client));
  EXPECT_EQ(client->end(), RawClient::End::reset);
}

TEST_F(AnswerFaultsTest, AnEndWithinAnAnswerIsThereToTheByte) {
  auto client = meet(fault(FaultKind::close_within, 10));
  client->send(echo(*client));
  const Octets got = client->read(100);
  EXPECT_EQ(got.size(), 14U);
  EXPECT_EQ(load_be<std::uint32_t>(got.data()), echo_bytes);
  EXPECT_EQ(client->end(), RawClient::End::fin);
}

TEST_F(AnswerFaultsTest, AResetWithinAnAnswerToo) {
  auto client = meet(fault(FaultKind::reset_within, 10));
  client->send(echo(*client));
  EXPECT_EQ(client->end(), RawClient::End::reset);
}

TEST_F(AnswerFaultsTest, LengthsCanLie) {
  auto client = meet({fault(FaultKind::truncate, 66), fault(FaultKind::trailing_bytes, 9)});
  client->send(echo(*client));
  EXPECT_EQ(client->receive_frame().size(), 66U) << "both: cut behind the zeros";
  stop();
  settings_.faults = {};
  client = meet(fault(FaultKind::trailing_bytes, 9));
  client->send(echo(*client));
  EXPECT_EQ(client->receive_frame().size(), echo_bytes + 9);
  stop();
  settings_.faults = {};
  client = meet(fault(FaultKind::frame_length, 0xABCDEF));
  client->send(echo(*client));
  EXPECT_EQ(load_be<std::uint32_t>(client->read(4).data()), 0xABCDEFU);
}

TEST_F(AnswerFaultsTest, RawBytesReplaceTheAnswer) {
  Fault frame = fault(FaultKind::raw_frame);
  frame.data = octets("framed");
  auto client = meet(frame);
  client->send(echo(*client));
  EXPECT_EQ(client->receive_frame(), octets("framed"));
  stop();
  settings_.faults = {};
  Fault raw = fault(FaultKind::raw_bytes);
  raw.data = octets("bare");
  client = meet(raw);
  client->send(echo(*client));
  EXPECT_EQ(client->read(4), octets("bare"));
  EXPECT_TRUE(client->is_quiet());
}

TEST_F(AnswerFaultsTest, AnAnswerIsReplayed) {
  auto client = meet(fault(FaultKind::replay_answer));
  client->send(echo(*client));
  const Element first = client->receive();
  EXPECT_EQ(client->receive().bytes, first.bytes);
}

TEST_F(AnswerFaultsTest, HeadersFieldsAndBytesAreChangedBeforeTheyAreSigned) {
  Fault id = fault(FaultKind::set_header, 77);
  id.field = "message_id";
  Fault patch = fault(FaultKind::patch, 0x1234);
  patch.offset = wire::header_bytes + 2;
  patch.width = 2;
  auto client = meet({id, patch});
  const Element answer = client->ask(echo(*client), As::signed_message);
  EXPECT_EQ(answer.header.message_id, 77U);
  EXPECT_EQ(load_le<std::uint16_t>(answer.bytes.data() + wire::header_bytes + 2), 0x1234);
  EXPECT_TRUE(client->verifies(answer));
}

TEST_F(AnswerFaultsTest, AFieldOfTheBodyLies) {
  Fault lie = fault(FaultKind::set_field, 0xFFFF);
  lie.field = "security_buffer_length";
  add_fault(Command::session_setup, lie);
  start();
  auto client = connect_negotiated();
  wire::SessionSetupRequest body;
  const Octets token = octets("alice");
  body.security_buffer = token;
  client->send(client->request(body));
  const Octets frame = client->receive_frame();
  EXPECT_EQ(load_le<std::uint16_t>(frame.data() + wire::header_bytes + 6), 0xFFFF);
}

TEST_F(AnswerFaultsTest, SignaturesAreDamagedOrLeftOut) {
  auto client = meet(fault(FaultKind::wrong_signature));
  const Element wrong = client->ask(echo(*client), As::signed_message);
  EXPECT_TRUE(wrong.header.is_signed());
  EXPECT_FALSE(client->verifies(wrong));
  EXPECT_TRUE(client->verifies(client->ask(echo(*client), As::signed_message)));
  stop();
  settings_.faults = {};
  client = meet(fault(FaultKind::unsigned_answer));
  EXPECT_FALSE(client->ask(echo(*client), As::signed_message).header.is_signed());
}

TEST_F(AnswerFaultsTest, SealsAreDamagedOrLeftOut) {
  auto client = meet(fault(FaultKind::plain_answer));
  EXPECT_EQ(client->status_of(echo(*client), As::sealed), NtStatus::success);
  EXPECT_FALSE(client->last_was_sealed);
  stop();
  settings_.faults = {};
  client = meet(fault(FaultKind::wrong_tag));
  client->send(echo(*client), As::sealed);
  Octets frame = client->receive_frame();
  EXPECT_FALSE(client->session.sealer->unseal(frame));
}

TEST_F(AnswerFaultsTest, CreditsAreWithheldAndComeWithAnInterimAnswer) {
  Fault pending = fault(FaultKind::pending);
  auto client = meet({fault(FaultKind::credits, 0)});
  EXPECT_EQ(client->ask(echo(*client)).header.credits, 0);
  client->send(echo(*client));
  EXPECT_TRUE(client->sees_end()) << "there is no credit left";
  stop();
  settings_.faults = {};
  client = meet({fault(FaultKind::credits, 500), pending});
  const Element interim = client->ask(echo(*client));
  EXPECT_EQ(status(interim), NtStatus::pending);
  EXPECT_EQ(interim.header.credits, 500);
  EXPECT_EQ(client->receive().header.credits, 0);
}

TEST_F(AnswerFaultsTest, ANodeDiesInsteadOfTheAnswer) {
  auto client = meet(fault(FaultKind::restart_node));
  client->send(echo(*client));
  EXPECT_TRUE(client->sees_end());
}

class ConnectionFaultTest : public ServerTest {
 protected:
  void add(ConnectionFault fault) { settings_.faults.add(fault); }
};

TEST_F(ConnectionFaultTest, TheEndComesBehindTheByteThatWasSent) {
  ConnectionFault fault;
  fault.what = ConnectionFault::What::close;
  fault.connection = 2;
  fault.sent_bytes = 100;
  add(fault);
  start();
  connect_negotiated();
  auto client = connect();
  client->send(client->request(client->negotiation()));
  EXPECT_EQ(client->read(1000).size(), 100U);
}

TEST_F(ConnectionFaultTest, TheEndComesAtTheByteThatCameIn) {
  for (const auto what : {ConnectionFault::What::close, ConnectionFault::What::reset}) {
    settings_.faults = {};
    ConnectionFault fault;
    fault.what = what;
    fault.received_bytes = 50;
    add(fault);
    start();
    auto client = connect();
    const Octets request = client->request(client->negotiation());
    client->send_bytes(Octets(3));
    EXPECT_TRUE(client->is_quiet());
    client->send(request);
    EXPECT_EQ(client->end(),
              what == ConnectionFault::What::close ? RawClient::End::fin : RawClient::End::reset);
    stop();
  }
}

TEST_F(ConnectionFaultTest, TheEndComesWithTheMessage) {
  ConnectionFault fault;
  fault.what = ConnectionFault::What::reset;
  fault.received_messages = 2;
  add(fault);
  start();
  auto client = connect_negotiated();
  client->send(client->request(wire::EchoRequest{}));
  EXPECT_EQ(client->end(), RawClient::End::reset);
}

TEST_F(ConnectionFaultTest, AConnectionFallsSilent) {
  ConnectionFault fault;
  fault.what = ConnectionFault::What::silence;
  fault.received_messages = 2;
  add(fault);
  start();
  auto client = connect_negotiated();
  client->send(client->request(wire::EchoRequest{}));
  EXPECT_TRUE(client->is_quiet());
}

}  // namespace
}  // namespace smb3::server::test
