// Sockets against plain servers on loopback.
#include "unit/reactor/loopback.h"
#include "unit/reactor/reactor_fixture.h"

#include <array>
#include <thread>

using namespace smb3;
using namespace std::chrono_literals;

namespace {

class SocketTest : public ReactorSetupTest {
 protected:
  static LocalInterface from(const char* address) {
    LocalInterface local;
    local.name = "lo";
    local.address = loopback(0, address);
    return local;
  }
  Result<Socket> connect(const Endpoint& to, Duration time = 30s,
                         std::optional<LocalInterface> from = std::nullopt) {
    return run([&](Reactor& r) { return Socket::connect(r, to, from, r.now() + time); });
  }
  Result<std::size_t> receive(Socket& socket, std::string& into, Duration time = 30s) {
    return run([&](Reactor& r) { return socket.receive_exactly(bytes_of(into), r.now() + time); });
  }
  Result<void> send(Socket& socket, std::span<const iovec> parts) {
    return run([&](Reactor&) { return socket.send(parts); });
  }
  Result<void> close(Socket& socket) {
    return run([&](Reactor&) { return socket.close(); });
  }
};
SMB3_IN_EACH_SETUP(SocketTest);

TEST_P(SocketTest, ConnectsAndKnowsBothAddresses) {
  Listener listener;
  Result<Socket> socket = connect(listener.endpoint());
  ASSERT_TRUE(succeeded(socket));
  const int peer = listener.accept();
  EXPECT_EQ(socket->peer(), text_of(listener.endpoint()));
  EXPECT_EQ(reactor().remote_address_of(socket->fd()), socket->peer());
  EXPECT_EQ(socket->local_address(), reactor().remote_address_of(peer));
  EXPECT_EQ(socket->local_address().rfind("127.0.0.1:", 0), 0u);
  EXPECT_TRUE(fcntl(socket->fd(), F_GETFD) & FD_CLOEXEC);
  EXPECT_TRUE(succeeded(close(*socket)));
  EXPECT_FALSE(socket->is_open());
  ::close(peer);
}

TEST_P(SocketTest, ConnectsFromTheAddressThatIsAskedFor) {
  Listener listener;
  Result<Socket> socket = connect(listener.endpoint(), 30s, from("127.0.0.2"));
  ASSERT_TRUE(succeeded(socket));
  EXPECT_EQ(socket->local_address().rfind("127.0.0.2:", 0), 0u);
}

TEST_P(SocketTest, AnAddressThatIsNotOursCannotBeBound) {
  Listener listener;
  Result<Socket> socket = connect(listener.endpoint(), 30s, from("192.0.2.1"));
  ASSERT_FALSE(socket);
  EXPECT_EQ(socket.error().operation(), "bind");
  EXPECT_EQ(socket.error().object(), "192.0.2.1:0");
  EXPECT_EQ(socket.error().system_errno(), EADDRNOTAVAIL);
}

TEST_P(SocketTest, ARefusedConnectionSaysWhereAndWhy) {
  std::optional<Listener> listener(std::in_place);
  const Endpoint nobody = listener->endpoint();
  listener.reset();
  Result<Socket> socket = connect(nobody);
  ASSERT_FALSE(socket);
  EXPECT_EQ(socket.error().kind(), ErrorKind::disconnected);
  EXPECT_EQ(socket.error().operation(), "connect");
  EXPECT_EQ(socket.error().object(), text_of(nobody));
  EXPECT_EQ(socket.error().system_errno(), ECONNREFUSED);
}

TEST_P(SocketTest, AConnectThatNobodyAnswersEndsAtItsDeadline) {
  FullListener full;
  const TimePoint start = reactor().now();
  Result<Socket> socket = connect(full.endpoint(), 50ms);
  ASSERT_FALSE(socket);
  EXPECT_EQ(socket.error().kind(), ErrorKind::timed_out);
  EXPECT_EQ(socket.error().object(), text_of(full.endpoint()));
  EXPECT_GE(reactor().now() - start, 50ms);
}

TEST_P(SocketTest, AThousandFailedConnectsLeakNoFile) {
  std::optional<Listener> listener(std::in_place);
  const Endpoint nobody = listener->endpoint();
  listener.reset();
  const std::size_t before = open_files();
  for (int i = 0; i < 1000; ++i) {
    ASSERT_FALSE(connect(nobody));
  }
  EXPECT_EQ(open_files(), before);
}

// Reads everything in small pieces, so that the sender has to wait again and again.
std::string slow_reader(int fd, std::size_t piece) {
  std::string all;
  std::string part(piece, '\0');
  for (;;) {
    const ssize_t got = ::read(fd, part.data(), part.size());
    if (got <= 0) return all;
    all.append(part, 0, static_cast<std::size_t>(got));
  }
}

TEST_P(SocketTest, ALargeSendReachesASlowReaderWhole) {
  Listener listener;
  std::string text = pattern(6'000'000, 1);
  std::string received;
  Result<Socket> socket = connect(listener.endpoint());
  ASSERT_TRUE(succeeded(socket));
  std::thread server([&] {
    const int peer = listener.accept();
    const int small = 65536;
    setsockopt(peer, SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
    received = slow_reader(peer, 3000);
    ::close(peer);
  });
  const std::array<iovec, 4> parts = {iovec{text.data(), 1}, iovec{text.data() + 1, 0},
                                      iovec{text.data() + 1, 999'999},
                                      iovec{text.data() + 1'000'000, 5'000'000}};
  EXPECT_TRUE(succeeded(send(*socket, parts)));
  EXPECT_TRUE(succeeded(run([&](Reactor&) { return socket->shutdown(); })));
  server.join();
  EXPECT_TRUE(received == text);  // not EXPECT_EQ: it would print both
  // The two ends of the stream count as bytes too.
  EXPECT_GE(socket->progress().acknowledged_bytes, text.size());
  EXPECT_LE(socket->progress().acknowledged_bytes, text.size() + 2);
}

TEST_P(SocketTest, ReceiveExactlyWaitsForAllPieces) {
  Pair pair(reactor());
  const std::string text = pattern(300'000, 2);
  std::thread peer([&] {
    for (std::size_t at = 0; at < text.size(); at += 1000) pair.say(text.substr(at, 1000));
  });
  std::string received(text.size(), '\0');
  Result<std::size_t> result = receive(pair.socket, received);
  peer.join();
  ASSERT_TRUE(succeeded(result));
  EXPECT_EQ(*result, text.size());
  EXPECT_TRUE(received == text);
}

// A datagram ends each receive of the kernel, so the reactor itself has to go on.
TEST_P(SocketTest, ReceiveExactlyGoesOnAfterShortReceives) {
  Pair pair(reactor(), SOCK_DGRAM);
  std::string expected;
  for (int i = 0; i < 10; ++i) {
    pair.say(pattern(100, 3));
    expected += pattern(100, 3);
  }
  std::string received(1000, '\0');
  ASSERT_TRUE(succeeded(receive(pair.socket, received)));
  EXPECT_EQ(received, expected);
}

TEST_P(SocketTest, TheEndOfTheStreamInTheMiddleIsAnError) {
  Pair pair(reactor());
  pair.say("half");
  pair.close_peer();
  std::string received(8, '\0');
  Result<std::size_t> result = receive(pair.socket, received);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind(), ErrorKind::disconnected);
  EXPECT_EQ(result.error().operation(), "recv");
  EXPECT_EQ(result.error().object(), "pair");
  EXPECT_EQ(received.substr(0, 4), "half");
}

TEST_P(SocketTest, ReceiveSomeTakesWhatIsThereAndThenTheEnd) {
  Pair pair(reactor());
  pair.say("abc");
  std::string received(100, '\0');
  const auto some = [&](Reactor&) { return pair.socket.receive_some(bytes_of(received)); };
  EXPECT_EQ(run(some).value(), 3u);
  pair.close_peer();
  EXPECT_EQ(run(some).value(), 0u);
}

// Under valgrind this fails if the reactor does not tell it what the kernel has written.
TEST_P(SocketTest, ReceivesIntoMemoryThatNobodyHasWritten) {
  Pair pair(reactor());
  pair.say("abcd");
  const auto memory = std::make_unique_for_overwrite<std::byte[]>(4);
  auto result = run([&](Reactor&) { return pair.socket.receive_exactly({memory.get(), 4}); });
  ASSERT_TRUE(succeeded(result));
  EXPECT_EQ(std::to_integer<int>(memory[3]), 'd');
}

TEST_P(SocketTest, AConnectionThatIsResetIsDisconnected) {
  Listener listener;
  Result<Socket> socket = connect(listener.endpoint());
  ASSERT_TRUE(succeeded(socket));
  const int peer = listener.accept();
  const linger at_once{.l_onoff = 1, .l_linger = 0};
  setsockopt(peer, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  ::close(peer);
  std::string received(8, '\0');
  Result<std::size_t> result = receive(*socket, received);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind(), ErrorKind::disconnected);
  EXPECT_EQ(result.error().system_errno(), ECONNRESET);
}

TEST_P(SocketTest, SendingToOneWhoIsGoneIsAnErrorAndNoSignal) {
  Pair pair(reactor());
  pair.close_peer();
  std::string text = "x";
  const std::array<iovec, 1> parts = {iovec{text.data(), 1}};
  Result<void> result = send(pair.socket, parts);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind(), ErrorKind::disconnected);
  EXPECT_EQ(result.error().operation(), "send");
  EXPECT_EQ(result.error().system_errno(), EPIPE);
}

TEST_P(SocketTest, ASilentPeerMeetsTheDeadlineAndTheSocketGoesOn) {
  Pair pair(reactor());
  pair.say("ab");  // some bytes are no success
  std::string received(4, '\0');
  Result<std::size_t> result = receive(pair.socket, received, 20ms);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind(), ErrorKind::timed_out);
  pair.say("cdef");
  EXPECT_TRUE(succeeded(receive(pair.socket, received)));
  EXPECT_EQ(received, "cdef");
}

TEST_P(SocketTest, WhatIsThereBeatsADeadlineInThePast) {
  Pair pair(reactor());
  pair.say("abcd");
  std::string received(4, '\0');
  Result<std::size_t> result =
      run([&](Reactor&) { return pair.socket.receive_exactly(bytes_of(received), TimePoint(1)); });
  EXPECT_TRUE(succeeded(result));
}

TEST_P(SocketTest, ASendThatNobodyTakesMeetsItsDeadline) {
  Pair pair(reactor());
  std::string text(4'000'000, 'x');
  const std::array<iovec, 1> parts = {iovec{text.data(), text.size()}};
  Result<void> result = run([&](Reactor& r) { return pair.socket.send(parts, r.now() + 20ms); });
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind(), ErrorKind::timed_out);
}

