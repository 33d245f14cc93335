// Requests that take long: interim responses, CANCEL, and breaks of oplocks.
#include "support/connection_fixture.h"
#include "wire/cancel.h"
#include "wire/oplock_break.h"

namespace smb3::test {
namespace {

using Async = ConnectionTest;

TEST_F(Async, TheFinalAnswerFollowsTheInterimOne) {
  connect_negotiated(8);
  auto asked = start({read_of(100, 1)});
  const Element request = peer_.receive();
  peer_.send_frame(interim(request, 77));
  EXPECT_FALSE(asked->ended_within(a_while));
  peer_.send_frame(refusal(request, NtStatus::end_of_file, async(77)));
  EXPECT_EQ(asked->result().value().front().status, NtStatus::end_of_file);
  expect_alive();
}

// Without an interim response before it, an answer in the asynchronous form is taken as well.
TEST_F(Async, AnAsynchronousAnswerNeedsNoInterimOne) {
  connect_negotiated(8);
  auto asked = start({read_of(100, 1)});
  peer_.send_frame(refusal(peer_.receive(), NtStatus::end_of_file, async(77)));
  EXPECT_TRUE(asked->result());
}

TEST_F(Async, TwoInterimAnswersEndTheConnection) {
  connect_negotiated(8);
  auto asked = start({read_of(100, 1)});
  const Element request = peer_.receive();
  peer_.send_frame(interim(request, 77));
  peer_.send_frame(interim(request, 77));
  EXPECT_TRUE(fails(asked->result(), ErrorKind::protocol, "two interim responses"));
}

TEST_F(Async, AnotherAsyncIdEndsTheConnection) {
  connect_negotiated(8);
  auto asked = start({read_of(100, 1)});
  const Element request = peer_.receive();
  peer_.send_frame(interim(request, 77));
  peer_.send_frame(refusal(request, NtStatus::end_of_file, async(78)));
  EXPECT_TRUE(fails(asked->result(), ErrorKind::protocol, "another AsyncId"));
}

TEST_F(Async, ASynchronousAnswerAfterAnInterimOneEndsTheConnection) {
  connect_negotiated(8);
  auto asked = start({read_of(100, 1)});
  const Element request = peer_.receive();
  peer_.send_frame(interim(request, 77));
  peer_.send_frame(refusal(request, NtStatus::end_of_file));
  EXPECT_TRUE(fails(asked->result(), ErrorKind::protocol, "synchronous"));
}

TEST_F(Async, InterimAnswersAreHeldToTheLimitOfCredits) {
  connect_negotiated(8);
  auto asked = start({read_of(100, 1)});
  peer_.send_frame(interim(peer_.receive(), 77, 65535));
  EXPECT_TRUE(fails(asked->result(), ErrorKind::protocol, "65535 credits"));
}

class Cancel : public ConnectionTest {
 protected:
  // A READ whose request can be named; both are known once it has arrived.
  Asking start_read() {
    return start({[this](Request& request) {
      read_of(100, 1)(request);
      request_ = &request;
    }});
  }
  void cancel() {
    on_reactor([this] { connection_->cancel(*request_); });
  }
  Request* request_ = nullptr;  // only for the reactor's thread
};

TEST_F(Cancel, BeforeAnInterimAnswerNamesTheMessage) {
  connect_negotiated(8);
  auto asked = start_read();
  const Element read = peer_.receive();
  cancel();
  const Element cancelled = peer_.receive();
  EXPECT_EQ(cancelled.header.command, wire::Command::cancel);
  EXPECT_EQ(cancelled.header.message_id, read.header.message_id);
  EXPECT_FALSE(cancelled.header.is_async());
  EXPECT_EQ(cancelled.header.session_id, 7U);
  EXPECT_EQ(cancelled.header.tree_id, 5U);
  EXPECT_EQ(cancelled.header.credit_charge, 0U);
  EXPECT_EQ(cancelled.header.credits, 0U);
  cancelled.as<wire::CancelRequest>();
  EXPECT_FALSE(asked->ended_within(a_while)) << "its answer still comes";
  peer_.send_frame(refusal(read, NtStatus::cancelled));
  EXPECT_EQ(asked->result().value().front().status, NtStatus::cancelled);
  auto next = start({echo});
  const Element after = peer_.receive();
  EXPECT_EQ(after.header.message_id, read.header.message_id + 1) << "CANCEL takes no id";
  peer_.send_frame(answer(after, wire::EchoResponse{}));
  EXPECT_TRUE(next->result());
}

TEST_F(Cancel, AfterAnInterimAnswerNamesItsAsyncId) {
  connect_negotiated(8);
  auto asked = start_read();
  const Element read = peer_.receive();
  peer_.send_frame(interim(read, 0x1234));
  auto barrier = start({echo});  // once it is answered the interim answer has been seen
  peer_.send_frame(answer(peer_.receive(), wire::EchoResponse{}));
  ASSERT_TRUE(barrier->result());
  on_reactor([this] { connection_->cancel_pending(); });
  const Element cancelled = peer_.receive();
  EXPECT_EQ(cancelled.header.command, wire::Command::cancel);
  EXPECT_TRUE(cancelled.header.is_async());
  EXPECT_EQ(cancelled.header.async_id, 0x1234U);
  EXPECT_EQ(cancelled.header.message_id, read.header.message_id);
  peer_.send_frame(refusal(read, NtStatus::cancelled, async(0x1234)));
  EXPECT_TRUE(asked->result());
}

TEST_F(Cancel, OfAllThatPendsLeavesTheRestAlone) {
  connect_negotiated(8);
  auto asked = start_read();
  const Element read = peer_.receive();
  on_reactor([this] { connection_->cancel_pending(); });
  EXPECT_TRUE(peer_.is_quiet());
  peer_.send_frame(refusal(read, NtStatus::end_of_file));
  EXPECT_TRUE(asked->result());
}

TEST_F(Cancel, GoesOutWithoutCredits) {
  connect_negotiated(1);
  auto asked = start_read();
  const Element read = peer_.receive();
  cancel();
  EXPECT_EQ(peer_.receive().header.command, wire::Command::cancel);
  peer_.send_frame(refusal(read, NtStatus::cancelled));
  EXPECT_TRUE(asked->result());
}

class OplockBreaks : public ConnectionTest {
 protected:
  static constexpr wire::FileId file_id{0x11, 0x22};

