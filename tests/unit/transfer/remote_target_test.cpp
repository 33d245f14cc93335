// Files on a share that are written: through a temporary or in place, and what a failure leaves.
#include "transfer/remote_target.h"
#include "base/utf16.h"
#include "support/session_fixture.h"
#include "wire/query_info.h"
#include "wire/set_info.h"

namespace smb3::test {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;
using wire::FileInformationClass;

Task<RemoteTarget> open_target(TreeConnect& tree, CopyOptions options) {
  co_return co_await RemoteTarget::open(tree, "folder/file", options);
}
Task<void> finish_target(RemoteTarget& target, std::uint64_t size, BasicInformation information) {
  co_await target.finish(size, information);
}
Task<std::string> discard_target(RemoteTarget& target, const char* earlier_hint) {
  Error failure = Error(ErrorKind::no_space, "full").advise(earlier_hint);
  co_await target.discard(failure);
  co_return failure.hint();
}

class RemoteTargets : public SessionTest {
 protected:
  using Opening = std::unique_ptr<Running<RemoteTarget>>;

  void SetUp() override {
    SessionTest::SetUp();
    connect_share(64);
  }
  void TearDown() override {
    if (!closed_) close();
    on_reactor([this] { target_.reset(); });
    SessionTest::TearDown();
  }
  static CopyOptions options(bool through_temporary, bool must_not_exist = false) {
    CopyOptions options;
    options.through_temporary = through_temporary;
    options.must_not_exist = must_not_exist;
    return options;
  }
  Opening start_open(CopyOptions options) {
    return run<RemoteTarget>([=, this] { return open_target(*tree_, options); });
  }
  // The server is asked for what is there already.
  void answer_status(std::optional<wire::CreateResponse> found) {
    const auto requests = peer_.receive_compound();
    ASSERT_EQ(requests.size(), 2U);
    EXPECT_EQ(from_utf16le(requests[0].as<wire::CreateRequest>().name).value(), "folder\\file");
    if (found) {
      peer_.send_frame(
          compound({answer(requests[0], *found), answer(requests[1], wire::CloseResponse{})}));
    } else {
      peer_.send_frame(compound({refusal(requests[0], NtStatus::object_name_not_found),
                                 refusal(requests[1], NtStatus::object_name_not_found)}));
    }
  }
  void open(CopyOptions options, std::optional<wire::CreateResponse> found) {
    auto opening = start_open(options);
    answer_status(found);
    const Element request = peer_.receive();
    create_ = request.as<wire::CreateRequest>();
    name_ = from_utf16le(create_.name).value();
    peer_.send_frame(answer(request, created()));
    auto target = opening->result();
    ASSERT_TRUE(target) << describe(target.error());
    target_.emplace(std::move(*target));
  }
  std::unique_ptr<Running<void>> start_finish(std::uint64_t size,
                                              BasicInformation information = {}) {
    return run<void>([=, this] { return finish_target(*target_, size, information); });
  }
  void answer_size(std::uint64_t size) {
    const Element request = peer_.receive();
    EXPECT_EQ(request.as<wire::QueryInfoRequest>().file_info_class,
              static_cast<std::uint8_t>(FileInformationClass::network_open));
    wire::FileNetworkOpenInformation information;
    information.end_of_file = size;
    ByteBuffer buffer;
    wire::encode(information, buffer);
    wire::QueryInfoResponse response;
    response.output_buffer = buffer.bytes();
    peer_.send_frame(answer(request, response));
  }
  Octets answer_set(FileInformationClass expected, NtStatus status = NtStatus::success) {
    const Element request = peer_.receive();
    const auto message = request.as<wire::SetInfoRequest>();
    EXPECT_EQ(message.file_info_class, static_cast<std::uint8_t>(expected));
    peer_.send_frame(status == NtStatus::success ? answer(request, wire::SetInfoResponse{})
                                                 : refusal(request, status));
    return {message.buffer.begin(), message.buffer.end()};
  }
  void answer_close(std::uint64_t size) {
    const Element request = peer_.receive();
    EXPECT_EQ(request.header.command, wire::Command::close);
    wire::CloseResponse response;
    response.flags = wire::CloseFlags::postquery_attrib;
    response.end_of_file = size;
    peer_.send_frame(answer(request, response));
  }
  void expect_rename(const Octets& buffer, bool replaces) {
    const auto rename = wire::decode<wire::FileRenameInformation>(buffer).value();
    EXPECT_EQ(from_utf16le(rename.file_name).value(), "folder\\file");
    EXPECT_EQ(rename.replace_if_exists, replaces);
  }
  std::unique_ptr<Running<std::string>> start_discard(const char* earlier_hint = "") {
    return run<std::string>([=, this] { return discard_target(*target_, earlier_hint); });
  }