Task<void> expect_end_of(Socket& socket, ErrorKind& kind) {
  std::string received(4, '\0');
  auto result = co_await attempt(socket.receive_exactly(bytes_of(received)));
  if (!result) kind = result.error().kind();
}

Task<ErrorKind> abort_a_receive(Reactor& reactor, Socket& socket) {
  ErrorKind kind = ErrorKind::local;
  TaskGroup group;
  group.start(expect_end_of(socket, kind));
  co_await sleep_until(reactor, reactor.now() + 5ms);
  socket.abort();
  co_await group.join();
  co_return kind;
}

TEST_P(SocketTest, AbortEndsAReceiveThatWaits) {
  Pair pair(reactor());
  EXPECT_EQ(run([&](Reactor& r) { return abort_a_receive(r, pair.socket); }).value(),
            ErrorKind::disconnected);
}

TEST_P(SocketTest, ASocketThatIsNotTcpHasNoProgress) {
  Pair pair(reactor());
  pair.say("abc");
  EXPECT_EQ(pair.socket.progress().received_bytes, 0u);
  EXPECT_EQ(pair.socket.progress().acknowledged_bytes, 0u);
  EXPECT_EQ(pair.socket.local_address(), "");
}

TEST_P(SocketTest, ProgressCountsBytesThatNobodyHasReadYet) {
  Listener listener;
  Result<Socket> socket = connect(listener.endpoint());
  ASSERT_TRUE(succeeded(socket));
  const int peer = listener.accept();
  ASSERT_EQ(::send(peer, "12345", 5, 0), 5);
  EXPECT_EQ(socket->progress().received_bytes, 5u);
  ::close(peer);
}

