#include "wire/set_info.h"

#include "support/server/names.h"
#include "unit/server/data_fixture.h"
#include "wire/file_information.h"
#include "wire/write.h"

namespace smb3::server {
namespace {

using wire::AccessMask;
using wire::FileAttributes;
using wire::FileInformationClass;
using wire::FileTime;

constexpr FileTime keep{~std::uint64_t{0}};
constexpr FileTime keep_no_longer{~std::uint64_t{0} - 1};

class SetInfoTest : public DataTest {
 protected:
  template <class S>
  NtStatus set(const wire::FileId& id, const S& information) {
    ByteBuffer buffer;
    wire::encode(information, buffer);
    return set(id, std::to_underlying(S::information_class), buffer.bytes());
  }
  NtStatus set(const wire::FileId& id, std::uint8_t kind, Bytes buffer) {
    wire::SetInfoRequest message;
    message.file_id = id;
    message.file_info_class = kind;
    message.buffer = buffer;
    return ask(message, set_info).status;
  }
  NtStatus rename(const wire::FileId& id, std::u16string_view to, bool replace = false) {
    wire::FileRenameInformation information;
    information.replace_if_exists = replace;
    information.file_name = to_wire(to);
    return set(id, information);
  }
  NtStatus dispose(const wire::FileId& id, bool pending = true) {
    wire::FileDispositionInformation information;
    information.delete_pending = pending;
    return set(id, information);
  }
  NtStatus set_end(const wire::FileId& id, std::uint64_t bytes) {
    wire::FileEndOfFileInformation information;
    information.end_of_file = bytes;
    return set(id, information);
  }
  NtStatus set_allocation(const wire::FileId& id, std::uint64_t bytes) {
    wire::FileAllocationInformation information;
    information.allocation_size = bytes;
    return set(id, information);
  }
  void write_byte(const wire::FileId& id) {
    static constexpr std::byte one{};
    wire::WriteRequest message;
    message.file_id = id;
    message.data = {&one, 1};
    reactor_.time += std::chrono::seconds(1);
    EXPECT_EQ(ask(message, server::write).status, NtStatus::success);
  }
  NodeStatus status(std::u16string_view path) {
    return store().open(path).value()->status().value();
  }
  bool exists(std::u16string_view path) { return store().open(path).has_value(); }
};

TEST_F(SetInfoTest, TimesAndAttributes) {
  const auto id = open(u"a");
  wire::FileBasicInformation basic;
  basic.creation_time = FileTime{1000};
  basic.last_write_time = FileTime{2000};
  basic.file_attributes = FileAttributes::hidden | FileAttributes::compressed;
  EXPECT_EQ(set(id, basic), NtStatus::success);
  EXPECT_EQ(status(u"a").creation_time, FileTime{1000});
  EXPECT_EQ(status(u"a").last_write_time, FileTime{2000});
  EXPECT_EQ(status(u"a").attributes, FileAttributes::hidden);
  EXPECT_EQ(set(id, wire::FileBasicInformation{}), NtStatus::success);
  EXPECT_EQ(status(u"a").attributes, FileAttributes::hidden);
  EXPECT_EQ(status(u"a").creation_time, FileTime{1000});
  basic = {};
  basic.file_attributes = FileAttributes::normal;
  EXPECT_EQ(set(id, basic), NtStatus::success);
  EXPECT_EQ(status(u"a").attributes, FileAttributes::normal);
}

TEST_F(SetInfoTest, ATimeThatWasSetStays) {
  const auto id = open(u"a");
  wire::FileBasicInformation basic;
  basic.last_write_time = FileTime{2000};
  EXPECT_EQ(set(id, basic), NtStatus::success);
  write_byte(id);
  EXPECT_EQ(status(u"a").last_write_time, FileTime{2000});
  write_byte(open(u"a"));  // another open does not keep it
  const FileTime written = status(u"a").last_write_time;
  EXPECT_GT(written, FileTime{2000});
  basic.last_write_time = keep;
  EXPECT_EQ(set(id, basic), NtStatus::success);
  write_byte(id);
  EXPECT_EQ(status(u"a").last_write_time, written);
  basic.last_write_time = keep_no_longer;
  EXPECT_EQ(set(id, basic), NtStatus::success);
  write_byte(id);
  EXPECT_GT(status(u"a").last_write_time, written);
}

TEST_F(SetInfoTest, WhatBasicInformationCannotBe) {
  const auto id = open(u"a");
  wire::FileBasicInformation basic;
  basic.creation_time = FileTime{~std::uint64_t{0} - 2};
  EXPECT_EQ(set(id, basic), NtStatus::invalid_parameter);
  basic = {};
  basic.file_attributes = FileAttributes::directory;
  EXPECT_EQ(set(id, basic), NtStatus::invalid_parameter);
  EXPECT_EQ(set(open_folder(u"d"), basic), NtStatus::success);
  basic.file_attributes = FileAttributes::temporary;
  EXPECT_EQ(set(open_folder(u"d"), basic), NtStatus::invalid_parameter);
  EXPECT_EQ(set(open(u"a", AccessMask::write_data), wire::FileBasicInformation{}),
            NtStatus::access_denied);
  const std::vector<std::byte> short_buffer(39);
  EXPECT_EQ(set(id, 4, short_buffer), NtStatus::info_length_mismatch);
  EXPECT_EQ(set(id, 4, {}), NtStatus::invalid_parameter);
}

TEST_F(SetInfoTest, Sizes) {
  fill(u"a", std::string(10000, 'x'));
  const auto id = open(u"a");
  EXPECT_EQ(set_end(id, 20000), NtStatus::success);
  EXPECT_EQ(status(u"a").size_bytes, 20000u);
  EXPECT_EQ(set_end(id, 1ULL << 63), NtStatus::invalid_parameter);
  EXPECT_EQ(set_allocation(id, 1_MiB), NtStatus::success);
  EXPECT_EQ(status(u"a").size_bytes, 20000u);
  EXPECT_EQ(set_allocation(id, 65_MiB), NtStatus::disk_full);
  EXPECT_EQ(set_allocation(id, 5000), NtStatus::success);
  EXPECT_EQ(status(u"a").size_bytes, 8192u);  // whole clusters
  EXPECT_EQ(set_end(open(u"a", AccessMask::append_data), 1), NtStatus::access_denied);
  EXPECT_EQ(set_end(open_folder(u"d"), 1), NtStatus::invalid_parameter);
}

TEST_F(SetInfoTest, RenamesWithAllThatIsOpen) {
  const auto id = open(u"a");
  const auto other = open(u"a", AccessMask::read_data);
  open_folder(u"d");
  EXPECT_EQ(rename(id, u"d\\b"), NtStatus::success);
  EXPECT_FALSE(exists(u"a"));
  EXPECT_EQ(open_with(id).path, u"d\\b");
  EXPECT_EQ(open_with(other).path, u"d\\b");
  EXPECT_EQ(rename(id, u"d\\B"), NtStatus::success);
  EXPECT_EQ(store().open(u"d").value()->list()->front().name, u"B");
  EXPECT_EQ(rename(id, u"d\\B"), NtStatus::success);
  EXPECT_EQ(dispose(id), NtStatus::success);  // by its new name
  close(id);
  close(other);
  EXPECT_FALSE(exists(u"d\\b"));
}

TEST_F(SetInfoTest, RenameReplacesOnlyWhatNobodyHasOpen) {
  const auto id = open(u"a");
  fill(u"b", "old");
  EXPECT_EQ(rename(id, u"b"), NtStatus::object_name_collision);
  const auto busy = open(u"b");
  EXPECT_EQ(rename(id, u"B", true), NtStatus::access_denied);
  EXPECT_EQ(dispose(busy), NtStatus::success);
  EXPECT_EQ(rename(id, u"b", true), NtStatus::delete_pending);
  EXPECT_EQ(dispose(busy, false), NtStatus::success);
  close(busy);
  EXPECT_EQ(rename(id, u"b", true), NtStatus::success);
  EXPECT_EQ(status(u"b").size_bytes, 0u);
}

TEST_F(SetInfoTest, RenameOfFolders) {
  const auto folder = open_folder(u"d");
  const auto inside = open(u"d\\x");
  EXPECT_EQ(rename(folder, u"e"), NtStatus::access_denied);
  close(inside);
  EXPECT_EQ(rename(folder, u"d\\e"), NtStatus::access_denied);  // into itself
  EXPECT_EQ(rename(folder, u"e"), NtStatus::success);
  EXPECT_TRUE(exists(u"e\\x"));
  fill(u"f", "");
  EXPECT_EQ(rename(open(u"f"), u"e", true), NtStatus::access_denied);  // it is open
  close(folder);
  EXPECT_EQ(rename(open(u"f"), u"e", true), NtStatus::access_denied);  // it is a folder
  EXPECT_EQ(rename(open_folder(u""), u"g"), NtStatus::access_denied);
}

TEST_F(SetInfoTest, NamesThatARenameMayNotGive) {
  const auto id = open(u"a");
  EXPECT_EQ(rename(id, u"none\\b"), NtStatus::object_path_not_found);
  EXPECT_EQ(rename(id, u"..\\b"), NtStatus::object_name_invalid);
  EXPECT_EQ(rename(id, u"b*"), NtStatus::object_name_invalid);
  EXPECT_EQ(rename(id, u"\\b"), NtStatus::invalid_parameter);
  EXPECT_EQ(rename(id, u":stream"), NtStatus::not_supported);
  EXPECT_EQ(rename(id, u""), NtStatus::invalid_parameter);
  EXPECT_EQ(rename(open(u"a", AccessMask::read_data), u"b"), NtStatus::access_denied);
  std::vector<std::byte> buffer(24);
  store_le(buffer.data() + 8, std::uint64_t{1});  // RootDirectory
  store_le(buffer.data() + 16, std::uint32_t{2});
  EXPECT_EQ(set(id, 10, buffer), NtStatus::invalid_parameter);
  store_le(buffer.data() + 8, std::uint64_t{0});
  store_le(buffer.data() + 16, std::uint32_t{0xFFFFFFFE});
  EXPECT_EQ(set(id, 10, buffer), NtStatus::invalid_parameter);
  EXPECT_EQ(set(id, 10, Bytes(buffer).first(23)), NtStatus::info_length_mismatch);
  EXPECT_TRUE(exists(u"a"));
}

TEST_F(SetInfoTest, DeletesAtTheLastClose) {
  const auto id = open(u"a");
  const auto other = open(u"a", AccessMask::read_data);
  EXPECT_EQ(dispose(other), NtStatus::access_denied);
  EXPECT_EQ(dispose(id), NtStatus::success);
  close(id);
  EXPECT_TRUE(exists(u"a"));
  close(other);
  EXPECT_FALSE(exists(u"a"));
}

TEST_F(SetInfoTest, WhatCannotBeDeleted) {
  const auto folder = open_folder(u"d");
  const auto id = open(u"d\\a");
  EXPECT_EQ(dispose(folder), NtStatus::directory_not_empty);
  wire::FileBasicInformation basic;
  basic.file_attributes = FileAttributes::readonly;
  EXPECT_EQ(set(id, basic), NtStatus::success);
  EXPECT_EQ(dispose(id), NtStatus::cannot_delete);
  EXPECT_EQ(dispose(open_folder(u"")), NtStatus::cannot_delete);
  wire::FileDispositionInformationEx extended;
  extended.flags = wire::DispositionFlags::delete_file;
  EXPECT_EQ(set(id, extended), NtStatus::cannot_delete);
  extended.flags |= wire::DispositionFlags::ignore_readonly_attribute;
  EXPECT_EQ(set(id, extended), NtStatus::success);
  close(id);
  EXPECT_FALSE(exists(u"d\\a"));
  EXPECT_EQ(dispose(folder), NtStatus::success);
  close(folder);
  EXPECT_FALSE(exists(u"d"));
}

TEST_F(SetInfoTest, DispositionExtended) {
  const auto id = open(u"a");
  wire::FileDispositionInformationEx extended;
  extended.flags = wire::DispositionFlags{0x20};
  EXPECT_EQ(set(id, extended), NtStatus::not_supported);
  extended.flags = wire::DispositionFlags::delete_file | wire::DispositionFlags::on_close;
  EXPECT_EQ(set(id, extended), NtStatus::not_supported);
  const auto doomed = open(u"b", everything, wire::CreateOptions::delete_on_close);
  extended.flags = wire::DispositionFlags::on_close;
  EXPECT_EQ(set(doomed, extended), NtStatus::success);
  close(doomed);
  EXPECT_TRUE(exists(u"b"));
}

TEST_F(SetInfoTest, OtherClassesAndTypes) {
  const auto id = open(u"a");
  const std::vector<std::byte> buffer(64);
  EXPECT_EQ(set(id, 11, buffer), NtStatus::not_supported);
  EXPECT_EQ(set(id, 14, buffer), NtStatus::success);
  EXPECT_EQ(set(id, 5, buffer), NtStatus::invalid_info_class);
  EXPECT_EQ(set({0xAAAA, 0xBBBB}, 4, buffer), NtStatus::file_closed);
  wire::SetInfoRequest message;
  message.file_id = id;
  message.buffer = buffer;
  message.info_type = wire::InfoType::filesystem;
  EXPECT_EQ(ask(message, set_info).status, NtStatus::access_denied);
  message.info_type = wire::InfoType::security;
  message.additional_information = wire::AdditionalInformation::dacl_security_information;
  EXPECT_EQ(ask(message, set_info).status, NtStatus::success);
  message.file_id = open(u"a", AccessMask::read_data);
  EXPECT_EQ(ask(message, set_info).status, NtStatus::access_denied);
  tree_->share->settings.read_only = true;
  EXPECT_EQ(set(id, 4, buffer), NtStatus::media_write_protected);
}

TEST_F(SetInfoTest, AStaleChannelIsRefused) {
  const auto id = open(u"a");
  open_with(id).channel_sequence = 5;
  EXPECT_EQ(set_end(id, 3), NtStatus::file_not_available);
  EXPECT_EQ(status(u"a").size_bytes, 0u);
}

}  // namespace
}  // namespace smb3::server
