// Operations themselves: how they end, early or not, and what the ring makes of a rest to send.
#include "unit/reactor/loopback.h"
#include "unit/reactor/reactor_fixture.h"

#include "reactor/uring_ring.h"

#include <algorithm>
#include <array>

using namespace smb3;
using namespace std::chrono_literals;

namespace {

class OperationTest : public ReactorSetupTest {};
SMB3_IN_EACH_SETUP(OperationTest);

Task<void> carry_out(Reactor& reactor, Operation& operation) {
  co_await perform(reactor, operation);
}

Operation receive_all(const Pair& pair, std::string& into) {
  return {.code = OperationCode::receive,
          .receive_all = true,
          .fd = pair.socket.fd(),
          .buffer = into.data(),
          .length = into.size()};
}

Task<void> cancel_soon(Reactor& reactor, Operation& operation, Duration after) {
  TaskGroup group;
  group.start(carry_out(reactor, operation));
  if (after > 0ns) co_await sleep_until(reactor, reactor.now() + after);
  reactor.cancel(operation);
  reactor.cancel(operation);  // once is enough, twice is harmless
  co_await group.join();
  reactor.cancel(operation);  // it has ended: nothing to do
}

TEST_P(OperationTest, ACancelledReceiveEndsAndTellsHowFarItCame) {
  Pair pair(reactor());
  std::string received(10, '\0');
  pair.say("abc");
  Operation operation = receive_all(pair, received);
  ASSERT_TRUE(run([&](Reactor& r) { return cancel_soon(r, operation, 5ms); }));
  EXPECT_EQ(operation.result, -ECANCELED);
  EXPECT_EQ(operation.done_bytes, 3u);
  EXPECT_FALSE(operation.in_flight);
}

TEST_P(OperationTest, ACancelInTheSameTurnEndsIt) {
  Pair pair(reactor());
  std::string received(10, '\0');
  Operation operation = receive_all(pair, received);
  ASSERT_TRUE(run([&](Reactor& r) { return cancel_soon(r, operation, 0ns); }));
  EXPECT_EQ(operation.result, -ECANCELED);
}

TEST_P(OperationTest, AConnectCanBeCancelled) {
  FullListener full;
  Endpoint to = full.endpoint();
  Operation operation{.code = OperationCode::connect,
                      .fd = reactor().open_socket(AF_INET).value(),
                      .buffer = to.get(),
                      .length = to.length};
  ASSERT_TRUE(run([&](Reactor& r) { return cancel_soon(r, operation, 5ms); }));
  EXPECT_EQ(operation.result, -ECANCELED);
  ::close(operation.fd);
}

TEST_P(OperationTest, ACloseIsNeverCancelled) {
  const int fd = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  Operation operation{.code = OperationCode::close, .fd = fd};
  ASSERT_TRUE(run([&](Reactor& r) { return cancel_soon(r, operation, 0ns); }));
  EXPECT_EQ(operation.result, 0);
  EXPECT_EQ(fcntl(fd, F_GETFD), -1);
}

Task<void> cancel_many(Reactor& reactor, std::vector<Operation>& operations) {
  TaskGroup group;
  for (Operation& operation : operations) group.start(carry_out(reactor, operation));
  co_await sleep_until(reactor, reactor.now() + 5ms);
  for (Operation& operation : operations) reactor.cancel(operation);
  co_await group.join();
}

TEST_P(OperationTest, ManyCancelsAtOnceAllArrive) {
  Pair pair(reactor());
  std::string received(100, '\0');
  std::vector<Operation> operations(300, receive_all(pair, received));
  ASSERT_TRUE(run([&](Reactor& r) { return cancel_many(r, operations); }));
  for (const Operation& operation : operations) EXPECT_EQ(operation.result, -ECANCELED);
}

Task<void> many_deadlines(Reactor& reactor, std::vector<Operation>& operations) {
  TaskGroup group;
  const TimePoint now = reactor.now();
  for (std::size_t i = 0; i < operations.size(); ++i) {
    operations[i].deadline = now + std::chrono::microseconds(37 * (i % 50));
    group.start(carry_out(reactor, operations[i]));
  }
  co_await group.join();
}

TEST_P(OperationTest, ManyDeadlinesAtOnceAreAllMet) {
  Pair pair(reactor());
  std::string received(100, '\0');
  std::vector<Operation> operations(300, receive_all(pair, received));
  ASSERT_TRUE(run([&](Reactor& r) { return many_deadlines(r, operations); }));
  for (const Operation& operation : operations) EXPECT_EQ(operation.result, -ETIMEDOUT);
}

// A stop cancels what is in flight, and what its coroutine then wants to start.
Task<void> two_receives(Reactor& reactor, Operation& first, Operation& second, Operation& last) {
  co_await perform(reactor, first);
  co_await perform(reactor, second);
  co_await perform(reactor, last);
}

TEST_P(OperationTest, StopEndsWhatIsInFlight) {
  int fds[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
  std::string received(10, '\0');
  Operation first{.code = OperationCode::receive,
                  .fd = fds[0],
                  .buffer = received.data(),
                  .length = received.size()};
  Operation second = first;
  Operation last{.code = OperationCode::close, .fd = fds[1]};
  Task<void> task = two_receives(reactor(), first, second, last);
  OneShotEvent begun;
  reactor().post([&] {
    task.run();
    begun.set();
  });
  begun.wait();
  EXPECT_FALSE(task.done());
  thread_.reset();
  ASSERT_TRUE(task.done());
  EXPECT_EQ(first.result, -ECANCELED);
  EXPECT_EQ(second.result, -ECANCELED);
  EXPECT_EQ(last.result, 0);
  ::close(fds[0]);
}

// The lowest and highest stack that a coroutine sees over a million operations that end at once.
Task<std::uintptr_t> read_often(Reactor& reactor, int fd, int times) {
  std::uintptr_t lowest = UINTPTR_MAX;
  std::uintptr_t highest = 0;
  char byte = 'x';
  for (int i = 0; i < times; ++i) {
    Operation operation{.code = OperationCode::read, .fd = fd, .buffer = &byte, .length = 1};
    const int result = co_await perform(reactor, operation);
    if (result != 1 || byte != 0) co_await Error(ErrorKind::local, "a wrong read");
    const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
    lowest = std::min(lowest, here);
    highest = std::max(highest, here);
  }
  co_return highest - lowest;
}

TEST_F(ReactorTest, AMillionOperationsThatEndAtOnceNeedNoStack) {
  const int fd = ::open("/dev/zero", O_RDONLY | O_CLOEXEC);
  Result<std::uintptr_t> stack = run([&](Reactor& r) { return read_often(r, fd, 1'000'000); });
  ASSERT_TRUE(succeeded(stack));
  EXPECT_LT(*stack, 4096u);
  ::close(fd);
}

// What the ring sends when `done` bytes of the message have gone out before.
std::string rest_after(std::uint64_t done) {
  auto ring = UringRing::create({});
  if (!ring) return describe(ring.error());
  int fds[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) != 0) return "no pair";
  std::string text = "abcdefghij";
  std::array<iovec, 4> parts = {iovec{text.data(), 3}, iovec{text.data() + 3, 0},
                                iovec{text.data() + 3, 4}, iovec{text.data() + 7, 3}};
  msghdr message{};
  message.msg_iov = parts.data();
  message.msg_iovlen = parts.size();
  Operation operation{.code = OperationCode::send, .fd = fds[0], .buffer = &message, .length = 10};
  operation.done_bytes = done;
  SendRest rest;
  (*ring)->submit(operation, rest, 77);
  std::vector<Completion> completions;
  while (completions.empty()) {
    (*ring)->enter(never);
    (*ring)->reap(completions);
  }
  std::string received(20, '\0');
  const ssize_t got = ::recv(fds[1], received.data(), received.size(), MSG_DONTWAIT);
  ::close(fds[0]);
  ::close(fds[1]);
  EXPECT_EQ(completions[0].user_data, 77u);
  EXPECT_EQ(completions[0].result, got);
  return received.substr(0, static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
}

TEST(UringRing, SendsTheRestOfAMessage) {
  const std::string text = "abcdefghij";
  for (std::uint64_t done = 0; done < text.size(); ++done) {
    EXPECT_EQ(rest_after(done), text.substr(done));
  }
}

}  // namespace
