// Credits: how many requests are in flight, and what happens when they do not suffice.
#include "support/connection_fixture.h"

namespace smb3::test {
namespace {

using Credits = ConnectionTest;

TEST_F(Credits, TheFirstRequestAsksForTheTarget) {
  connect();
  auto asked = start({echo});
  const Element request = peer_.receive();
  EXPECT_EQ(request.header.message_id, 0U);
  EXPECT_EQ(request.header.credits, limits::credit_target);
  EXPECT_EQ(request.header.credit_charge, 0U) << "before NEGOTIATE there is no multi-credit";
  peer_.send_frame(answer(request, wire::EchoResponse{}));
  EXPECT_TRUE(asked->result());
}

TEST_F(Credits, AChargeTakesSoManyMessageIds) {
  connect_negotiated(40);
  auto first = start({read_of(1 << 20, 16)});
  const Element one = peer_.receive();
  EXPECT_EQ(one.header.message_id, 1U);
  EXPECT_EQ(one.header.credit_charge, 16U);
  auto second = start({echo});
  const Element two = peer_.receive();
  EXPECT_EQ(two.header.message_id, 17U);
  peer_.send_frame(refusal(one, NtStatus::end_of_file));
  peer_.send_frame(answer(two, wire::EchoResponse{}));
  EXPECT_TRUE(first->result());
  EXPECT_TRUE(second->result());
}

TEST_F(Credits, OneForEverMeansOneAtATime) {
  connect_negotiated(1);
  std::vector<Asking> asked;
  for (int i = 0; i < 6; ++i) asked.push_back(start({echo}));
  for (std::uint64_t i = 0; i < 6; ++i) {
    const Element request = peer_.receive();
    EXPECT_EQ(request.header.message_id, i + 1);
    if (i < 2) {
      EXPECT_TRUE(peer_.is_quiet());
    }
    peer_.send_frame(answer(request, wire::EchoResponse{}, granting(1)));
  }
  for (auto& each : asked) EXPECT_TRUE(each->result());
}

TEST_F(Credits, AnInterimResponseMayBringThem) {
  connect_negotiated(1);
  auto first = start({echo});
  const Element one = peer_.receive();
  auto second = start({echo});
  EXPECT_TRUE(peer_.is_quiet());
  peer_.send_frame(interim(one, 99, 2));
  const Element two = peer_.receive();
  EXPECT_EQ(two.header.message_id, 2U);
  peer_.send_frame(answer(two, wire::EchoResponse{}, granting(0)));
  EXPECT_TRUE(second->result());
  peer_.send_frame(answer(one, wire::EchoResponse{}, async(99)));
  EXPECT_TRUE(first->result());
  expect_alive();
}

TEST_F(Credits, NoneAtAllEndsTheConnection) {
  connect_negotiated(1);
  auto first = start({echo});
  const Element one = peer_.receive();
  auto second = start({echo});
  peer_.send_frame(answer(one, wire::EchoResponse{}, granting(0)));
  EXPECT_TRUE(first->result());
  EXPECT_TRUE(fails(second->result(), ErrorKind::protocol, "grants no more credits"));
  EXPECT_TRUE(peer_.sees_end());
}

TEST_F(Credits, NoneAtAllIsNoFaultWhileNothingIsAsked) {
  connect_negotiated(1);
  auto first = start({echo});
  peer_.send_frame(answer(peer_.receive(), wire::EchoResponse{}, granting(0)));
  EXPECT_TRUE(first->result());
  EXPECT_TRUE(peer_.is_quiet());
  EXPECT_TRUE(fails(start({echo})->result(), ErrorKind::protocol, "grants no more credits"));
}

TEST_F(Credits, TooLargeARequestIsStarvedAndTheNextOneGoes) {
  connect_negotiated(3);
  bool starved = false;
  auto large = start({read_of(1 << 20, 16)}, &starved);
  EXPECT_TRUE(fails(large->result(), ErrorKind::protocol, "fewer credits than the request takes"));
  EXPECT_TRUE(starved);
  expect_alive();
  EXPECT_EQ(on_reactor([this] { return connection_->charge_limit(); }), 3U);
}

TEST_F(Credits, ARequestWaitsWhileAnswersMayBringEnough) {
  connect_negotiated(16);
  auto first = start({read_of(1 << 20, 16)});
  const Element one = peer_.receive();
  bool starved = false;
  auto second = start({read_of(1 << 20, 16)}, &starved);
  EXPECT_TRUE(peer_.is_quiet());
  peer_.send_frame(refusal(one, NtStatus::end_of_file));  // gives back all 16
  const Element two = peer_.receive();
  EXPECT_EQ(two.header.message_id, 17U);
  peer_.send_frame(refusal(two, NtStatus::end_of_file));
  EXPECT_TRUE(first->result());
  EXPECT_TRUE(second->result());
  EXPECT_FALSE(starved);
}

TEST_F(Credits, ARequestIsStarvedWhenAnswersBringTooFew) {
  connect_negotiated(16);
  auto first = start({read_of(1 << 20, 16)});
  const Element one = peer_.receive();
  bool starved = false;
  auto second = start({read_of(1 << 20, 16)}, &starved);
  auto third = start({echo});
  EXPECT_TRUE(peer_.is_quiet()) << "the queue keeps its order";
  peer_.send_frame(refusal(one, NtStatus::end_of_file, granting(4)));
  EXPECT_FALSE(second->result());
  EXPECT_TRUE(starved);
  EXPECT_FALSE(peer_.is_quiet(milliseconds(5000))) << "the next one goes at once";
  peer_.send_frame(answer(peer_.receive(), wire::EchoResponse{}));
  EXPECT_TRUE(first->result());
  EXPECT_TRUE(third->result());
}

// Found by the simulation: a server that takes one credit back while all of them are in use.
TEST_F(Credits, ARequestIsStarvedWhileOthersUseAllThereAre) {
  connect_negotiated(4);
  auto first = start({read_of(1 << 18, 4)});
  const Element one = peer_.receive();
  bool starved = false;
  auto second = start({read_of(1 << 19, 8)}, &starved);
  EXPECT_TRUE(fails(second->result(), ErrorKind::protocol, "fewer credits"));
  EXPECT_TRUE(starved);
  peer_.send_frame(refusal(one, NtStatus::end_of_file));
  EXPECT_TRUE(first->result());
  expect_alive();
}

TEST_F(Credits, NoMoreThan1024RequestsAreOutstanding) {
  connect_negotiated(2000);
  constexpr std::size_t more = 20;
  std::vector<Asking> asked;
  for (std::size_t i = 0; i < limits::requests_max + more; ++i) asked.push_back(start({echo}));
  std::vector<Element> requests;
  for (std::size_t i = 0; i < limits::requests_max; ++i) requests.push_back(peer_.receive());
  EXPECT_TRUE(peer_.is_quiet());
  for (std::size_t i = 0; i < requests.size(); ++i) {
    peer_.send_frame(answer(requests[i], wire::EchoResponse{}));
    if (i < more) requests.push_back(peer_.receive());
  }
  for (auto& each : asked) EXPECT_TRUE(each->result());
}

}  // namespace
}  // namespace smb3::test
