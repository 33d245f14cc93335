// The silence deadline: who is given up, and who is only slow.
#include "support/connection_fixture.h"

#include <thread>

namespace smb3::test {
namespace {

using std::chrono::steady_clock;

class Silence : public ConnectionTest {
 protected:
  void SetUp() override {
    ConnectionTest::SetUp();
    begin_ = steady_clock::now();
  }
  milliseconds elapsed() const {
    return std::chrono::duration_cast<milliseconds>(steady_clock::now() - begin_);
  }
  void connect_with(milliseconds timeout) {
    connect_negotiated(64, timeout);
    begin_ = steady_clock::now();
  }
  // Answers every ECHO until `time` has passed or the client has gone; counts them.
  int answer_echoes(milliseconds time, bool with_interim = false) {
    int echoes = 0;
    while (elapsed() < time) {
      if (peer_.is_quiet(milliseconds(5))) continue;
      const Octets frame = peer_.receive_frame();
      if (frame.empty()) break;
      const Element request = split(frame).front();
      EXPECT_EQ(request.header.command, wire::Command::echo);
      if (with_interim) {
        peer_.send_frame(interim(request, 77));
        peer_.send_frame(answer(request, wire::EchoResponse{}, async(77)));
      } else {
        peer_.send_frame(answer(request, wire::EchoResponse{}));
      }
      ++echoes;
    }
    return echoes;
  }
  static bool timed_out(Result<AllAnswered> result) {
    return fails(std::move(result), ErrorKind::timed_out, "silent for too long");
  }

  steady_clock::time_point begin_;
};

TEST_F(Silence, ASilentPeerIsGivenUp) {
  connect_with(milliseconds(300));
  auto asked = start({read_of(100, 1)});
  EXPECT_EQ(peer_.receive().header.command, wire::Command::read);
  EXPECT_EQ(peer_.receive().header.command, wire::Command::echo) << "a probe before giving up";
  EXPECT_TRUE(timed_out(asked->result()));
  EXPECT_GE(elapsed(), milliseconds(300));
  EXPECT_LT(elapsed(), milliseconds(3000));
  EXPECT_TRUE(peer_.sees_end());
}

TEST_F(Silence, BeforeNegotiateThereAreNoProbes) {
  connect(milliseconds(300));
  auto asked = start({echo});
  peer_.receive();
  EXPECT_TRUE(fails(asked->result(), ErrorKind::timed_out, "NEGOTIATE"));
  EXPECT_EQ(peer_.read(1).size(), 0U);
}

TEST_F(Silence, APeerThatAnswersProbesAloneIsGivenUp) {
  connect_with(milliseconds(400));
  auto asked = start({read_of(100, 1)});
  peer_.receive();
  EXPECT_GE(answer_echoes(patience), 1);
  EXPECT_TRUE(timed_out(asked->result()));
  EXPECT_GE(elapsed(), milliseconds(400));
  EXPECT_LT(elapsed(), milliseconds(4000));
}

// Nor does what is said on the way to that answer count.
TEST_F(Silence, APeerThatIsLongInAnsweringProbesIsGivenUp) {
  connect_with(milliseconds(400));
  auto asked = start({read_of(100, 1)});
  peer_.receive();
  EXPECT_GE(answer_echoes(milliseconds(5000), true), 1);
  EXPECT_TRUE(timed_out(asked->result()));
  EXPECT_LT(elapsed(), milliseconds(4000));
}

TEST_F(Silence, ASlowAnswerIsWaitedFor) {
  connect_with(milliseconds(1000));
  auto asked = start({read_of(100, 1)});
  const Octets reply = refusal(peer_.receive(), NtStatus::end_of_file);
  peer_.send_prefix(static_cast<std::uint32_t>(reply.size()));
  const std::size_t fast = reply.size() - 25;
  peer_.send(Bytes(reply).first(fast));
  for (std::size_t i = fast; i < reply.size(); ++i) {
    std::this_thread::sleep_for(milliseconds(100));
    peer_.send(Bytes(reply).subspan(i, 1));
  }
  auto result = asked->result();
  EXPECT_TRUE(result) << describe(result.error());
  EXPECT_GE(elapsed(), milliseconds(2500));
}

// So slow that a probe goes out, which the peer cannot answer within its frame.
TEST_F(Silence, AProbeDoesNotHideSlowProgress) {
  connect_with(milliseconds(1500));
  auto asked = start({read_of(100, 1)});
  const Octets reply = refusal(peer_.receive(), NtStatus::end_of_file);
  peer_.send_prefix(static_cast<std::uint32_t>(reply.size()));
  const std::size_t fast = reply.size() - 4;
  peer_.send(Bytes(reply).first(fast));
  for (std::size_t i = fast; i < reply.size(); ++i) {
    std::this_thread::sleep_for(milliseconds(950));
    peer_.send(Bytes(reply).subspan(i, 1));
  }
  auto result = asked->result();
  EXPECT_TRUE(result) << describe(result.error());
  EXPECT_FALSE(peer_.is_quiet()) << "no probe was sent: the test shows nothing";
}

TEST_F(Silence, AServerThatSaidPendingAndLivesMayTakeLonger) {
  connect_with(milliseconds(400));
  auto asked = start({read_of(100, 1)});
  const Element request = peer_.receive();
  peer_.send_frame(interim(request, 5));
  EXPECT_GE(answer_echoes(milliseconds(1000)), 1);
  EXPECT_FALSE(asked->ended_within(milliseconds(0)));
  peer_.send_frame(refusal(request, NtStatus::end_of_file, async(5)));
  auto result = asked->result();
  EXPECT_TRUE(result) << describe(result.error());
}

TEST_F(Silence, EvenThenNotForEver) {
  connect_with(milliseconds(300));
  auto asked = start({read_of(100, 1)});
  peer_.send_frame(interim(peer_.receive(), 5));
  answer_echoes(patience);
  EXPECT_TRUE(timed_out(asked->result()));
  EXPECT_GE(elapsed(), milliseconds(1200));
  EXPECT_LT(elapsed(), milliseconds(6000));
}

TEST_F(Silence, AServerThatSaidPendingAndIsDeadMayNot) {
  connect_with(milliseconds(1000));
  auto asked = start({read_of(100, 1)});
  peer_.send_frame(interim(peer_.receive(), 5));
  EXPECT_TRUE(timed_out(asked->result()));
  EXPECT_GE(elapsed(), milliseconds(1000));
  EXPECT_LT(elapsed(), milliseconds(3500));
}

TEST_F(Silence, AnIdleConnectionStays) {
  connect_with(milliseconds(200));
  EXPECT_TRUE(peer_.is_quiet(milliseconds(700)));
  expect_alive();
}

// The time that the connection was idle is no silence.
TEST_F(Silence, TheClockStartsWithTheRequest) {
  connect_with(milliseconds(1000));
  EXPECT_TRUE(peer_.is_quiet(milliseconds(900)));
  auto asked = start({read_of(100, 1)});
  const Element request = peer_.receive();
  EXPECT_TRUE(peer_.is_quiet(milliseconds(300)));
  peer_.send_frame(refusal(request, NtStatus::end_of_file));
  EXPECT_TRUE(asked->result());
}

}  // namespace
}  // namespace smb3::test
