// CREATE and CLOSE: names, dispositions, sharing modes, deletion.
#include "unit/server/opens_fixture.h"

namespace smb3::server {
namespace {

using wire::AccessMask;
using wire::CreateAction;
using wire::CreateDisposition;
using wire::CreateOptions;
using wire::FileAttributes;
using wire::ShareAccess;

class CreateTest : public OpensTest {
 protected:
  NtStatus status(wire::CreateRequest message) { return create(first_, message).status; }
  NtStatus named(std::u16string_view path) { return status(creation(path)); }
  Created with(std::u16string_view path, CreateDisposition disposition,
               CreateOptions options = CreateOptions::none) {
    wire::CreateRequest message = creation(path, everything);
    message.create_disposition = disposition;
    message.create_options = options;
    return create(first_, message);
  }
  NtStatus second_open(AccessMask access, ShareAccess share) {
    return create(second_, creation(u"f", access, share)).status;
  }
};

TEST_F(CreateTest, NamesThatNameNothingHere) {
  EXPECT_EQ(named(u"\\a"), NtStatus::invalid_parameter);
  EXPECT_EQ(named(u".."), NtStatus::invalid_parameter);
  EXPECT_EQ(named(u"a\\..\\b"), NtStatus::invalid_parameter);
  EXPECT_EQ(named(u"a\\"), NtStatus::object_name_invalid);
  EXPECT_EQ(named(u"a\\\\b"), NtStatus::object_name_invalid);
  EXPECT_EQ(named(u"a:stream"), NtStatus::object_name_invalid);
  EXPECT_EQ(named(u"a*"), NtStatus::object_name_invalid);
  EXPECT_EQ(named(std::u16string(256, u'x')), NtStatus::object_name_invalid);
  EXPECT_EQ(named(u"com1"), NtStatus::access_denied);
  EXPECT_EQ(named(u"no\\file"), NtStatus::object_path_not_found);
  wire::CreateRequest odd = creation(u"ab");
  odd.name = odd.name.first(3);
  EXPECT_EQ(status(odd), NtStatus::invalid_parameter);
}

TEST_F(CreateTest, TheEmptyNameIsTheShareItself) {
  wire::CreateRequest root = creation(u"", AccessMask::read_data);
  root.create_disposition = CreateDisposition::open;
  const Created made = create(first_, root);
  EXPECT_EQ(made.status, NtStatus::success);
  EXPECT_TRUE(has(made.response.file_attributes, FileAttributes::directory));
}

TEST_F(CreateTest, EachDispositionDoesWhatItSays) {
  using enum CreateDisposition;
  EXPECT_EQ(with(u"f", CreateDisposition::open).status, NtStatus::object_name_not_found);
  EXPECT_EQ(with(u"f", overwrite).status, NtStatus::object_name_not_found);
  EXPECT_EQ(with(u"f", CreateDisposition::create).response.create_action, CreateAction::created);
  EXPECT_EQ(with(u"f", CreateDisposition::create).status, NtStatus::object_name_collision);
  EXPECT_EQ(with(u"f", open_if).response.create_action, CreateAction::opened);
  fill(u"f", "text");
  EXPECT_EQ(with(u"f", CreateDisposition::open).response.end_of_file, 4u);
  const Created cut = with(u"f", overwrite_if);
  EXPECT_EQ(cut.response.create_action, CreateAction::overwritten);
  EXPECT_EQ(cut.response.end_of_file, 0u);
  EXPECT_EQ(with(u"f", supersede).response.create_action, CreateAction::superseded);
}

TEST_F(CreateTest, FilesAndFoldersAreToldApart) {
  ASSERT_EQ(with(u"d", CreateDisposition::create, CreateOptions::directory_file).status,
            NtStatus::success);
  ASSERT_EQ(with(u"f", CreateDisposition::create).status, NtStatus::success);
  EXPECT_EQ(with(u"d", CreateDisposition::open, CreateOptions::non_directory_file).status,
            NtStatus::file_is_a_directory);
  EXPECT_EQ(with(u"f", CreateDisposition::open, CreateOptions::directory_file).status,
            NtStatus::not_a_directory);
  EXPECT_EQ(with(u"d", CreateDisposition::overwrite_if).status, NtStatus::object_name_collision);
  EXPECT_EQ(with(u"d", CreateDisposition::overwrite_if, CreateOptions::directory_file).status,
            NtStatus::invalid_parameter);
  EXPECT_EQ(with(u"d", CreateDisposition::open,
                 CreateOptions::directory_file | CreateOptions::non_directory_file)
                .status,
            NtStatus::invalid_parameter);
}

TEST_F(CreateTest, AccessIsWhatWasAskedForWithoutGenericBits) {
  const auto granted = [this](AccessMask access) {
    const Created made = create(first_, creation(u"f", access));
    return first_.session->opens.at(made.id().volatile_id)->access;
  };
  EXPECT_EQ(granted(AccessMask::generic_read), AccessMask{0x120089});
  EXPECT_EQ(granted(AccessMask::generic_all), everything);
  EXPECT_EQ(granted(AccessMask::maximum_allowed), everything);
  EXPECT_EQ(status(creation(u"f", AccessMask::none)), NtStatus::access_denied);
  EXPECT_EQ(status(creation(u"f", AccessMask{0x200})), NtStatus::access_denied);
}

TEST_F(CreateTest, WhatTheTreeDoesNotAllowIsDenied) {
  tree_->maximal_access = AccessMask{0x1200A9};
  EXPECT_EQ(status(creation(u"f")), NtStatus::access_denied);
  fill(u"f", "x");
  EXPECT_EQ(status(creation(u"f", AccessMask::read_data)), NtStatus::success);
  EXPECT_EQ(with(u"new", CreateDisposition::create).status, NtStatus::access_denied);
}

TEST_F(CreateTest, AReadOnlyFileIsNeitherWrittenNorDeleted) {
  ASSERT_TRUE(store().create(u"f", false, FileAttributes::readonly));
  EXPECT_EQ(status(creation(u"f")), NtStatus::access_denied);
  EXPECT_EQ(status(creation(u"f", AccessMask::read_data)), NtStatus::success);
  wire::CreateRequest removal = creation(u"f", AccessMask::delete_access);
  removal.create_options = CreateOptions::delete_on_close;
  EXPECT_EQ(status(removal), NtStatus::cannot_delete);
  removal.desired_access = AccessMask::read_data;
  EXPECT_EQ(status(removal), NtStatus::access_denied);
  const Created most = create(first_, creation(u"f", AccessMask::maximum_allowed));
  EXPECT_EQ(first_.session->opens.at(most.id().volatile_id)->access & read_write,
            AccessMask::read_data);
}

// Each row: what the first open does and shares, what the second wants to do and share.
TEST_F(CreateTest, SharingHoldsBothWays) {
  constexpr auto none = ShareAccess::none;
  constexpr auto deletes = AccessMask::delete_access;
  struct Row {
    AccessMask first;
    ShareAccess first_shares;
    AccessMask second;
    ShareAccess second_shares;
    bool allowed;
  };
  const Row rows[] = {
      {AccessMask::read_data, share_all, read_write, share_all, true},
      {AccessMask::read_data, ShareAccess::read, AccessMask::read_data, ShareAccess::read, true},
      {AccessMask::read_data, ShareAccess::read, read_write, share_all, false},
      {read_write, share_all, AccessMask::read_data, ShareAccess::read, false},
      {AccessMask::read_data, none, AccessMask::read_data, share_all, false},
      {AccessMask::read_data, none, AccessMask::read_attributes, none, true},
      {AccessMask::read_attributes, none, read_write, none, true},
      {AccessMask::execute, share_all, AccessMask::append_data, ShareAccess::write, false},
      {AccessMask::append_data, ShareAccess::read, AccessMask::append_data, share_all, false},
      {AccessMask::read_data, ShareAccess::read | ShareAccess::write, deletes, share_all, false},
      {deletes, share_all, AccessMask::read_data, ShareAccess::read | ShareAccess::write, false},
      {deletes, share_all, AccessMask::read_data, ShareAccess::delete_access, true},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(&row - rows);
    const Created one = create(first_, creation(u"f", row.first, row.first_shares));
    ASSERT_EQ(one.status, NtStatus::success);
    const NtStatus other = second_open(row.second, row.second_shares);
    EXPECT_EQ(other, row.allowed ? NtStatus::success : NtStatus::sharing_violation);
    end_opens(*first_.session, nullptr);
    end_opens(*second_.session, nullptr);
  }
}

TEST_F(CreateTest, OverwritingNeedsThatWritesAreShared) {
  ASSERT_EQ(create(first_, creation(u"f", AccessMask::read_data, ShareAccess::read)).status,
            NtStatus::success);
  wire::CreateRequest message = creation(u"f", AccessMask::read_data);
  message.create_disposition = CreateDisposition::overwrite;
  EXPECT_EQ(create(second_, message).status, NtStatus::sharing_violation);
}

TEST_F(CreateTest, AFileGoesWithItsLastOpen) {
  wire::CreateRequest message = creation(u"f", everything);
  message.create_options = CreateOptions::delete_on_close;
  const Created doomed = create(first_, message);
  const Created other = create(second_, creation(u"f"));
  ASSERT_EQ(other.status, NtStatus::success);
  EXPECT_EQ(close(first_, doomed.id()).status, NtStatus::success);
  EXPECT_EQ(named(u"f"), NtStatus::delete_pending);
  EXPECT_TRUE(store().open(u"f"));
  EXPECT_EQ(close(second_, other.id()).status, NtStatus::success);
  EXPECT_EQ(store().open(u"f").error(), NtStatus::object_name_not_found);
  EXPECT_EQ(close(second_, other.id()).status, NtStatus::file_closed);
}

TEST_F(CreateTest, CloseTellsTheLastState) {
  fill(u"f", "four");
  const Created made = create(first_, creation(u"f"));
  wire::CloseRequest message;
  message.file_id = made.id();
  message.flags = wire::CloseFlags::postquery_attrib;
  const Answer answer = ask(first_, message, server::close);
  const auto response = wire::decode<wire::CloseResponse>(answer.message->bytes()).value();
  EXPECT_EQ(response.flags, wire::CloseFlags::postquery_attrib);
  EXPECT_EQ(response.end_of_file, 4u);
}

TEST_F(CreateTest, BothHalvesOfAFileIdCount) {
  wire::FileId id = create(first_, creation(u"f")).id();
  ++id.persistent;
  EXPECT_EQ(close(first_, id).status, NtStatus::file_closed);
  --id.persistent;
  EXPECT_EQ(close(second_, id).status, NtStatus::file_closed);
  EXPECT_EQ(close(first_, id).status, NtStatus::success);
}

TEST_F(CreateTest, ContextsAreAnswered) {
  fill(u"f", "x");
  wire::CreateRequest message = creation(u"f");
  message.contexts.push_back({wire::create_context::bytes_of("MxAc"), {}});
  message.contexts.push_back({wire::create_context::bytes_of("QFid"), {}});
  message.contexts.push_back({wire::create_context::bytes_of("abcd"), {}});
  const Created made = create(first_, message);
  EXPECT_EQ(made.context<wire::QueryMaximalAccessResponse>()->maximal_access, everything);
  EXPECT_EQ(made.context<wire::QueryOnDiskIdResponse>()->disk_file_id,
            store().open(u"f").value()->status()->file_index);
  message.contexts.push_back({wire::create_context::bytes_of("abc"), {}});
  EXPECT_EQ(status(message), NtStatus::invalid_parameter);
}

TEST_F(CreateTest, ALaterInstanceOfAnApplicationEndsTheEarlierOne) {
  const auto instance = [this](Client& one, std::uint64_t version) {
    wire::CreateRequest message = creation(u"f", read_write, ShareAccess::none);
    wire::AppInstanceId id;
    id.app_instance_id.bytes.fill(std::byte{9});
    add(message, id);
    wire::AppInstanceVersion number;
    number.app_instance_version_low = version;
    add(message, number);
    return create(one, message);
  };
  const Created early = instance(first_, 5);
  EXPECT_EQ(instance(second_, 5).status, NtStatus::file_forced_closed);
  EXPECT_EQ(instance(second_, 6).status, NtStatus::success);
  EXPECT_EQ(close(first_, early.id()).status, NtStatus::file_closed);
}

}  // namespace
}  // namespace smb3::server