  void connect_holding(wire::OplockLevel level) {
    connect_negotiated(8);
    record_.file_id = file_id;
    record_.session_id = 7;
    record_.tree_id = 5;
    record_.oplock_level = static_cast<std::uint8_t>(level);
    on_reactor([this] { connection_->add_open(record_); });
  }
  template <wire::Message M>
  void notify(const M& body) {
    wire::PacketHeader header;
    header.command = wire::Command::oplock_break;
    header.flags = wire::HeaderFlags::server_to_redir;
    header.message_id = wire::unsolicited_message_id;
    peer_.send_frame(message(header, body));
  }
  void notify(wire::OplockLevel level, wire::FileId id = file_id) {
    wire::OplockBreakNotification body;
    body.oplock_level = level;
    body.file_id = id;
    notify(body);
  }
  void expect_acknowledged(wire::OplockLevel level) {
    const Element request = peer_.receive();
    EXPECT_EQ(request.header.command, wire::Command::oplock_break);
    EXPECT_EQ(request.header.session_id, 7U);
    EXPECT_EQ(request.header.tree_id, 5U);
    const auto acknowledgment = request.as<wire::OplockBreakAcknowledgment>();
    EXPECT_EQ(acknowledgment.oplock_level, level);
    EXPECT_EQ(acknowledgment.file_id, file_id);
    peer_.send_frame(answer(request, wire::OplockBreakResponse{}));
    expect_held(level);
  }
  void expect_held(wire::OplockLevel level) {
    EXPECT_EQ(on_reactor([this] { return record_.oplock_level; }),
              static_cast<std::uint8_t>(level));
  }
  void TearDown() override {
    on_reactor([this] { connection_->remove_open(record_); });
    ConnectionTest::TearDown();
  }

  OpenRecord record_;
};

using wire::OplockLevel;

TEST_F(OplockBreaks, OfBatchIsAcknowledgedAtOnce) {
  connect_holding(OplockLevel::batch);
  notify(OplockLevel::level_ii);
  expect_acknowledged(OplockLevel::level_ii);
  expect_alive();
}

TEST_F(OplockBreaks, OfExclusiveToNothingIsAcknowledged) {
  connect_holding(OplockLevel::exclusive);
  notify(OplockLevel::none);
  expect_acknowledged(OplockLevel::none);
}

TEST_F(OplockBreaks, ARefusedAcknowledgmentIsNoFault) {
  connect_holding(OplockLevel::exclusive);
  notify(OplockLevel::none);
  peer_.send_frame(refusal(peer_.receive(), NtStatus::invalid_parameter));
  expect_alive();
}

TEST_F(OplockBreaks, OfLevelIiIsNotAcknowledged) {
  connect_holding(OplockLevel::level_ii);
  notify(OplockLevel::none);
  EXPECT_TRUE(peer_.is_quiet());
  expect_alive();
  expect_held(OplockLevel::none);
}

// Nothing proves that a break comes from the server.
TEST_F(OplockBreaks, NeverGiveMoreThanWasHeld) {
  connect_holding(OplockLevel::none);
  notify(OplockLevel::batch);
  EXPECT_TRUE(peer_.is_quiet());
  expect_alive();
  expect_held(OplockLevel::none);
}

TEST_F(OplockBreaks, OfAnUnknownFileAreIgnored) {
  connect_holding(OplockLevel::batch);
  notify(OplockLevel::none, {0x11, 0x23});
  EXPECT_TRUE(peer_.is_quiet());
  expect_alive();
  expect_held(OplockLevel::batch);
}

TEST_F(OplockBreaks, OfLeasesAreIgnored) {
  connect_holding(OplockLevel::batch);
  notify(wire::LeaseBreakNotification{});
  expect_alive();
}

}  // namespace
}  // namespace smb3::test
