// Which answer belongs to which request, and answers that belong to none. Frames, good and bad.
#include "support/connection_fixture.h"
#include "wire/write.h"

namespace smb3::test {
namespace {

using Replies = ConnectionTest;

TEST_F(Replies, MayComeInAnyOrder) {
  connect_negotiated(8);
  std::vector<Asking> asked;
  std::vector<Element> requests;
  for (int i = 0; i < 4; ++i) {
    asked.push_back(start({echo}));
    requests.push_back(peer_.receive());
    EXPECT_EQ(requests.back().header.message_id, static_cast<std::uint64_t>(i + 1));
  }
  for (int i : {2, 0, 3, 1}) {
    EXPECT_FALSE(asked[i]->ended_within(milliseconds(0)));
    peer_.send_frame(refusal(requests[i], static_cast<NtStatus>(0xC0001000 + i)));
    auto outcome = asked[i]->result();
    ASSERT_TRUE(outcome) << describe(outcome.error());
    EXPECT_EQ(outcome->front().status, static_cast<NtStatus>(0xC0001000 + i));
  }
}

TEST_F(Replies, MayShareAFrameThoughTheirRequestsDidNot) {
  connect_negotiated(8);
  auto first = start({echo});
  const Element one = peer_.receive();
  auto second = start({echo});
  const Element two = peer_.receive();
  peer_.send_frame(
      compound({answer(two, wire::EchoResponse{}), refusal(one, NtStatus::no_memory)}));
  EXPECT_EQ(first->result().value().front().status, NtStatus::no_memory);
  EXPECT_EQ(second->result().value().front().status, NtStatus::success);
}

Prepare write_of(std::size_t bytes) {
  return [=](Request& request) {
    static const Octets data(100, std::byte{0x5A});
    wire::WriteRequest message;
    message.data = Bytes(data).first(bytes);
    request.set(message);
  };
}

TEST_F(Replies, ARequestCompoundIsPaddedAndRelated) {
  connect_negotiated(8);
  auto asked = start({write_of(13), write_of(16), write_of(5)});
  const Octets frame = peer_.receive_frame();
  const auto requests = split(frame);
  ASSERT_EQ(requests.size(), 3U);
  EXPECT_EQ(requests[0].bytes.size(), 128U);  // 64 + 48 + 13, padded to 8
  EXPECT_EQ(requests[1].bytes.size(), 128U);
  EXPECT_EQ(requests[2].bytes.size(), 117U) << "the last needs no padding";
  for (std::size_t i = 0; i < 3; ++i) {
    const auto& header = requests[i].header;
    EXPECT_EQ(header.message_id, i + 1);
    EXPECT_EQ(wire::has(header.flags, wire::HeaderFlags::related_operations), i != 0);
    EXPECT_EQ(header.next_command, i == 2 ? 0U : 128U);
    EXPECT_EQ(header.credit_charge, 1U);
    EXPECT_GE(header.credits, 1U);
    const auto write = requests[i].as<wire::WriteRequest>();
    EXPECT_TRUE(std::ranges::all_of(write.data, [](auto b) { return b == std::byte{0x5A}; }));
  }
  EXPECT_EQ(requests[0].as<wire::WriteRequest>().data.size(), 13U);
  for (std::size_t at = 125; at < 128; ++at) EXPECT_EQ(frame[at], std::byte{0});

  // Two of the answers in one frame, one alone.
  wire::WriteResponse response;
  peer_.send_frame(compound({answer(requests[0], response), answer(requests[2], response)}));
  EXPECT_FALSE(asked->ended_within(a_while));
  peer_.send_frame(refusal(requests[1], NtStatus::disk_full));
  const auto outcomes = asked->result().value();
  ASSERT_EQ(outcomes.size(), 3U);
  EXPECT_EQ(outcomes[0].status, NtStatus::success);
  EXPECT_EQ(outcomes[1].status, NtStatus::disk_full);
  EXPECT_EQ(outcomes[2].status, NtStatus::success);
}

TEST_F(Replies, APaddedAnswerKeepsItsPadding) {
  connect_negotiated(8);
  auto asked = start({echo, echo});
  const auto requests = peer_.receive_compound();
  ASSERT_EQ(requests.size(), 2U);
  Octets last = answer(requests[1], wire::EchoResponse{});
  last.resize(last.size() + 3);
  peer_.send_frame(compound({answer(requests[0], wire::EchoResponse{}), last}, 16));
  const auto outcomes = asked->result().value();
  EXPECT_EQ(outcomes[0].message.size(), 72U + 16U);
  EXPECT_EQ(outcomes[1].message.size(), 68U + 3U);
}

// The data of a READ, where it lies once it was received.
Task<std::uintptr_t> read_address(Connection& connection) {
  Request request;
  read_of(65536, 1)(request);
  Exchange exchange(request);
  exchange.reservation = co_await connection.pool().reserve();
  auto answered = co_await connection.transact(exchange);
  co_await std::move(answered);
  auto response = co_await wire::decode<wire::ReadResponse>(request.reply->message);
  if (response.data.size() != 65536) co_return Error(ErrorKind::failed, "short");
  co_return reinterpret_cast<std::uintptr_t>(response.data.data());
}

TEST_F(Replies, TheDataOfALargeReadLandsOnAPage) {
  connect_negotiated(8);
  Running<std::uintptr_t> reading(reactor(), [this] { return read_address(*connection_); });
  const Element request = peer_.receive();
  const Octets data(65536, std::byte{1});
  wire::ReadResponse response;
  response.data = data;
  peer_.send_frame(answer(request, response));
  auto address = reading.result();
  ASSERT_TRUE(address) << describe(address.error());
  EXPECT_EQ(*address % 4096, 0U);
}

struct Wrong {
  const char* name;
  Edit edit;
  const char* words;
};
class WrongReply : public ConnectionTest, public testing::WithParamInterface<Wrong> {};

TEST_P(WrongReply, EndsTheConnection) {
  connect_negotiated(8);
  auto asked = start({read_of(100, 1)});
  auto other = start({echo});
  const Element request = peer_.receive();
  peer_.receive();
  wire::ReadResponse response;
  response.data = Bytes(request.bytes).first(10);
  peer_.send_frame(answer(request, response, GetParam().edit));
  EXPECT_TRUE(fails(asked->result(), ErrorKind::protocol, GetParam().words));
  EXPECT_TRUE(fails(other->result(), ErrorKind::protocol, GetParam().words));
  EXPECT_TRUE(peer_.sees_end());
  EXPECT_TRUE(fails(start({echo})->result(), ErrorKind::protocol, GetParam().words));
}

using Header = wire::PacketHeader;
const Wrong wrongs[] = {
    {"UnknownMessageId", [](Header& h) { h.message_id += 5; }, "answers no outstanding request"},
    {"MessageIdWithinACharge", [](Header& h) { h.message_id = 0; }, "no outstanding request"},
    {"NoMessageId", [](Header& h) { h.message_id = wire::unsolicited_message_id; }, "MessageId"},
    {"OtherCommand", [](Header& h) { h.command = wire::Command::write; }, "another command"},
    {"OtherSession", [](Header& h) { h.session_id = 8; }, "another session"},
    {"OtherTree", [](Header& h) { h.tree_id = 6; }, "another tree connect"},
    {"NotAResponse", [](Header& h) { h.flags = {}; }, "not marked as a response"},
    {"TooManyCredits", [](Header& h) { h.credits = 65535; }, "more than 65535 credits"},
    {"PendingButSynchronous", [](Header& h) { h.status = 0x103; }, "no AsyncId"},
    {"PendingWithoutAsyncId",
     [](Header& h) {
       async(0)(h);
       h.status = 0x103;
     },
     "no AsyncId"},
    {"NextElementOutside", [](Header& h) { h.next_command = 800; }, "next_command"},
    {"NextElementInside", [](Header& h) { h.next_command = 8; }, "next_command"},
};
INSTANTIATE_TEST_SUITE_P(All, WrongReply, testing::ValuesIn(wrongs),
                         [](const auto& info) { return std::string(info.param.name); });

TEST_F(Replies, OneAnsweredTwiceEndsTheConnection) {
  connect_negotiated(8);
  auto asked = start({echo});
  const Octets reply = answer(peer_.receive(), wire::EchoResponse{});
  peer_.send_frame(reply);
  EXPECT_TRUE(asked->result());
  peer_.send_frame(reply);
  EXPECT_TRUE(peer_.sees_end());
  EXPECT_TRUE(fails(start({echo})->result(), ErrorKind::protocol, "no outstanding request"));
}

// What follows a bad element of a compound is not looked at.
TEST_F(Replies, AfterABadElementNoneIsDelivered) {
  connect_negotiated(8);
  auto asked = start({echo, echo});
  const auto requests = peer_.receive_compound();
  ASSERT_EQ(requests.size(), 2U);
  const auto bad = [](Header& header) { header.session_id = 9; };
  peer_.send_frame(compound(
      {answer(requests[0], wire::EchoResponse{}, bad), answer(requests[1], wire::EchoResponse{})}));
  EXPECT_TRUE(fails(asked->result(), ErrorKind::protocol, "another session"));
}

using Frames = ConnectionTest;

TEST_F(Frames, FirstByteMustBeZero) {
  connect_negotiated(8);
  auto asked = start({echo});
  peer_.receive();
  peer_.send_prefix(0x85000044);
  EXPECT_TRUE(fails(asked->result(), ErrorKind::protocol, "zero byte"));
  EXPECT_TRUE(peer_.sees_end());
}

TEST_F(Frames, MustHoldAHeaderAndABody) {
  connect_negotiated(8);
  auto asked = start({echo});
  peer_.receive();
  peer_.send_prefix(65);
  EXPECT_TRUE(fails(asked->result(), ErrorKind::protocol, "too short"));
}

TEST_F(Frames, MayNotBeLargerThanAnyRequestAllows) {
  connect_negotiated(8);
  auto asked = start({echo});
  peer_.receive();
  peer_.send_prefix(limits::large_frame_bytes + 1);
  EXPECT_TRUE(fails(asked->result(), ErrorKind::protocol, "larger than anything"));
}

TEST_F(Frames, AreSmallBeforeNegotiate) {
  connect();
  auto asked = start({echo});
  peer_.receive();
  peer_.send_prefix(limits::first_frame_bytes + 1);
  EXPECT_TRUE(fails(asked->result(), ErrorKind::protocol, "larger than anything"));
}

TEST_F(Frames, OfSmb1AreRefused) {
  connect_negotiated(8);
  auto asked = start({echo});
  peer_.receive();
  Octets smb1(100);
  store_le<std::uint32_t>(smb1.data(), 0x424D53FF);
  peer_.send_frame(smb1);
  EXPECT_TRUE(fails(asked->result(), ErrorKind::protocol, "protocol_id"));
}

TEST_F(Frames, MoreLargeOnesThanBuffersEndTheConnection) {
  connect_negotiated(8, patience, 3);
  auto asked = start({echo, echo, echo, echo});
  const auto requests = peer_.receive_compound();
  ASSERT_EQ(requests.size(), 4U);
  for (const Element& request : requests) {
    Octets large = answer(request, wire::EchoResponse{});
    large.resize(limits::small_frame_bytes + 1);
    peer_.send_frame(large);
  }
  EXPECT_TRUE(fails(asked->result(), ErrorKind::protocol, "more large frames"));
  EXPECT_EQ(on_reactor([this] { return pool_->free_buffers(); }), 3U);
}

TEST_F(Frames, ALargeOneThatNobodyAskedForIsTakenWhileABufferIsFree) {
  connect_negotiated(8, patience, 2);
  for (int i = 0; i < 5; ++i) {
    auto asked = start({echo});
    Octets large = answer(peer_.receive(), wire::EchoResponse{});
    large.resize(limits::large_frame_bytes);
    peer_.send_frame(large);
    EXPECT_EQ(asked->result().value().front().message.size(), limits::large_frame_bytes);
  }
}

TEST_F(Frames, ThePeerMayCloseWithinAPrefix) {
  connect_negotiated(8);
  auto asked = start({echo});
  peer_.receive();
  peer_.send(Octets(2));
  peer_.close();
  EXPECT_TRUE(fails(asked->result(), ErrorKind::disconnected, "closed the connection"));
}

TEST_F(Frames, ThePeerMayCloseWithinAFrame) {
  connect_negotiated(8);
  auto asked = start({echo});
  const Octets reply = answer(peer_.receive(), wire::EchoResponse{});
  peer_.send_prefix(static_cast<std::uint32_t>(reply.size()));
  peer_.send(Bytes(reply).first(67));
  peer_.close();
  EXPECT_TRUE(fails(asked->result(), ErrorKind::disconnected, "closed the connection"));
}

TEST_F(Frames, ThePeerMayCloseWhileNothingIsOutstanding) {
  connect_negotiated(8);
  peer_.close();
  EXPECT_TRUE(fails(start({echo})->result(), ErrorKind::disconnected, "closed the connection"));
}

TEST_F(Frames, MayComeByteByByte) {
  connect_negotiated(8);
  auto asked = start({echo});
  const Octets reply = answer(peer_.receive(), wire::EchoResponse{});
  peer_.send_prefix(static_cast<std::uint32_t>(reply.size()));
  for (std::byte byte : reply) peer_.send(Bytes(&byte, 1));
  EXPECT_TRUE(asked->result());
}

}  // namespace
}  // namespace smb3::test
