#include "support/server/names.h"
#include "unit/server/data_fixture.h"
#include "wire/directory_information.h"
#include "wire/query_directory.h"

#include <gmock/gmock.h>

namespace smb3::server {
namespace {

using testing::ElementsAre;
using wire::DirectoryInformationClass;
using wire::QueryDirectoryFlags;
using Both = wire::FileIdBothDirectoryInformation;

class QueryDirectoryTest : public DataTest {
 protected:
  QueryDirectoryTest() {
    for (const auto* name : {u"alpha.txt", u"beta.txt", u"gamma"}) fill(name, "12345");
    query.file_id = open_folder(u"", wire::AccessMask::list_directory);
    query.output_buffer_length = 65536;
  }
  Answer list(std::u16string_view pattern, std::vector<Fault> faults = {}) {
    query.file_name = to_wire(pattern);
    return ask(query, server::query_directory, std::move(faults));
  }
  template <class Entry = Both>
  static std::vector<std::u16string> names(const Answer& answer) {
    EXPECT_EQ(answer.status, NtStatus::success);
    std::vector<std::u16string> all;
    for (const Entry& entry : entries<Entry>(answer)) all.push_back(from_wire(entry.file_name));
    return all;
  }
  template <class Entry = Both>
  static std::vector<Entry> entries(const Answer& answer) {
    const auto response =
        wire::decode<wire::QueryDirectoryResponse>(answer.message->bytes()).value();
    return wire::decode_chain<Entry>(response.output_buffer).value();
  }