Task<void> greet(Socket& socket, std::string& received) {
  co_await socket.receive_exactly(bytes_of(received));
  const std::array<iovec, 1> parts = {iovec{received.data(), received.size()}};
  co_await socket.send(parts);
}

Task<void> greet_all(std::vector<std::unique_ptr<Pair>>& pairs, std::vector<std::string>& texts) {
  TaskGroup group;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    group.start(greet(pairs[i]->socket, texts[i]));
  }
  for (std::size_t i = 0; i < pairs.size(); ++i) pairs[i]->say(pattern(16, i));
  co_await group.join();
}

// More at once than the small queues hold, on both sides.
TEST_P(SocketTest, ManySocketsAtOnce) {
  std::vector<std::unique_ptr<Pair>> pairs;
  for (int i = 0; i < 200; ++i) pairs.push_back(std::make_unique<Pair>(reactor()));
  std::vector<std::string> texts(pairs.size(), std::string(16, '\0'));
  ASSERT_TRUE(succeeded(run([&](Reactor&) { return greet_all(pairs, texts); })));
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    std::string echo(16, '\0');
    ASSERT_EQ(::recv(pairs[i]->peer, echo.data(), echo.size(), MSG_WAITALL), 16);
    EXPECT_EQ(echo, pattern(16, static_cast<std::uint32_t>(i)));
    EXPECT_EQ(texts[i], echo);
  }
}

}  // namespace
