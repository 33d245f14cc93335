// How exchanges end with their connection, in whatever state they are; answers that come early.
#include "support/connection_fixture.h"
#include "wire/write.h"

namespace smb3::test {
namespace {

// More than the sockets on both sides take together when the peer does not read.
constexpr std::size_t large_bytes = 12 << 20;

// The payload lives only as long as the exchange: the sanitizer sees who reads it later.
Task<std::uint32_t> write_large(Connection& connection) {
  auto data = std::make_unique<Octets>(large_bytes, std::byte{0x3C});
  wire::WriteRequest message;
  message.data = *data;
  auto request = std::make_unique<Request>();
  request->set(message);
  Exchange exchange(*request);
  auto answered = co_await connection.transact(exchange);
  co_await std::move(answered);
  const auto response = co_await wire::decode<wire::WriteResponse>(request->reply->message);
  co_return response.count;
}

class Ending : public ConnectionTest {
 protected:
  using Writing = std::unique_ptr<Running<std::uint32_t>>;

  Writing start_write() {
    return std::make_unique<Running<std::uint32_t>>(reactor(),
                                                    [this] { return write_large(*connection_); });
  }
  // The beginning of the WRITE alone: the rest stays on its way.
  Element receive_start_of_write() {
    const Octets prefix = peer_.read(4);
    frame_bytes_ = load_be<std::uint32_t>(prefix.data());
    EXPECT_EQ(frame_bytes_, wire::header_bytes + 48 + large_bytes);
    Element element;
    element.bytes = peer_.read(wire::header_bytes + 48);
    element.header = wire::decode<wire::PacketHeader>(element.bytes).value();
    return element;
  }
  Octets receive_rest_of_write() { return peer_.read(large_bytes); }

  static Octets written(const Element& request) {
    wire::WriteResponse response;
    response.count = large_bytes;
    return answer(request, response);
  }

  std::size_t frame_bytes_ = 0;
};

TEST_F(Ending, AnAnswerBeforeTheRequestHasLeftWaitsForIt) {
  connect_negotiated(8);
  auto writing = start_write();
  const Element request = receive_start_of_write();
  peer_.send_frame(written(request));
  EXPECT_FALSE(writing->ended_within(a_while)) << "the kernel still reads the payload";
  const Octets rest = receive_rest_of_write();
  EXPECT_EQ(rest, Octets(large_bytes, std::byte{0x3C}));
  EXPECT_EQ(writing->result().value(), large_bytes);
  expect_alive();
}

TEST_F(Ending, AfterAnEarlyAnswerThePeerMayGo) {
  connect_negotiated(8);
  auto writing = start_write();
  peer_.send_frame(written(receive_start_of_write()));
  EXPECT_FALSE(writing->ended_within(a_while));
  peer_.close();
  auto result = writing->result();  // the answer counts, or the loss; it ends in any case
  if (!result) {
    EXPECT_EQ(result.error().kind(), ErrorKind::disconnected);
  }
  EXPECT_TRUE(fails(start({echo})->result(), ErrorKind::disconnected, ""));
}

TEST_F(Ending, ABadAnswerWhileSendingEndsTheRequest) {
  connect_negotiated(8);
  auto writing = start_write();
  const Element request = receive_start_of_write();
  peer_.send_frame(refusal(request, NtStatus::disk_full, [](auto& h) { h.message_id += 1; }));
  auto result = writing->result();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind(), ErrorKind::protocol);
}

TEST_F(Ending, FailEndsWhatIsInFlightBeingSentAndQueued) {
  connect_negotiated(2);
  auto in_flight = start({read_of(100, 1)});
  peer_.receive();
  auto being_sent = start_write();
  receive_start_of_write();
  auto queued = start({echo, echo});
  on_reactor([this] { connection_->fail(Error(ErrorKind::cancelled, "stop it")); });
  EXPECT_TRUE(fails(in_flight->result(), ErrorKind::cancelled, "stop it"));
  EXPECT_TRUE(fails(queued->result(), ErrorKind::cancelled, "stop it"));
  EXPECT_TRUE(fails(being_sent->result(), ErrorKind::cancelled, "stop it"));
  on_reactor([this] { connection_->fail(Error(ErrorKind::protocol, "too late")); });
  EXPECT_TRUE(fails(start({echo})->result(), ErrorKind::cancelled, "stop it"));
  EXPECT_TRUE(peer_.sees_end());
}

TEST_F(Ending, CloseEndsWhatIsInFlightBeingSentAndQueued) {
  connect_negotiated(2);
  auto in_flight = start({read_of(100, 1)});
  peer_.receive();
  auto being_sent = start_write();
  receive_start_of_write();
  auto queued = start({echo});
  close();
  EXPECT_TRUE(fails(in_flight->result(), ErrorKind::cancelled, "closed by this side"));
  EXPECT_TRUE(fails(queued->result(), ErrorKind::cancelled, "closed by this side"));
  EXPECT_TRUE(fails(being_sent->result(), ErrorKind::cancelled, "closed by this side"));
  EXPECT_TRUE(peer_.sees_end());
}

TEST_F(Ending, CloseEndsAPartlyReceivedCompound) {
  connect_negotiated(8);
  auto asked = start({echo, echo});
  const auto requests = peer_.receive_compound();
  ASSERT_EQ(requests.size(), 2U);
  peer_.send_frame(answer(requests[0], wire::EchoResponse{}));
  peer_.send_prefix(100);  // the second one is on its way
  EXPECT_FALSE(asked->ended_within(a_while));
  close();
  EXPECT_TRUE(fails(asked->result(), ErrorKind::cancelled, "closed by this side"));
}

TEST_F(Ending, ACancelOnItsWayEndsWithTheConnection) {
  connect_negotiated(8);
  Request* request = nullptr;
  auto in_flight = start({[&request](Request& prepared) {
    read_of(100, 1)(prepared);
    request = &prepared;
  }});
  peer_.receive();
  auto being_sent = start_write();
  receive_start_of_write();
  on_reactor([this, &request] { connection_->cancel(*request); });  // queued behind the WRITE
  close();
  EXPECT_FALSE(in_flight->result());
  EXPECT_FALSE(being_sent->result());
}

TEST_F(Ending, TheFirstEndpointThatAnswersIsTaken) {
  const Endpoint nobody = Peer().endpoint();  // no longer listens
  on_reactor([this] { pool_ = std::make_unique<BufferPool>(reactor(), 2, 4096, false); });
  auto opened = run_on(reactor(), [&] {
    return Connection::open(reactor(), *pool_, {nobody, peer_.endpoint()},
                            {.server_label = "server", .timeout = patience});
  });
  ASSERT_TRUE(opened) << describe(opened.error());
  connection_ = std::move(*opened);
  EXPECT_EQ(connection_->remote_address(), text_of(peer_.endpoint()));
  auto refused = run_on(reactor(), [&] {
    return Connection::open(reactor(), *pool_, {nobody, nobody},
                            {.server_label = "server", .timeout = patience});
  });
  EXPECT_TRUE(fails(std::move(refused), ErrorKind::disconnected, text_of(nobody)));
}

}  // namespace
}  // namespace smb3::test
