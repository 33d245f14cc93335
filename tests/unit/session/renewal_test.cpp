// Sessions that expire: renewed once for all who find it so, not for ever, and nobody is told.
#include "session/control.h"
#include "session/directory_listing.h"
#include "session/path_status.h"
#include "unit/session/logon_fixture.h"
#include "wire/flush.h"
#include "wire/logoff.h"
#include "wire/query_directory.h"
#include "wire/read.h"

#include <algorithm>

namespace smb3::test {
namespace {

Octets expired(const Element& request) {
  return refusal(request, NtStatus::network_session_expired);
}

class Renewal : public SessionTest {
 protected:
  std::unique_ptr<Running<void>> start_flush() {
    return run<void>([this] { return open_->flush(); });
  }
  // Takes a request of this command and finds the session expired; yields its MessageId.
  std::uint64_t refuse_as_expired(wire::Command command) {
    const Element request = peer_.receive();
    EXPECT_EQ(request.header.command, command);
    peer_.send_frame(expired(request));
    return request.header.message_id;
  }
  // The request that comes after the renewal.
  Element receive_again(wire::Command command, std::uint64_t first_message_id) {
    const Element again = peer_.receive();
    EXPECT_EQ(again.header.command, command);
    EXPECT_GT(again.header.message_id, first_message_id);
    EXPECT_EQ(again.header.session_id, test_session);
    return again;
  }
  static wire::CloseResponse closed() {
    wire::CloseResponse response;
    response.flags = wire::CloseFlags::postquery_attrib;
    return response;
  }
};

TEST_F(Renewal, OnceAndTheRequestIsSentAgain) {
  open_file(64);
  auto flushing = start_flush();
  const auto id = refuse_as_expired(wire::Command::flush);
  welcome_nobody(test_session);
  const Element again = receive_again(wire::Command::flush, id);
  EXPECT_EQ(again.as<wire::FlushRequest>().file_id, test_file);
  peer_.send_frame(answer(again, wire::FlushResponse{}));
  EXPECT_TRUE(flushing->result());
  EXPECT_FALSE(session_->has_failed());
}

Task<std::size_t> read_bytes(Open& open, std::uint64_t offset) {
  Reservation reservation = co_await open.connection().pool().reserve();
  ReadResult result = co_await open.read(offset, 1000);
  co_return result.data.size();
}

// Also one that is asked for meanwhile waits for the renewal.
TEST_F(Renewal, OneForAllThatAreInFlight) {
  open_file(64);
  constexpr std::size_t count = 6;
  std::vector<std::unique_ptr<Running<std::size_t>>> reading;
  for (std::size_t i = 0; i < count; ++i) {
    reading.push_back(run<std::size_t>([this, i] { return read_bytes(*open_, i * 1000); }));
  }
  std::vector<Element> requests;
  for (std::size_t i = 0; i < count; ++i) requests.push_back(peer_.receive());
  // The first half before the renewal begins, the others in its middle and after it.
  for (std::size_t i = 0; i < count - 1; ++i) peer_.send_frame(expired(requests[i]));
  const Element first = peer_.receive();
  EXPECT_EQ(first.header.command, wire::Command::session_setup);
  auto late = start_flush();
  EXPECT_TRUE(peer_.is_quiet()) << "nothing new is sent before the session is renewed";
  peer_.send_frame(refusal(first, NtStatus::logon_failure));
  for (std::size_t i = 0; i < count - 1; ++i) {
    EXPECT_TRUE(fails(reading[i]->result(), ErrorKind::authentication, "could not be renewed"));
  }
  EXPECT_TRUE(fails(late->result(), ErrorKind::authentication, "could not be renewed"));
  peer_.send_frame(expired(requests[count - 1]));
  EXPECT_TRUE(fails(reading[count - 1]->result(), ErrorKind::authentication, "LOGON_FAILURE"));
  EXPECT_TRUE(session_->has_failed());
  EXPECT_TRUE(peer_.is_quiet()) << "the failed session is not tried again";
}

TEST_F(Renewal, AllThatWereInFlightAreSentAgain) {
  open_file(64);
  constexpr std::size_t count = 6;
  std::vector<std::unique_ptr<Running<std::size_t>>> reading;
  std::vector<Element> requests;
  for (std::size_t i = 0; i < count; ++i) {
    reading.push_back(run<std::size_t>([this, i] { return read_bytes(*open_, i * 1000); }));
    requests.push_back(peer_.receive());
  }
  for (std::size_t i = 0; i < count - 1; ++i) peer_.send_frame(expired(requests[i]));
  welcome_nobody(test_session);
  // One whose refusal comes after the renewal was sent before it: no second one follows.
  peer_.send_frame(expired(requests[count - 1]));
  std::vector<std::uint64_t> offsets;
  for (std::size_t i = 0; i < count; ++i) {
    const Element again = receive_again(wire::Command::read, requests[count - 1].header.message_id);
    offsets.push_back(again.as<wire::ReadRequest>().offset);
    const Octets data(1000);
    wire::ReadResponse response;
    response.data = data;
    peer_.send_frame(answer(again, response));
  }
  std::ranges::sort(offsets);
  EXPECT_EQ(offsets, (std::vector<std::uint64_t>{0, 1000, 2000, 3000, 4000, 5000}));
  for (auto& one : reading) EXPECT_EQ(one->result().value(), 1000U);
}

TEST_F(Renewal, NotForEver) {
  open_file(64);
  auto flushing = start_flush();
  std::size_t renewals = 0;
  while (renewals < 10) {
    refuse_as_expired(wire::Command::flush);
    if (flushing->ended_within(milliseconds(1)) || peer_.is_quiet(milliseconds(4000))) break;
    welcome_nobody(test_session);
    ++renewals;
  }
  EXPECT_EQ(renewals, 4U);
  EXPECT_TRUE(fails(flushing->result(), ErrorKind::authentication, "STATUS_NETWORK_SESSION_EXPIR"));
  auto later = start_flush();
  EXPECT_TRUE(fails(later->result(), ErrorKind::authentication, "expires again as soon as"));
}

// The pause before the next attempt is over when the connection is.
TEST_F(Renewal, ItsPauseEndsWithTheConnection) {
  open_file(64);
  auto flushing = start_flush();
  for (int i = 0; i < 3; ++i) {  // the next pause takes two seconds
    refuse_as_expired(wire::Command::flush);
    welcome_nobody(test_session);
  }
  refuse_as_expired(wire::Command::flush);
  on_reactor([this] { connection_->fail(Error(ErrorKind::cancelled, "interrupted")); });
  EXPECT_TRUE(flushing->ended_within(milliseconds(1000)));
  EXPECT_TRUE(fails(flushing->result(), ErrorKind::cancelled, "interrupted"));
}

// A session that works between two ends is renewed as often as it takes.
TEST_F(Renewal, AsOftenAsThereIsProgress) {
  open_file(64);
  for (int i = 0; i < 12; ++i) {
    auto flushing = start_flush();
    const auto id = refuse_as_expired(wire::Command::flush);
    welcome_nobody(test_session);
    peer_.send_frame(answer(receive_again(wire::Command::flush, id), wire::FlushResponse{}));
    EXPECT_TRUE(flushing->result());
  }
}

TEST_F(Renewal, IsNotNeededToCloseAndToLogOff) {
  open_file(64);
  auto flushing = start_flush();
  refuse_as_expired(wire::Command::flush);
  const Element renewal = peer_.receive();
  auto closing = run<FileStatus>([this] { return open_->close(); });
  const Element close = peer_.receive();
  EXPECT_EQ(close.header.command, wire::Command::close) << "it does not wait for the renewal";
  peer_.send_frame(answer(close, closed()));
  EXPECT_TRUE(closing->result());
  peer_.send_frame(refusal(renewal, NtStatus::account_disabled));
  EXPECT_TRUE(fails(flushing->result(), ErrorKind::authentication, "ACCOUNT_DISABLED"));
  auto closing_again = run<FileStatus>([this] { return open_->close(); });
  peer_.send_frame(answer(peer_.receive(), closed()));
  EXPECT_TRUE(closing_again->result()) << "also of a session that has failed";
  auto ending = run<void>([this] { return session_->logoff(); });
  const Element logoff = peer_.receive();
  EXPECT_EQ(logoff.header.command, wire::Command::logoff);
  peer_.send_frame(expired(logoff));
  EXPECT_TRUE(ending->result());
}

TEST_F(Renewal, OfEveryKindOfRequest) {
  log_on_as_nobody(64);
  auto connecting = start_tree_connect();
  auto id = refuse_as_expired(wire::Command::tree_connect);
  welcome_nobody(test_session);
  peer_.send_frame(tree_answer(receive_again(wire::Command::tree_connect, id)));
  auto tree = connecting->result();
  ASSERT_TRUE(tree) << describe(tree.error());
  tree_ = std::move(*tree);

  auto creating = start_create("file");
  id = refuse_as_expired(wire::Command::create);
  welcome_nobody(test_session);
  peer_.send_frame(answer(receive_again(wire::Command::create, id), created()));
  auto open = creating->result();
  ASSERT_TRUE(open) << describe(open.error());
  open_ = std::move(*open);

  const Octets data(100);
  const auto expect_renewal = [&](wire::Command command, std::function<Task<void>()> ask) {
    auto asked = run<void>(std::move(ask));
    const auto first = refuse_as_expired(command);
    welcome_nobody(test_session);
    peer_.send_frame(refusal(receive_again(command, first), NtStatus::disk_full));
    EXPECT_TRUE(fails(asked->result(), ErrorKind::no_space, "DISK_FULL"));
  };
  expect_renewal(wire::Command::write, [&] { return open_->write(0, data, false); });
  expect_renewal(wire::Command::set_info, [&] { return open_->set_end_of_file(1); });
  auto asking = run<FileStatus>([this] { return open_->status(); });
  id = refuse_as_expired(wire::Command::query_info);
  welcome_nobody(test_session);
  peer_.send_frame(refusal(receive_again(wire::Command::query_info, id), NtStatus::disk_full));
  EXPECT_FALSE(asking->result());

  const ControlParameters question{.code = wire::ControlCode::srv_request_resume_key,
                                   .file_id = test_file,
                                   .max_output_bytes = 32};
  auto controlling =
      run<std::vector<std::byte>>([this, question] { return control(*tree_, question); });
  id = refuse_as_expired(wire::Command::ioctl);
  welcome_nobody(test_session);
  peer_.send_frame(refusal(receive_again(wire::Command::ioctl, id), NtStatus::disk_full));
  EXPECT_FALSE(controlling->result());
}

TEST_F(Renewal, BetweenTwoPagesOfADirectory) {
  connect_share(64);
  using Listing = std::unique_ptr<DirectoryListing>;
  auto opening = run<Listing>([this] { return DirectoryListing::open(*tree_, "folder"); });
  peer_.send_frame(answer(peer_.receive(), created()));
  auto opened = opening->result();
  ASSERT_TRUE(opened) << describe(opened.error());
  Listing listing = std::move(*opened);
  auto asking = run<std::vector<DirectoryEntry>>([&listing] { return listing->next(); });
  const auto id = refuse_as_expired(wire::Command::query_directory);
  welcome_nobody(test_session);
  // From the beginning: whether the server has moved on, only it knows.
  const Element again = receive_again(wire::Command::query_directory, id);
  EXPECT_EQ(again.as<wire::QueryDirectoryRequest>().flags,
            wire::QueryDirectoryFlags::restart_scans);
  peer_.send_frame(refusal(again, NtStatus::no_more_files));
  auto page = asking->result();
  ASSERT_TRUE(page) << describe(page.error());
  EXPECT_TRUE(page->empty());
  on_reactor([&listing] { listing.reset(); });
}

TEST_F(Renewal, OfACompound) {
  connect_share(64);
  auto asking = run<FileStatus>([this] { return path_status(*tree_, "file"); });
  auto members = peer_.receive_compound();
  ASSERT_EQ(members.size(), 2U);
  peer_.send_frame(
      compound({expired(members[0]), refusal(members[1], NtStatus::network_session_expired)}));
  welcome_nobody(test_session);
  members = peer_.receive_compound();
  ASSERT_EQ(members.size(), 2U);
  EXPECT_EQ(members[0].header.command, wire::Command::create);
  peer_.send_frame(compound({answer(members[0], created(77)), answer(members[1], closed())}));
  auto status = asking->result();
  ASSERT_TRUE(status) << describe(status.error());
  EXPECT_EQ(status->size_bytes, 77U);
}

TEST_F(Renewal, TheConnectionMayBeLostInItsMiddle) {
  open_file(64);
  auto flushing = start_flush();
  refuse_as_expired(wire::Command::flush);
  peer_.receive();
  peer_.close();
  EXPECT_TRUE(fails(flushing->result(), ErrorKind::disconnected, "closed the connection"));
}

// With keys: what is signed is the renewal too, and its answers.
class SignedRenewal : public LogonTest {
 protected:
  void begin(SecurityPolicy policy) {
    log_on(policy);
    connect_tree();
    creating_ = start_create("file");
  }
  Element receive_signed() {
    Element request = peer_.receive();
    EXPECT_TRUE(keys_->verifies(request)) << "the request is not signed with the session's key";
    return request;
  }
  Final renew_signed() {
    return renew([this] { return receive_signed(); },
                 [this](const Octets& reply) { peer_.send_frame(keys_->sign(reply)); });
  }
  std::unique_ptr<Running<std::unique_ptr<Open>>> creating_;
};

TEST_F(SignedRenewal, KeepsTheKeys) {
  begin({.sign = true});
  const Element request = receive_signed();
  peer_.send_frame(keys_->sign(expired(request)));
  const Final final = renew_signed();
  ASSERT_TRUE(acceptor_->complete);
  peer_.send_frame(keys_->sign(final_answer(final)));
  const Element again = receive_signed();
  EXPECT_EQ(again.header.command, wire::Command::create);
  EXPECT_GT(again.header.message_id, request.header.message_id);
  peer_.send_frame(keys_->sign(answer(again, created())));
  auto open = creating_->result();
  ASSERT_TRUE(open) << describe(open.error());
  open_ = std::move(*open);
}

TEST_F(SignedRenewal, IsSignedWhereSigningIsOptional) {
  begin({});
  const Element request = peer_.receive();
  EXPECT_FALSE(request.header.is_signed());
  peer_.send_frame(expired(request));
  const Final final = renew_signed();
  peer_.send_frame(keys_->sign(final_answer(final)));
  peer_.send_frame(refusal(peer_.receive(), NtStatus::access_denied));
  EXPECT_TRUE(fails(creating_->result(), ErrorKind::access_denied, ""));
}

TEST_F(SignedRenewal, IsSealedWhereAllIs) {
  begin({.encrypt = true});
  peer_.send_frame(keys_->seal(expired(receive_sealed())));
  const Final final = renew([this] { return receive_sealed(); },
                            [this](const Octets& reply) { peer_.send_frame(keys_->seal(reply)); });
  ASSERT_TRUE(acceptor_->complete);
  peer_.send_frame(keys_->seal(final_answer(final)));
  peer_.send_frame(keys_->seal(answer(receive_sealed(), created())));
  auto open = creating_->result();
  ASSERT_TRUE(open) << describe(open.error());
  open_ = std::move(*open);
}

TEST_F(SignedRenewal, AnUnsignedSuccessIsNotBelieved) {
  begin({.sign = true});
  peer_.send_frame(keys_->sign(expired(receive_signed())));
  peer_.send_frame(final_answer(renew_signed()));
  EXPECT_TRUE(fails(creating_->result(), ErrorKind::security, "not signed"));
}

TEST_F(SignedRenewal, NobodyIsMadeAGuest) {
  begin({.sign = true});
  peer_.send_frame(keys_->sign(expired(receive_signed())));
  peer_.send_frame(keys_->sign(final_answer(renew_signed(), wire::SessionFlags::is_guest)));
  EXPECT_TRUE(fails(creating_->result(), ErrorKind::security, "a guest although"));
}

TEST_F(SignedRenewal, SuccessAtOnceProvesNothing) {
  begin({.sign = true});
  peer_.send_frame(keys_->sign(expired(receive_signed())));
  const Element request = receive_signed();
  peer_.send_frame(keys_->sign(session_setup_answer(request, {}, in_session(NtStatus::success))));
  EXPECT_TRUE(fails(creating_->result(), ErrorKind::security, "could not be renewed"));
}

// The session has ended with it on some servers, and with it the key that would sign.
TEST_F(SignedRenewal, ItsRefusalNeedsNoSignature) {
  begin({.sign = true});
  peer_.send_frame(keys_->sign(expired(receive_signed())));
  peer_.send_frame(refusal(receive_signed(), NtStatus::logon_failure));
  EXPECT_TRUE(fails(creating_->result(), ErrorKind::authentication, "wrong user name or password"));
}

}  // namespace
}  // namespace smb3::test
