// The simulated reactor keeps the contract of the real one, and the same seed gives the same run.
#include "sim/disk.h"
#include "sim/network.h"
#include "sim/sim_reactor.h"

#include "reactor/local_file.h"
#include "reactor/run_blocking.h"
#include "reactor/socket.h"

#include <smbclient3/task_group.h>

#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <unistd.h>

#include <array>
#include <optional>

using namespace smb3;
using namespace smb3::sim;
using namespace std::chrono_literals;

namespace {

Endpoint endpoint(const char* ip, std::uint16_t port = 445) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  inet_pton(AF_INET, ip, &address.sin_addr);
  return make_endpoint(reinterpret_cast<sockaddr*>(&address), sizeof address);
}

class SimReactorTest : public testing::Test {
 protected:
  // Runs a task to its end; a failure if that does not come.
  template <class T>
  Result<T> run(Task<T> task) {
    task.run();
    EXPECT_TRUE(reactor.run([&task] { return task.done(); }, reactor.now() + 1h));
    EXPECT_TRUE(task.done());
    if (!task.done()) std::abort();
    return std::move(task.result());
  }

  // Both ends of a connection.
  void connect(Link link) {
    reactor.network().listen(
        endpoint("10.0.0.2"), [link] { return link; },
        [this](int fd) { server.emplace(reactor, fd, "client"); });
    client = run(Socket::connect(reactor, endpoint("10.0.0.2"), std::nullopt, never)).value();
    reactor.run([this] { return server.has_value(); });
  }
  void disconnect() {
    if (client.is_open()) static_cast<void>(run(client.close()));
    if (server && server->is_open()) static_cast<void>(run(server->close()));
    EXPECT_TRUE(reactor.run([] { return false; }));
    EXPECT_EQ(reactor.in_flight(), 0U);
    EXPECT_EQ(reactor.network().open_sockets(), 0U);
  }

  Trace trace;
  SimReactor reactor{1, trace};
  Socket client;
  std::optional<Socket> server;
};

Task<void> send_text(Socket& socket, std::string text) {
  const iovec part{text.data(), text.size()};
  co_await socket.send(std::span(&part, 1));
}

Task<std::string> receive_text(Socket& socket, std::size_t size) {
  std::string text(size, '\0');
  co_await socket.receive_exactly(std::as_writable_bytes(std::span(text)));
  co_return std::move(text);
}

std::string pattern(std::size_t size) {
  std::string text(size, '\0');
  std::uint32_t seed = 7;
  for (char& c : text) c = static_cast<char>((seed = seed * 1664525 + 1013904223) >> 24);
  return text;
}

