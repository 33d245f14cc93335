// A scripted server on a port of its own, and clients for it.
#pragma once

#include "raw_client.h"
#include "reactor/reactor_thread.h"
#include "reactor/run_on.h"
#include "support/server/listener.h"
#include "support/server/server.h"

namespace smb3::server::test {

class ServerTest : public testing::Test {
 protected:
  void SetUp() override {
    ShareSettings share;
    share.name = "rw";
    share.guest_ok = true;
    settings_.shares.push_back(share);
  }
  void TearDown() override { stop(); }

  // Settings are made before.
  void start() {
    thread_ = std::move(*ReactorThread::start());
    log_.emplace(std::move(*MessageLog::open("", false)));
    smb3::test::on(reactor(), [this] {
      cluster_ = std::move(*Cluster::create(reactor(), settings_));
      server_ = std::make_unique<Server>(reactor(), settings_, *cluster_, acceptors_, *log_);
    });
    listener_ = std::move(*Listener::open("127.0.0.1", 0));
    listener_->start(reactor(), [this](Socket socket) {
      connections_.start(server_->serve(std::move(socket)));
    });
  }
  void stop() {
    if (!listener_) return;
    listener_.reset();
    EXPECT_TRUE(run_on(reactor(), [this] { return stop_all(); }));
    smb3::test::on(reactor(), [this] {
      server_.reset();
      cluster_.reset();
    });
    thread_.reset();
  }
  Reactor& reactor() { return thread_->reactor(); }
  std::unique_ptr<RawClient> connect() { return std::make_unique<RawClient>(listener_->address()); }
  std::unique_ptr<RawClient> connect_negotiated() {
    auto client = connect();
    EXPECT_EQ(client->negotiate().header.nt_status(), NtStatus::success);
    return client;
  }
  std::unique_ptr<RawClient> connect_as(const std::string& user) {
    auto client = connect_negotiated();
    EXPECT_EQ(client->log_on(user).header.nt_status(), NtStatus::success);
    return client;
  }

  void add_fault(wire::Command command, Fault fault, std::uint32_t times = 1) {
    FaultRule rule;
    rule.command = command;
    rule.times = times;
    rule.fault = std::move(fault);
    settings_.faults.add(std::move(rule));
  }
  static Fault fault(FaultKind kind, std::uint64_t value = 0) {
    Fault made;
    made.kind = kind;
    made.value = value;
    return made;
  }

  ServerSettings settings_;
  CredulousAcceptors acceptors_;
  std::optional<MessageLog> log_;
  std::unique_ptr<ReactorThread> thread_;
  std::unique_ptr<Cluster> cluster_;
  std::unique_ptr<Server> server_;
  TaskGroup connections_;
  std::unique_ptr<Listener> listener_;

 private:
  Task<void> stop_all() {
    co_await server_->stop();
    co_await connections_.below(1);
  }
};

}  // namespace smb3::server::test