  std::optional<RemoteTarget> target_;
  wire::CreateRequest create_;  // without its name
  std::string name_;
};

TEST_F(RemoteTargets, AFileIsReplacedByItsTemporary) {
  auto old = created(1000);
  old.file_attributes = wire::FileAttributes::hidden | wire::FileAttributes::readonly;
  open(options(true), old);
  EXPECT_THAT(name_, MatchesRegex("folder.\\.smbcp-[0-9a-f]{16}\\.part"));
  EXPECT_EQ(create_.create_disposition, wire::CreateDisposition::create);
  EXPECT_TRUE(wire::has(create_.desired_access, wire::AccessMask::delete_access));
  EXPECT_EQ(target_->file().display(), "//fs.lab.test/data/folder/file");
  BasicInformation information;
  information.write_time = 12345;
  auto finishing = start_finish(77, information);
  answer_size(77);
  expect_rename(answer_set(FileInformationClass::rename), true);
  const auto basic =
      wire::decode<wire::FileBasicInformation>(answer_set(FileInformationClass::basic)).value();
  EXPECT_EQ(basic.last_write_time, wire::FileTime{12345});
  EXPECT_TRUE(wire::has(basic.file_attributes,
                        wire::FileAttributes::hidden | wire::FileAttributes::readonly));
  answer_close(77);
  EXPECT_TRUE(finishing->result());
}

// The old file is gone by then: the new one must not be given up for lost.
TEST_F(RemoteTargets, WhatFailsAfterTheRenameLeavesTheNewFileInPlace) {
  open(options(true), created(1000));
  BasicInformation information;
  information.write_time = 12345;
  auto finishing = start_finish(77, information);
  answer_size(77);
  answer_set(FileInformationClass::rename);
  answer_set(FileInformationClass::basic, NtStatus::access_denied);
  EXPECT_TRUE(fails(finishing->result(), ErrorKind::access_denied, "the new file is in place"));
  auto discarding = start_discard();
  answer_close(77);
  EXPECT_EQ(discarding->result().value(), "") << "and it stays";
}

class AfterAFailedRename : public RemoteTargets {
 protected:
  void fail_rename() {
    open(options(true), created(1000));
    auto finishing = start_finish(77);
    answer_size(77);
    answer_set(FileInformationClass::rename, NtStatus::access_denied);
    EXPECT_TRUE(fails(finishing->result(), ErrorKind::access_denied, "ACCESS_DENIED"));
  }
  // Then the temporary is looked for by its name: what the handle is of may bear the other one.
  Element expect_search() {
    answer_close(77);
    const Element search = peer_.receive();
    const auto create = search.as<wire::CreateRequest>();
    EXPECT_EQ(from_utf16le(create.name).value(), name_);
    EXPECT_EQ(create.create_disposition, wire::CreateDisposition::open);
    EXPECT_TRUE(wire::has(create.create_options, wire::CreateOptions::delete_on_close));
    return search;
  }
};

TEST_F(AfterAFailedRename, TheTemporaryIsRemoved) {
  fail_rename();
  auto discarding = start_discard();
  peer_.send_frame(answer(expect_search(), created(77)));
  answer_close(77);
  EXPECT_EQ(discarding->result().value(), "");
}

TEST_F(AfterAFailedRename, AFileThatBearsItsNameStays) {
  fail_rename();
  auto discarding = start_discard();
  peer_.send_frame(refusal(expect_search(), NtStatus::object_name_not_found));
  EXPECT_EQ(discarding->result().value(), "");
  EXPECT_TRUE(peer_.is_quiet());
}

TEST_F(AfterAFailedRename, ATemporaryThatIsNotRemovedIsNamed) {
  fail_rename();
  auto discarding = start_discard();
  peer_.send_frame(refusal(expect_search(), NtStatus::sharing_violation));
  EXPECT_THAT(discarding->result().value(),
              HasSubstr("//fs.lab.test/data/folder/" + name_.substr(7)));
}

TEST_F(RemoteTargets, ANewFileMayBeDemanded) {
  open(options(true, true), std::nullopt);
  auto finishing = start_finish(0);
  answer_size(0);
  expect_rename(answer_set(FileInformationClass::rename), false);
  answer_close(0);
  EXPECT_TRUE(finishing->result());
}

TEST_F(RemoteTargets, WhatMustNotExistIsNotTouched) {
  auto opening = start_open(options(true, true));
  answer_status(created(1));
  EXPECT_TRUE(fails(opening->result(), ErrorKind::exists, "//fs.lab.test/data/folder/file"));
  EXPECT_TRUE(peer_.is_quiet());
}

TEST_F(RemoteTargets, ADirectoryIsNoTarget) {
  auto opening = start_open(options(true));
  auto folder = created();
  folder.file_attributes = wire::FileAttributes::directory;
  answer_status(folder);
  EXPECT_TRUE(fails(opening->result(), kind_of(NtStatus::file_is_a_directory), "directory"));
}

TEST_F(RemoteTargets, ARefusedTemporaryIsAnErrorOfTheFile) {
  auto opening = start_open(options(true));
  answer_status(std::nullopt);
  peer_.send_frame(refusal(peer_.receive(), NtStatus::access_denied));
  auto result = opening->result();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind(), ErrorKind::access_denied);
  EXPECT_EQ(result.error().object(), "//fs.lab.test/data/folder/file");
}

