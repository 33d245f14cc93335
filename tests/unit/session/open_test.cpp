// Paths, CREATE, CLOSE, SET_INFO, and the status of a path.
#include "support/session_fixture.h"
#include "base/utf16.h"
#include "session/path_status.h"
#include "wire/oplock_break.h"
#include "wire/set_info.h"

namespace smb3::test {
namespace {

std::string on_the_wire(std::string_view path) {
  auto wide = wire_path(path);
  return wide ? from_utf16le(*wide).value() : "refused: " + wide.error().what();
}

TEST(WirePath, TurnsSlashesAround) {
  EXPECT_EQ(on_the_wire(""), "");
  EXPECT_EQ(on_the_wire("a"), "a");
  EXPECT_EQ(on_the_wire("a/b/c.txt"), "a\\b\\c.txt");
  EXPECT_EQ(on_the_wire("ü/…/😀"), "ü\\…\\😀");
  EXPECT_EQ(on_the_wire("...") + on_the_wire(".a") + on_the_wire("a."), "....aa.");
  EXPECT_EQ(on_the_wire("a b/ c "), "a b\\ c ");
}

TEST(WirePath, RefusesWhatNoServerPathMayHold) {
  for (const std::string_view path : {"/", "/a", "a/", "a//b", ".", "..", "./a", "a/.", "a/./b",
                                      "a/..", "../a", "a/../b", "a//", "//"}) {
    auto refused = wire_path(path);
    ASSERT_FALSE(refused) << path;
    EXPECT_EQ(refused.error().kind(), ErrorKind::local);
    EXPECT_EQ(refused.error().object(), path);
  }
  EXPECT_FALSE(wire_path("a\\b"));
  EXPECT_FALSE(wire_path(std::string_view("a\0b", 3)));
  EXPECT_FALSE(wire_path("\xff"));
}

TEST(WirePath, IsAtMostWhatTheLengthFieldCanSay) {
  EXPECT_TRUE(wire_path(std::string(32767, 'a')));
  EXPECT_FALSE(wire_path(std::string(32768, 'a')));
}

using Create = SessionTest;

TEST_F(Create, NamesTheFileAsTheServerWantsIt) {
  connect_share(64);
  auto creating = start_create("folder/file");
  const Element request = peer_.receive();
  EXPECT_EQ(request.header.session_id, test_session);
  EXPECT_EQ(request.header.tree_id, test_tree);
  const auto message = request.as<wire::CreateRequest>();
  EXPECT_EQ(from_utf16le(message.name).value(), "folder\\file");
  peer_.send_frame(answer(request, created(12345)));
  auto open = creating->result();
  ASSERT_TRUE(open) << describe(open.error());
  open_ = std::move(*open);
  EXPECT_EQ(open_->file_id(), test_file);
  EXPECT_EQ(open_->status_at_open().size_bytes, 12345U);
  EXPECT_EQ(open_->display(), "//fs.lab.test/data/folder/file");
  EXPECT_FALSE(open_->is_closed());
}

TEST_F(Create, OfABadPathSendsNothing) {
  connect_share(64);
  EXPECT_TRUE(fails(start_create("a/../b")->result(), ErrorKind::local, "'..'"));
  EXPECT_TRUE(peer_.is_quiet());
}

TEST_F(Create, RefusalsNameTheFile) {
  connect_share(64);
  auto creating = start_create("folder/file");
  peer_.send_frame(refusal(peer_.receive(), NtStatus::object_name_not_found));
  auto open = creating->result();
  ASSERT_FALSE(open);
  EXPECT_EQ(open.error().kind(), ErrorKind::not_found);
  EXPECT_EQ(open.error().object(), "//fs.lab.test/data/folder/file");
  EXPECT_EQ(open.error().operation(), "CREATE");
}

TEST_F(Create, AnOplockIsGivenBackWhenItIsBroken) {
  connect_share(64);
  auto creating = start_create("file");
  auto response = created();
  response.oplock_level = wire::OplockLevel::batch;
  peer_.send_frame(answer(peer_.receive(), response));
  open_ = std::move(creating->result().value());
  wire::PacketHeader header;
  header.command = wire::Command::oplock_break;
  header.flags = wire::HeaderFlags::server_to_redir;
  header.message_id = wire::unsolicited_message_id;
  wire::OplockBreakNotification broken;
  broken.file_id = test_file;
  peer_.send_frame(message(header, broken));
  const Element request = peer_.receive();
  EXPECT_EQ(request.header.session_id, test_session);
  EXPECT_EQ(request.header.tree_id, test_tree);
  EXPECT_EQ(request.as<wire::OplockBreakAcknowledgment>().file_id, test_file);
  peer_.send_frame(answer(request, wire::OplockBreakResponse{}));
  // No longer known once it is gone.
  on_reactor([this] { open_.reset(); });
  peer_.send_frame(message(header, broken));
  EXPECT_TRUE(peer_.is_quiet());
  expect_alive();
}

class OtherCalls : public SessionTest {
 protected:
  Octets set_information(const Element& request, wire::FileInformationClass expected) {
    const auto message = request.as<wire::SetInfoRequest>();
    EXPECT_EQ(message.file_info_class, static_cast<std::uint8_t>(expected));
    EXPECT_EQ(message.file_id, test_file);
    peer_.send_frame(answer(request, wire::SetInfoResponse{}));
    return {message.buffer.begin(), message.buffer.end()};
  }
};

TEST_F(OtherCalls, CloseTellsTheSizeAtTheEnd) {
  open_file(64);
  auto closing = run<FileStatus>([this] { return open_->close(); });
  const Element request = peer_.receive();
  EXPECT_EQ(request.as<wire::CloseRequest>().flags, wire::CloseFlags::postquery_attrib);
  wire::CloseResponse response;
  response.flags = wire::CloseFlags::postquery_attrib;
  response.end_of_file = 77;
  peer_.send_frame(answer(request, response));
  EXPECT_EQ(closing->result().value().size_bytes, 77U);
  EXPECT_TRUE(open_->is_closed());
}

TEST_F(OtherCalls, CloseWithoutTheSizeIsAFailure) {
  open_file(64);
  auto closing = run<FileStatus>([this] { return open_->close(); });
  peer_.send_frame(answer(peer_.receive(), wire::CloseResponse{}));
  EXPECT_TRUE(fails(closing->result(), ErrorKind::failed, "size at its end"));
}

TEST_F(OtherCalls, RenameChangesThePathOnlyWhenItWorked) {
  open_file(64);
  auto refused = run<void>([this] { return open_->rename("other/name", false); });
  peer_.send_frame(refusal(peer_.receive(), NtStatus::object_name_collision));
  EXPECT_TRUE(fails(refused->result(), ErrorKind::exists, "//fs.lab.test/data/folder/file"));
  EXPECT_EQ(open_->path(), "folder/file");
  auto renaming = run<void>([this] { return open_->rename("other/name", true); });
  const Octets buffer = set_information(peer_.receive(), wire::FileInformationClass::rename);
  const auto rename = wire::decode<wire::FileRenameInformation>(buffer).value();
  EXPECT_TRUE(rename.replace_if_exists);
  EXPECT_EQ(from_utf16le(rename.file_name).value(), "other\\name");
  EXPECT_TRUE(renaming->result());
  EXPECT_EQ(open_->path(), "other/name");
}

TEST_F(OtherCalls, SizeAndRemovalAreSetByTheirClasses) {
  open_file(64);
  auto sizing = run<void>([this] { return open_->set_end_of_file(0x123456789A); });
  const Octets size = set_information(peer_.receive(), wire::FileInformationClass::end_of_file);
  EXPECT_EQ(load_le<std::uint64_t>(size.data()), 0x123456789AU);
  EXPECT_TRUE(sizing->result());
  auto removing = run<void>([this] { return open_->remove_on_close(); });
  EXPECT_EQ(set_information(peer_.receive(), wire::FileInformationClass::disposition),
            Octets{std::byte{1}});
  EXPECT_TRUE(removing->result());
}

TEST_F(OtherCalls, PathStatusIsOneCompound) {
  connect_share(64);
  auto asking = run<FileStatus>([this] { return path_status(*tree_, "folder/file"); });
  const auto requests = peer_.receive_compound();
  ASSERT_EQ(requests.size(), 2U);
  EXPECT_EQ(requests[0].header.command, wire::Command::create);
  EXPECT_EQ(requests[1].header.command, wire::Command::close);
  EXPECT_EQ(requests[1].as<wire::CloseRequest>().file_id, wire::no_file_id);
  peer_.send_frame(
      compound({answer(requests[0], created(99)), answer(requests[1], wire::CloseResponse{})}));
  EXPECT_EQ(asking->result().value().size_bytes, 99U);
}

TEST_F(OtherCalls, PathStatusTellsWhyThereIsNone) {
  connect_share(64);
  auto asking = run<FileStatus>([this] { return path_status(*tree_, "folder/file"); });
  const auto requests = peer_.receive_compound();
  ASSERT_EQ(requests.size(), 2U);
  peer_.send_frame(refusal(requests[0], NtStatus::object_name_not_found));
  peer_.send_frame(refusal(requests[1], NtStatus::object_name_not_found));
  EXPECT_TRUE(fails(asking->result(), ErrorKind::not_found, "//fs.lab.test/data/folder/file"));
}

TEST_F(OtherCalls, PathStatusNeedsNoTwoCredits) {
  connect_share(1);
  auto asking = run<FileStatus>([this] { return path_status(*tree_, "file"); });
  const Element create = peer_.receive();
  EXPECT_EQ(create.header.command, wire::Command::create);
  peer_.send_frame(answer(create, created(99)));
  const Element close = peer_.receive();
  EXPECT_EQ(close.as<wire::CloseRequest>().file_id, test_file);
  peer_.send_frame(answer(close, wire::CloseResponse{}));
  EXPECT_EQ(asking->result().value().size_bytes, 99U);
}

// A server that carries out members singly.
TEST_F(OtherCalls, PathStatusClosesWhatWasLeftOpen) {
  connect_share(64);
  auto asking = run<FileStatus>([this] { return path_status(*tree_, "file"); });
  const auto requests = peer_.receive_compound();
  ASSERT_EQ(requests.size(), 2U);
  peer_.send_frame(answer(requests[0], created(99)));
  peer_.send_frame(refusal(requests[1], NtStatus::file_closed));
  const Element close = peer_.receive();
  EXPECT_EQ(close.as<wire::CloseRequest>().file_id, test_file);
  peer_.send_frame(answer(close, wire::CloseResponse{}));
  EXPECT_EQ(asking->result().value().size_bytes, 99U);
}

}  // namespace
}  // namespace smb3::test