  wire::QueryDirectoryRequest query;
};

TEST_F(QueryDirectoryTest, ListsAllThenNothingMore) {
  EXPECT_THAT(names(list(u"*")), ElementsAre(u".", u"..", u"alpha.txt", u"beta.txt", u"gamma"));
  EXPECT_EQ(list(u"*").status, NtStatus::no_more_files);
  EXPECT_EQ(list(u"other").status, NtStatus::no_more_files);  // the first pattern holds
}

TEST_F(QueryDirectoryTest, PatternsChooseAndMayFindNothing) {
  EXPECT_THAT(names(list(u"*.TXT")), ElementsAre(u"alpha.txt", u"beta.txt"));
  query.flags = QueryDirectoryFlags::restart_scans;
  EXPECT_THAT(names(list(u"G*")), ElementsAre(u"gamma"));
  EXPECT_EQ(list(u"none*").status, NtStatus::no_more_files);
  query.flags = QueryDirectoryFlags::reopen;
  EXPECT_EQ(list(u"none*").status, NtStatus::no_such_file);
  EXPECT_EQ(list(u"a\\b").status, NtStatus::object_name_invalid);
}

TEST_F(QueryDirectoryTest, AnEmptyPatternIsEverythingOrTheOneBefore) {
  EXPECT_EQ(names(list(u"")).size(), 5u);
  query.flags = QueryDirectoryFlags::restart_scans;
  EXPECT_THAT(names(list(u"g*")), ElementsAre(u"gamma"));
  EXPECT_THAT(names(list(u"")), ElementsAre(u"gamma"));
}

TEST_F(QueryDirectoryTest, PagesByTheRoomThatThereIs) {
  query.output_buffer_length = 104 + 18 + 6 + 104 + 16;  // two entries, the first padded
  EXPECT_THAT(names(list(u"*t*")), ElementsAre(u"alpha.txt", u"beta.txt"));
  query.flags = QueryDirectoryFlags::restart_scans;
  --query.output_buffer_length;
  EXPECT_THAT(names(list(u"*t*")), ElementsAre(u"alpha.txt"));
  query.flags = QueryDirectoryFlags::none;
  EXPECT_THAT(names(list(u"*t*")), ElementsAre(u"beta.txt"));
  EXPECT_EQ(list(u"*t*").status, NtStatus::no_more_files);
}

TEST_F(QueryDirectoryTest, WhatFitsNotAtAll) {
  query.output_buffer_length = 103;
  EXPECT_EQ(list(u"alpha*").status, NtStatus::info_length_mismatch);
  query.output_buffer_length = 104;
  EXPECT_EQ(list(u"alpha*").status, NtStatus::buffer_overflow);
  query.output_buffer_length = 200;
  EXPECT_THAT(names(list(u"alpha*")), ElementsAre(u"alpha.txt"));  // nothing was skipped
}

TEST_F(QueryDirectoryTest, OneByOne) {
  query.flags = QueryDirectoryFlags::return_single_entry;
  EXPECT_THAT(names(list(u"*")), ElementsAre(u"."));
  EXPECT_THAT(names(list(u"*")), ElementsAre(u".."));
  EXPECT_THAT(names(list(u"*")), ElementsAre(u"alpha.txt"));
}

TEST_F(QueryDirectoryTest, ASnapshotDoesNotMove) {
  query.flags = QueryDirectoryFlags::return_single_entry;
  list(u"*");
  ASSERT_TRUE(store().remove(u"alpha.txt"));
  fill(u"aaa", "new");
  query.flags = QueryDirectoryFlags::none;
  EXPECT_THAT(names(list(u"*")), ElementsAre(u"..", u"alpha.txt", u"beta.txt", u"gamma"));
}

TEST_F(QueryDirectoryTest, Classes) {
  query.file_information_class = DirectoryInformationClass::file_id_extd_directory_information;
  query.flags = QueryDirectoryFlags::restart_scans;
  const Answer extended = list(u"gamma");
  EXPECT_THAT(names<wire::FileIdExtdDirectoryInformation>(extended), ElementsAre(u"gamma"));
  EXPECT_EQ(entries<wire::FileIdExtdDirectoryInformation>(extended)[0].end_of_file, 5u);
  query.file_information_class = DirectoryInformationClass::file_names_information;
  EXPECT_THAT(names<wire::FileNamesInformation>(list(u"g*")), ElementsAre(u"gamma"));
  query.file_information_class = DirectoryInformationClass::file_full_directory_information;
  EXPECT_EQ(list(u"*").status, NtStatus::not_supported);
  query.file_information_class = DirectoryInformationClass{0x77};
  EXPECT_EQ(list(u"*").status, NtStatus::invalid_info_class);
}

TEST_F(QueryDirectoryTest, EntriesTellWhatTheFileIs) {
  store().open(u"gamma").value()->change({{}, {}, {}, {}, wire::FileAttributes::hidden}).value();
  open_folder(u"sub");
  const Answer answer = list(u"*");
  const auto all = entries(answer);
  ASSERT_EQ(all.size(), 6u);
  EXPECT_EQ(all[4].file_attributes, wire::FileAttributes::hidden);
  EXPECT_EQ(all[4].end_of_file, 5u);
  EXPECT_EQ(all[5].file_attributes, wire::FileAttributes::directory);
  EXPECT_NE(all[5].file_id, all[4].file_id);
}

TEST_F(QueryDirectoryTest, OnlyFoldersAndOnlyWithTheRight) {
  query.file_id = open(u"gamma");
  EXPECT_EQ(list(u"*").status, NtStatus::invalid_parameter);
  query.file_id = open_folder(u"", wire::AccessMask::read_attributes);
  EXPECT_EQ(list(u"*").status, NtStatus::access_denied);
  query.output_buffer_length = (1 << 20) + 1;
  query.file_id = open_folder(u"");
  EXPECT_EQ(list(u"*").status, NtStatus::invalid_parameter);
}

TEST_F(QueryDirectoryTest, AScriptedEntryKeepsItsBytes) {
  Fault evil;
  evil.kind = FaultKind::entry_name;
  evil.value = 77;
  const Bytes name = to_wire(u"..\\..\\evil");
  evil.data.assign(name.begin(), name.end());
  Fault reparse = evil;
  reparse.field = "reparse";
  reparse.data = {std::byte{0x00}, std::byte{0xD8}, std::byte{0x41}};
  const Answer answer = list(u"*", {evil, reparse});
  const auto all = entries(answer);
  ASSERT_EQ(all.size(), 7u);
  EXPECT_EQ(from_wire(all[0].file_name), u"..\\..\\evil");
  EXPECT_EQ(all[0].end_of_file, 77u);
  EXPECT_EQ(all[1].file_name.size(), 3u);
  EXPECT_EQ(all[1].reparse_tag(), wire::ReparseTag::symlink);
  EXPECT_EQ(from_wire(all[2].file_name), u".");
}

}  // namespace
}  // namespace smb3::server
