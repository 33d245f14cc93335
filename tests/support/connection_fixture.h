// A Connection on a reactor's thread, and the test as its server.
#pragma once

#include "connection/connection.h"
#include "reactor/reactor_thread.h"
#include "reactor/run_on.h"
#include "support/answers.h"
#include "support/peer.h"
#include "support/running.h"
#include "wire/echo.h"
#include "wire/read.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <string_view>

namespace smb3::test {

// One answer, taken out of the connection's buffers.
struct Answered {
  NtStatus status = NtStatus::success;
  Octets message;
};
using AllAnswered = std::vector<Answered>;

using Prepare = std::function<void(Request&)>;

// One exchange; the requests are set up on the reactor's thread. `starved` tells why it failed.
inline Task<AllAnswered> ask(Connection& connection, std::vector<Prepare> members, bool* starved) {
  std::array<Request, Exchange::requests_max> requests;
  Exchange exchange;
  for (std::size_t i = 0; i < members.size(); ++i) {
    members[i](requests[i]);
    exchange.add(requests[i]);
  }
  auto answered = co_await connection.transact(exchange);
  if (starved) *starved = exchange.starved;
  co_await std::move(answered);
  AllAnswered outcomes;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const Bytes message = requests[i].reply->message;
    outcomes.push_back({requests[i].status(), {message.begin(), message.end()}});
  }
  co_return std::move(outcomes);
}

inline void echo(Request& request) { request.set(wire::EchoRequest{}); }

inline Prepare read_of(std::uint32_t length, std::uint16_t charge) {
  return [=](Request& request) {
    wire::ReadRequest message;
    message.length = length;
    request.set(message);
    request.credit_charge = charge;
    request.session_id = 7;
    request.tree_id = 5;
  };
}

template <class T>
testing::AssertionResult fails(Result<T> result, ErrorKind kind, std::string_view words) {
  if (result) return testing::AssertionFailure() << "it ended well";
  const std::string text = describe(result.error());
  if (result.error().kind() == kind && text.find(words) != text.npos) {
    return testing::AssertionSuccess();
  }
  return testing::AssertionFailure() << name_of(result.error().kind()) << ": " << text;
}

class ConnectionTest : public testing::Test {
 protected:
  using Asking = std::unique_ptr<Running<AllAnswered>>;

  Reactor& reactor() { return thread_->reactor(); }
  template <class Function>
  auto on_reactor(Function function) {
    return on(reactor(), std::move(function));
  }

  void SetUp() override {
    auto started = ReactorThread::start();
    ASSERT_TRUE(started) << describe(started.error());
    thread_ = std::move(*started);
  }
  void TearDown() override {
    if (connection_ && !closed_) close();
    on_reactor([this] {
      connection_.reset();
      pool_.reset();
    });
  }

  void connect(Duration timeout = patience, std::size_t buffers = 8) {
    on_reactor([&] {
      pool_ = std::make_unique<BufferPool>(
          reactor(), buffers, limits::head_room_bytes + limits::large_frame_bytes, false);
    });
    auto opened = run_on(reactor(), [&] {
      return Connection::open(reactor(), *pool_, {peer_.endpoint()},
                              {.server_label = "fs.lab.test", .timeout = timeout});
    });
    ASSERT_TRUE(opened) << describe(opened.error());
    connection_ = std::move(*opened);
    peer_.accept();
  }
  void close() {
    closed_ = true;
    auto closed = run_on(reactor(), [this] { return connection_->close(); });
    EXPECT_TRUE(closed) << describe(closed.error());
  }
  // As after NEGOTIATE, with this many credits in hand.
  void connect_negotiated(std::uint16_t credits, Duration timeout = patience,
                          std::size_t buffers = 8) {
    connect(timeout, buffers);
    on_reactor([this] { connection_->set_negotiated(true); });
    auto asked = start({echo});
    const Element request = peer_.receive();
    peer_.send_frame(answer(request, wire::EchoResponse{}, granting(credits)));
    ASSERT_TRUE(asked->result());
  }

  Asking start(std::vector<Prepare> members, bool* starved = nullptr) {
    return std::make_unique<Running<AllAnswered>>(
        reactor(), [this, members, starved] { return ask(*connection_, members, starved); });
  }
  // Still works: an ECHO goes to and fro.
  void expect_alive() {
    auto asked = start({echo});
    const Element request = peer_.receive();
    EXPECT_EQ(request.header.command, wire::Command::echo);
    peer_.send_frame(answer(request, wire::EchoResponse{}));
    auto result = asked->result();
    EXPECT_TRUE(result) << describe(result.error());
  }

  Peer peer_;
  std::unique_ptr<ReactorThread> thread_;
  std::unique_ptr<BufferPool> pool_;
  std::unique_ptr<Connection> connection_;
  bool closed_ = false;
};

}  // namespace smb3::test
