// A session on two connections: binding, and what becomes of requests when one is lost.
#include "session/directory_listing.h"
#include "session/path_status.h"
#include "unit/session/logon_fixture.h"
#include "wire/create_context.h"
#include "wire/query_directory.h"
#include "wire/query_info.h"
#include "wire/read.h"
#include "wire/set_info.h"
#include "wire/write.h"

namespace smb3::test {
namespace {

class Channels : public LogonTest {
 protected:
  using Binding = std::unique_ptr<Running<std::shared_ptr<Channel>>>;

  void SetUp() override {
    LogonTest::SetUp();
    negotiated_.capabilities = wire::Capabilities::multi_channel;
  }
  void TearDown() override {
    if (!closed_) close();
    if (other_) {
      auto closed = run_on(reactor(), [this] { return other_->close(); });
      EXPECT_TRUE(closed);
    }
    on_reactor([this] {
      open_.reset();
      tree_.reset();
      session_.reset();
      other_.reset();
    });
    LogonTest::TearDown();
  }

  void connect_other() {
    auto opened = run_on(reactor(), [&] {
      return Connection::open(reactor(), *pool_, {second_.endpoint()},
                              {.server_label = "fs.lab.test", .timeout = patience});
    });
    ASSERT_TRUE(opened) << describe(opened.error());
    other_ = std::move(*opened);
    second_.accept();
    on_reactor([this] { other_->set_negotiated(true); });
    Running<AllAnswered> asked(reactor(), [this] { return ask(*other_, {echo}, nullptr); });
    second_.send_frame(answer(second_.receive(), wire::EchoResponse{}, granting(64)));
    ASSERT_TRUE(asked.result());
    other_negotiated_ = negotiated_;
  }
  Binding start_binding() {
    return std::make_unique<Running<std::shared_ptr<Channel>>>(
        reactor(), [this] { return session_->bind(*other_, other_negotiated_); });
  }
  // The server's side of it, up to the last answer, which is due with the new channel's key.
  Final converse_binding() {
    acceptor_ = std::make_unique<GssAcceptor>(gss::MechanismKind::ntlm);
    spnego_ = std::make_unique<SpnegoAcceptor>(*acceptor_, spnego::ntlmssp);
    PreauthIntegrity chain;
    Final final;
    final.request = receive_binding();
    const Octets token = accept(final.request, chain);
    const Octets reply = keys_->sign(
        session_setup_answer(final.request, token, in_session(NtStatus::more_processing_required)));
    EXPECT_TRUE(chain.update(reply));
    second_.send_frame(reply);
    final.request = receive_binding();
    final.token = accept(final.request, chain);
    EXPECT_TRUE(acceptor_->complete);
    final.keys = std::make_unique<PeerKeys>(
        test_session,
        Signer::create(negotiated_.signing,
                       derive_channel_signing_key(acceptor_->session_key(), chain).value())
            .value(),
        std::nullopt);
    return final;
  }
  Element receive_binding() {
    Element request = second_.receive();
    EXPECT_EQ(request.header.command, wire::Command::session_setup);
    EXPECT_EQ(request.header.session_id, test_session);
    EXPECT_TRUE(keys_->verifies(request)) << "signed with the session's key";
    EXPECT_EQ(request.as<wire::SessionSetupRequest>().flags, wire::SessionSetupFlags::binding);
    return request;
  }
  void bind() {
    connect_other();
    auto binding = start_binding();
    Final final = converse_binding();
    second_.send_frame(final.keys->sign(final_answer(final)));
    auto bound = binding->result();
    ASSERT_TRUE(bound) << describe(bound.error());
    channel_keys_ = std::move(final.keys);
  }
  // Two channels and a tree, nothing signed.
  void begin() {
    log_on();
    connect_tree();
    bind();
  }
  void begin_with_file() {
    begin();
    auto creating = start_create("folder/file");
    peer_.send_frame(answer(peer_.receive(), created(1000)));
    auto open = creating->result();
    ASSERT_TRUE(open) << describe(open.error());
    open_ = std::move(*open);
  }
  // The first channel is lost with this request; the one that comes instead.
  Element lose_with(wire::Command command) {
    const Element lost = peer_.receive();
    EXPECT_EQ(lost.header.command, command);
    EXPECT_EQ(lost.header.channel_sequence(), 0);
    EXPECT_FALSE(is_replay(lost));
    peer_.close();
    Element again = second_.receive();
    EXPECT_EQ(again.header.command, command);
    EXPECT_EQ(again.header.channel_sequence(), 1);
    EXPECT_EQ(again.header.tree_id, lost.header.tree_id);
    return again;
  }
  static bool is_replay(const Element& request) {
    return wire::has(request.header.flags, wire::HeaderFlags::replay_operation);
  }