TEST_F(SimReactorTest, BytesArriveInOrderThroughSmallBuffers) {
  connect({.delay = 3ms,
           .jitter = 2ms,
           .send_buffer_bytes = 5000,
           .receive_buffer_bytes = 3000,
           .segment_bytes_max = 700});
  const std::string text = pattern(200'000);
  TaskGroup sending;
  sending.start(send_text(client, text));
  EXPECT_EQ(run(receive_text(*server, text.size())).value(), text);
  EXPECT_TRUE(run(sending.join()));
  EXPECT_EQ(server->progress().received_bytes, text.size());
  disconnect();
}

TEST_F(SimReactorTest, ARateIsKept) {
  connect({.delay = 10ms, .rate_bits = 8'000'000, .always_whole = true});
  const std::string text = pattern(1'000'000);
  const TimePoint begin = reactor.now();
  TaskGroup sending;
  sending.start(send_text(client, text));
  static_cast<void>(run(receive_text(*server, text.size())));
  const Duration time = reactor.now() - begin;
  EXPECT_GE(time, 1010ms);
  EXPECT_LE(time, 1020ms);
  EXPECT_TRUE(run(sending.join()));
  disconnect();
}

TEST_F(SimReactorTest, AReaderThatDoesNotReadStopsTheSender) {
  connect({.send_buffer_bytes = 10'000, .receive_buffer_bytes = 20'000});
  const std::string text = pattern(100'000);
  const iovec part{const_cast<char*>(text.data()), text.size()};
  std::uint64_t done = 0;
  auto sent = run(client.send({&part, 1}, done, reactor.now() + 5s));
  ASSERT_FALSE(sent);
  EXPECT_EQ(sent.error().kind(), ErrorKind::timed_out);
  EXPECT_EQ(done, 30'000U);
  EXPECT_EQ(client.progress().acknowledged_bytes, 20'000U);
  disconnect();
}

TEST_F(SimReactorTest, TheEndOfTheStreamIsNoError) {
  connect({});
  ASSERT_TRUE(run(send_text(client, "abc")));
  ASSERT_TRUE(run(client.shutdown()));
  EXPECT_EQ(run(receive_text(*server, 3)).value(), "abc");
  std::array<std::byte, 8> more;
  EXPECT_EQ(run(server->receive_some(more)).value(), 0U);
  auto ended = run(server->receive_exactly(more));
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().kind(), ErrorKind::disconnected);
  disconnect();
}

TEST_F(SimReactorTest, ClosingWithBytesUnreadIsAReset) {
  connect({});
  ASSERT_TRUE(run(send_text(client, "abc")));
  reactor.run([] { return false; });
  ASSERT_TRUE(run(server->close()));
  std::array<std::byte, 8> more;
  auto received = run(client.receive_some(more));
  ASSERT_FALSE(received);
  EXPECT_EQ(received.error().system_errno(), ECONNRESET);
  auto sent = run(send_text(client, "d"));
  ASSERT_FALSE(sent);
  EXPECT_EQ(sent.error().system_errno(), EPIPE);
  disconnect();
}

TEST_F(SimReactorTest, AbortEndsWhatIsInFlight) {
  connect({});
  Task<std::string> receiving = receive_text(client, 10);
  receiving.run();
  reactor.post([this] { client.abort(); });
  reactor.run([&] { return receiving.done(); });
  ASSERT_TRUE(receiving.done());
  EXPECT_EQ(receiving.result().error().kind(), ErrorKind::disconnected);
  auto sent = run(send_text(client, "d"));
  EXPECT_EQ(sent.error().system_errno(), EPIPE);
  disconnect();
}

TEST_F(SimReactorTest, ACancelledOperationEndsOnce) {
  connect({});
  std::array<std::byte, 8> into;
  Operation operation{.code = OperationCode::receive,
                      .receive_all = true,
                      .fd = client.fd(),
                      .buffer = into.data(),
                      .length = into.size()};
  auto receive = [](Reactor& r, Operation& o) -> Task<void> { co_await perform(r, o); };
  Task<void> task = receive(reactor, operation);
  task.run();
  ASSERT_TRUE(run(send_text(*server, "abc")));
  reactor.run([&] { return operation.done_bytes == 3; });
  reactor.cancel(operation);
  reactor.cancel(operation);
  reactor.run([&] { return task.done(); });
  EXPECT_EQ(operation.result, -ECANCELED);
  EXPECT_FALSE(operation.in_flight);
  disconnect();
}

TEST_F(SimReactorTest, ADeadLinkIsSilence) {
  connect({.dies_after_bytes = 1000});
  ASSERT_TRUE(run(send_text(client, pattern(5000))));
  std::string into(5000, '\0');
  auto received =
      run(server->receive_exactly(std::as_writable_bytes(std::span(into)), reactor.now() + 10s));
  ASSERT_FALSE(received);
  EXPECT_EQ(received.error().kind(), ErrorKind::timed_out);
  EXPECT_EQ(reactor.network().faults(), 1U);
  disconnect();
}

TEST_F(SimReactorTest, AnOutageEnds) {
  const TimePoint begin = reactor.now();
  connect({.outage_begin = begin + 1s, .outage_end = begin + 5s});
  reactor.run([&] { return false; }, begin + 2s);
  auto wait = [](Reactor& r, TimePoint t) -> Task<void> { co_await sleep_until(r, t); };
  ASSERT_TRUE(run(wait(reactor, begin + 2s)));
  ASSERT_TRUE(run(send_text(client, "abc")));
  EXPECT_EQ(run(receive_text(*server, 3)).value(), "abc");
  EXPECT_GE(reactor.now(), begin + 5s);
  disconnect();
}

TEST_F(SimReactorTest, NobodyListens) {
  auto refused = run(Socket::connect(reactor, endpoint("10.0.0.9"), std::nullopt, never));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().system_errno(), ECONNREFUSED);
  Link dead;
  dead.dies_at = reactor.now();
  reactor.network().listen(endpoint("10.0.0.3"), [dead] { return dead; }, [](int) {});
  auto silent =
      run(Socket::connect(reactor, endpoint("10.0.0.3"), std::nullopt, reactor.now() + 3s));
  ASSERT_FALSE(silent);
  EXPECT_EQ(silent.error().kind(), ErrorKind::timed_out);
  disconnect();
}

TEST_F(SimReactorTest, BlockingWorkTakesTimeAndMayBeLeft) {
  std::function<Result<int>()> work = [] { return 7; };
  EXPECT_EQ(run(run_blocking<int>(reactor, never, work)).value(), 7);
  auto late = run(run_blocking<int>(reactor, reactor.now() - 1ns, work));
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().kind(), ErrorKind::timed_out);
  disconnect();
}

class SimDiskTest : public SimReactorTest {
 protected:
  void SetUp() override {
    ASSERT_NE(::mkdtemp(folder_), nullptr);
    path_ = std::string(folder_) + "/file";
  }
  void TearDown() override {
    ::unlink(path_.c_str());
    ::rmdir(folder_);
  }
  Task<void> write_file(std::string text) {
    LocalFile file = co_await LocalFile::open(reactor, AT_FDCWD, path_, O_RDWR | O_CREAT);
    co_await file.write_all_at(std::as_bytes(std::span(text)), 0);
    co_await file.close();
  }
  Task<std::string> read_file() {
    LocalFile file = co_await LocalFile::open(reactor, AT_FDCWD, path_, O_RDONLY);
    std::string text(100'000, '\0');
    text.resize(co_await file.read_at(std::as_writable_bytes(std::span(text)), 0));
    co_await file.close();
    co_return std::move(text);
  }
  char folder_[32] = "/dev/shm/smb3-sim-disk.XXXXXX";
  std::string path_;
};

TEST_F(SimDiskTest, ShortReadsAndWritesAreContinued) {
  reactor.disk().set({.short_one_in = 2});
  const std::string text = pattern(50'000);
  ASSERT_TRUE(run(write_file(text)));
  EXPECT_EQ(run(read_file()).value(), text);
}

TEST_F(SimDiskTest, ADiskIsFullAtItsLastByte) {
  reactor.disk().set({.free_bytes = 20'000});
  auto written = run(write_file(pattern(50'000)));
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().kind(), ErrorKind::no_space);
  EXPECT_EQ(run(read_file()).value().size(), 20'000U);
}

TEST_F(SimDiskTest, ErrorsOfTheDiskAreTold) {
  reactor.disk().set({.error_one_in = 1});
  auto written = run(write_file(pattern(50'000)));
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().system_errno(), EIO);
  EXPECT_GT(reactor.disk().faults(), 0U);
}

std::uint64_t trace_of(std::uint64_t seed) {
  Trace trace;
  SimReactor reactor(seed, trace);
  Socket client;
  std::optional<Socket> server;
  reactor.network().listen(
      endpoint("10.0.0.2"), [] { return Link{.jitter = 1ms}; },
      [&](int fd) { server.emplace(reactor, fd, "client"); });
  Task<Socket> connecting = Socket::connect(reactor, endpoint("10.0.0.2"), std::nullopt, never);
  connecting.run();
  reactor.run([&] { return connecting.done() && server; });
  client = std::move(*connecting.result());
  Task<void> sending = send_text(client, pattern(300'000));
  Task<std::string> receiving = receive_text(*server, 300'000);
  sending.run();
  receiving.run();
  reactor.run([&] { return sending.done() && receiving.done(); });
  return trace.hash();
}

TEST(SimTraceTest, TheSameSeedIsTheSameRun) {
  EXPECT_EQ(trace_of(1), trace_of(1));
  EXPECT_NE(trace_of(1), trace_of(2));
}

}  // namespace