TEST_F(RemoteTargets, InPlaceALongerFileIsCut) {
  open(options(false), created(1000));
  EXPECT_EQ(name_, "folder\\file");
  EXPECT_EQ(create_.create_disposition, wire::CreateDisposition::open_if);
  EXPECT_FALSE(wire::has(create_.desired_access, wire::AccessMask::delete_access));
  auto finishing = start_finish(77);
  answer_size(1000);
  EXPECT_EQ(load_le<std::uint64_t>(answer_set(FileInformationClass::end_of_file).data()), 77U);
  answer_close(77);
  EXPECT_TRUE(finishing->result());
}

TEST_F(RemoteTargets, InPlaceWhatMustNotExistIsCreated) {
  open(options(false, true), std::nullopt);
  EXPECT_EQ(create_.create_disposition, wire::CreateDisposition::create);
}

TEST_F(RemoteTargets, AWrongSizeBeforeTheRenameIsAFailure) {
  open(options(true), std::nullopt);
  auto finishing = start_finish(77);
  answer_size(76);
  EXPECT_TRUE(fails(finishing->result(), ErrorKind::failed, "holds 76 bytes where 77"));
  EXPECT_TRUE(peer_.is_quiet()) << "it must not get its name";
}

TEST_F(RemoteTargets, AWrongSizeAtTheEndIsAFailure) {
  open(options(true), std::nullopt);
  auto finishing = start_finish(77);
  answer_size(77);
  answer_set(FileInformationClass::rename);
  answer_close(50);
  EXPECT_TRUE(fails(finishing->result(), ErrorKind::failed, "50 bytes at its end"));
}

TEST_F(RemoteTargets, ADiscardedTemporaryIsRemoved) {
  open(options(true), std::nullopt);
  auto discarding = start_discard();
  EXPECT_EQ(answer_set(FileInformationClass::disposition), Octets{std::byte{1}});
  answer_close(0);
  EXPECT_EQ(discarding->result().value(), "");
}

TEST_F(RemoteTargets, ATemporaryThatIsNotRemovedIsNamed) {
  open(options(true), std::nullopt);
  auto discarding = start_discard("make room");
  answer_set(FileInformationClass::disposition, NtStatus::access_denied);
  answer_close(0);
  const std::string hint = discarding->result().value();
  EXPECT_THAT(hint, HasSubstr("make room"));
  EXPECT_THAT(hint, HasSubstr("//fs.lab.test/data/folder/" + name_.substr(7)));
}

TEST_F(RemoteTargets, WithoutAConnectionTheTemporaryIsNamed) {
  open(options(true), std::nullopt);
  peer_.close();
  EXPECT_THAT(start_discard()->result().value(),
              HasSubstr("//fs.lab.test/data/folder/" + name_.substr(7)));
}

TEST_F(RemoteTargets, InPlaceADiscardedFileIsOnlyClosed) {
  open(options(false), created(1000));
  auto discarding = start_discard();
  answer_close(10);
  EXPECT_EQ(discarding->result().value(), "");
}

}  // namespace
}  // namespace smb3::test