  Peer second_;
  std::unique_ptr<Connection> other_;
  Negotiated other_negotiated_;
  std::unique_ptr<PeerKeys> channel_keys_;
};

TEST_F(Channels, ABoundOneSignsWithItsOwnKey) {
  log_on({.sign = true});
  connect_tree();
  bind();
  EXPECT_EQ(session_->usable_channels(), 2U);
  peer_.close();
  while (!on_reactor([this] { return connection_->has_failed(); })) std::this_thread::yield();
  auto creating = start_create("file");
  const Element request = second_.receive();
  EXPECT_TRUE(channel_keys_->verifies(request));
  second_.send_frame(channel_keys_->sign(answer(request, created())));
  auto open = creating->result();
  ASSERT_TRUE(open) << describe(open.error());
  open_ = std::move(*open);
}

TEST_F(Channels, TheLastAnswerOfABindingProvesTheServer) {
  log_on();
  connect_other();
  auto binding = start_binding();
  Final final = converse_binding();
  second_.send_frame(keys_->sign(final_answer(final)));  // with the session's key
  EXPECT_TRUE(fails(binding->result(), ErrorKind::security, "signature"));
  EXPECT_EQ(session_->usable_channels(), 1U);
}

TEST_F(Channels, NobodyIsBoundAsAGuest) {
  log_on();
  connect_other();
  auto binding = start_binding();
  Final final = converse_binding();
  second_.send_frame(final.keys->sign(final_answer(final, wire::SessionFlags::is_guest)));
  EXPECT_TRUE(fails(binding->result(), ErrorKind::security, "guest"));
}

TEST_F(Channels, ARefusedBindingIsNoHarm) {
  log_on();
  connect_other();
  auto binding = start_binding();
  second_.send_frame(keys_->sign(refusal(receive_binding(), NtStatus::request_not_accepted)));
  EXPECT_FALSE(binding->result());
  EXPECT_EQ(session_->usable_channels(), 1U);
  connect_tree();
}

TEST_F(Channels, AnotherServerIsNotTold) {
  log_on();
  connect_other();
  other_negotiated_.server_guid.bytes[3] = std::byte{9};
  EXPECT_TRUE(fails(start_binding()->result(), ErrorKind::protocol, "another one"));
  EXPECT_TRUE(second_.is_quiet());
}

Task<std::size_t> read_some(Open& open) {
  ReadResult result = co_await open.read(0, 1000);
  co_return result.data.size();
}
Task<void> write_some(Open& open, Bytes data) { co_await open.write(0, data, false); }

TEST_F(Channels, AReadIsSentAgain) {
  begin_with_file();
  auto reading = run<std::size_t>([this] { return read_some(*open_); });
  const Element again = lose_with(wire::Command::read);
  EXPECT_FALSE(is_replay(again)) << "it changes nothing";
  const Octets data(1000);
  wire::ReadResponse response;
  response.data = data;
  second_.send_frame(answer(again, response));
  EXPECT_EQ(reading->result().value(), 1000U);
}

TEST_F(Channels, AWriteIsMarkedAsReplayed) {
  begin_with_file();
  const Octets data(100, std::byte{7});
  auto writing = run<void>([&] { return write_some(*open_, data); });
  const Element again = lose_with(wire::Command::write);
  EXPECT_TRUE(is_replay(again));
  EXPECT_EQ(again.as<wire::WriteRequest>().data.size(), 100U);
  EXPECT_EQ(again.as<wire::WriteRequest>().data[50], std::byte{7});
  wire::WriteResponse response;
  response.count = 100;
  second_.send_frame(answer(again, response));
  EXPECT_TRUE(writing->result());
}

// What came before the loss is still being carried out: [MS-SMB2] 3.3.5.2.10.
TEST_F(Channels, AReplayThatComesTooSoonIsSentOnceMore) {
  begin_with_file();
  const Octets data(100);
  auto writing = run<void>([&] { return write_some(*open_, data); });
  second_.send_frame(refusal(lose_with(wire::Command::write), NtStatus::file_not_available));
  const Element third = second_.receive();
  EXPECT_TRUE(is_replay(third));
  wire::WriteResponse response;
  response.count = 100;
  second_.send_frame(answer(third, response));
  EXPECT_TRUE(writing->result());
}

TEST_F(Channels, ACloseThatWasCarriedOutIsDone) {
  begin_with_file();
  auto closing = run<FileStatus>([this] { return open_->close(); });
  second_.send_frame(refusal(lose_with(wire::Command::close), NtStatus::file_closed));
  const auto requests = second_.receive_compound();  // the status of the path, then
  ASSERT_EQ(requests.size(), 2U);
  second_.send_frame(
      compound({answer(requests[0], created(77)), answer(requests[1], wire::CloseResponse{})}));
  EXPECT_EQ(closing->result().value().size_bytes, 77U);
}

TEST_F(Channels, WhatIsMadeIsMadeOnce) {
  begin();
  CreateParameters parameters;
  parameters.disposition = wire::CreateDisposition::create;
  auto creating = start_create("new", parameters);
  const Element lost = peer_.receive();
  const auto guid_of = [](const Element& request) {
    return wire::find_context<wire::DurableHandleRequestV2>(
               request.as<wire::CreateRequest>().contexts)
        .value()
        .value()
        .create_guid;
  };
  peer_.close();
  const Element again = second_.receive();
  EXPECT_TRUE(is_replay(again));
  EXPECT_EQ(guid_of(again), guid_of(lost));
  second_.send_frame(answer(again, created()));
  auto open = creating->result();
  ASSERT_TRUE(open) << describe(open.error());
  open_ = std::move(*open);
}

TEST_F(Channels, WhatExistsIsOpenedAgain) {
  begin();
  auto creating = start_create("old");
  const Element again = lose_with(wire::Command::create);
  EXPECT_FALSE(is_replay(again));
  EXPECT_TRUE(again.as<wire::CreateRequest>().contexts.empty());
  second_.send_frame(answer(again, created()));
  auto open = creating->result();
  ASSERT_TRUE(open) << describe(open.error());
  open_ = std::move(*open);
}

TEST_F(Channels, TheLastLossIsTold) {
  begin_with_file();
  auto reading = run<std::size_t>([this] { return read_some(*open_); });
  lose_with(wire::Command::read);
  second_.close();
  EXPECT_TRUE(fails(reading->result(), ErrorKind::disconnected, "closed"));
  EXPECT_EQ(session_->usable_channels(), 0U);
}

// Whoever breaks the protocol is not asked again elsewhere.
TEST_F(Channels, ABrokenAnswerIsNoLoss) {
  begin_with_file();
  auto reading = run<std::size_t>([this] { return read_some(*open_); });
  const Element request = peer_.receive();
  peer_.send_frame(answer(request, wire::EchoResponse{},
                          [](wire::PacketHeader& header) { header.session_id = 999; }));
  EXPECT_TRUE(fails(reading->result(), ErrorKind::protocol, ""));
  EXPECT_TRUE(second_.is_quiet());
}

}  // namespace
}  // namespace smb3::test
