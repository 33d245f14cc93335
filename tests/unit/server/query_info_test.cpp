#include "wire/query_info.h"

#include "support/server/names.h"
#include "unit/server/data_fixture.h"
#include "wire/file_information.h"
#include "wire/file_system_information.h"

namespace smb3::server {
namespace {

using wire::AccessMask;
using wire::FileInformationClass;
using wire::FileSystemInformationClass;
using wire::InfoType;

class QueryInfoTest : public DataTest {
 protected:
  explicit QueryInfoTest(bool strict = false) : DataTest(strict) {
    fill(u"name", "12345");
    query.file_id = open(u"name");
    query.output_buffer_length = 1024;
  }
  Answer file(FileInformationClass kind) { return ask(InfoType::file, std::to_underlying(kind)); }
  Answer volume(FileSystemInformationClass kind) {
    return ask(InfoType::filesystem, std::to_underlying(kind));
  }
  Answer ask(InfoType type, std::uint8_t kind) {
    query.info_type = type;
    query.file_info_class = kind;
    return DataTest::ask(query, query_info);
  }
  // Of an answer that has to hold.
  static Bytes buffer(const Answer& answer) {
    return wire::decode<wire::QueryInfoResponse>(answer.message->bytes()).value().output_buffer;
  }
  template <class S>
  static S as(const Answer& answer) {
    EXPECT_EQ(answer.status, NtStatus::success);
    return wire::decode<S>(buffer(answer)).value();
  }

  wire::QueryInfoRequest query;
};

class StrictQueryInfoTest : public QueryInfoTest {
 protected:
  StrictQueryInfoTest() : QueryInfoTest(true) {}
};

TEST_F(QueryInfoTest, TellsOfAFile) {
  const Answer all = file(FileInformationClass::all);
  const auto information = as<wire::FileAllInformation>(all);
  EXPECT_EQ(information.standard_information.end_of_file, 5u);
  EXPECT_FALSE(information.standard_information.directory);
  EXPECT_EQ(information.basic_information.file_attributes, wire::FileAttributes::normal);
  EXPECT_EQ(information.access_flags, everything);
  EXPECT_EQ(from_wire(information.file_name), u"\\name");
  const Answer opened = file(FileInformationClass::network_open);
  EXPECT_EQ(as<wire::FileNetworkOpenInformation>(opened).end_of_file, 5u);
  const Answer internal = file(FileInformationClass::internal);
  EXPECT_EQ(as<wire::FileInternalInformation>(internal).index_number,
            information.internal_information.index_number);
  const Answer streams = file(FileInformationClass::stream);
  const auto stream = as<wire::FileStreamInformation>(streams);
  EXPECT_EQ(from_wire(stream.stream_name), u"::$DATA");
  EXPECT_EQ(stream.stream_size, 5u);
}

TEST_F(QueryInfoTest, TellsOfAFolder) {
  query.file_id = open_folder(u"d");
  const Answer answer = file(FileInformationClass::standard);
  EXPECT_TRUE(as<wire::FileStandardInformation>(answer).directory);
  EXPECT_TRUE(buffer(file(FileInformationClass::stream)).empty());
  const Answer tag = file(FileInformationClass::attribute_tag);
  EXPECT_EQ(as<wire::FileAttributeTagInformation>(tag).file_attributes,
            wire::FileAttributes::directory);
}

TEST_F(QueryInfoTest, APendingDeleteShows) {
  open_with(query.file_id).table->set_delete_pending(*open_with(query.file_id).node, true);
  const Answer answer = file(FileInformationClass::standard);
  EXPECT_TRUE(as<wire::FileStandardInformation>(answer).delete_pending);
  EXPECT_EQ(as<wire::FileStandardInformation>(answer).number_of_links, 0u);
}

TEST_F(QueryInfoTest, TooLittleRoomForTheFixedPart) {
  for (const std::uint32_t room : {0u, 1u, 99u}) {
    query.output_buffer_length = room;
    const Answer answer = file(FileInformationClass::all);
    EXPECT_EQ(answer.status, NtStatus::info_length_mismatch);
    const auto error = wire::decode<wire::ErrorResponse>(answer.message->bytes());
    ASSERT_TRUE(error);
    EXPECT_EQ(error->error_context_count, 1);
    EXPECT_EQ(error->error_data.size(), 8u);
  }
}

TEST_F(QueryInfoTest, TooLittleRoomForTheNameCutsIt) {
  query.output_buffer_length = 104;
  const Answer answer = file(FileInformationClass::all);
  EXPECT_EQ(answer.status, NtStatus::buffer_overflow);
  const auto information = wire::decode<wire::FileAllInformation>(buffer(answer));
  ASSERT_TRUE(information);
  EXPECT_EQ(information->file_name_length, 10u);
  EXPECT_EQ(from_wire(information->file_name), u"\\n");
}

TEST_F(QueryInfoTest, AttributesNeedTheirRight) {
  query.file_id = open(u"name", AccessMask::read_data);
  EXPECT_EQ(file(FileInformationClass::basic).status, NtStatus::access_denied);
  EXPECT_EQ(file(FileInformationClass::all).status, NtStatus::access_denied);
  EXPECT_EQ(file(FileInformationClass::standard).status, NtStatus::success);
}

TEST_F(QueryInfoTest, NumbersAndUnknownClasses) {
  EXPECT_EQ(buffer(ask(InfoType::file, 7)).size(), 4u);
  EXPECT_EQ(buffer(ask(InfoType::file, 8)).size(), 4u);
  EXPECT_EQ(buffer(ask(InfoType::file, 14)).size(), 8u);
  EXPECT_EQ(buffer(ask(InfoType::file, 59)).size(), 24u);
  EXPECT_EQ(ask(InfoType::file, 21).status, NtStatus::object_name_not_found);
  EXPECT_EQ(ask(InfoType::file, 2).status, NtStatus::not_supported);
  EXPECT_EQ(ask(InfoType::file, 200).status, NtStatus::invalid_info_class);
  EXPECT_EQ(ask(InfoType::filesystem, 8).status, NtStatus::not_supported);
  EXPECT_EQ(ask(InfoType::filesystem, 99).status, NtStatus::invalid_info_class);
  EXPECT_EQ(ask(InfoType::quota, 0).status, NtStatus::not_supported);
  EXPECT_EQ(ask(InfoType{9}, 0).status, NtStatus::invalid_parameter);
  query.output_buffer_length = (1 << 20) + 1;
  EXPECT_EQ(file(FileInformationClass::basic).status, NtStatus::invalid_parameter);
}

TEST_F(QueryInfoTest, TellsOfTheVolume) {
  const Answer size = volume(FileSystemInformationClass::full_size);
  const auto full = as<wire::FileFsFullSizeInformation>(size);
  const std::uint64_t unit =
      std::uint64_t{full.bytes_per_sector} * full.sectors_per_allocation_unit;
  EXPECT_EQ(full.total_allocation_units * unit, 64_MiB);
  EXPECT_EQ(full.actual_available_allocation_units * unit, 64_MiB - 4_KiB);
  const Answer attribute = volume(FileSystemInformationClass::attribute);
  EXPECT_EQ(as<wire::FileFsAttributeInformation>(attribute).maximum_component_name_length, 255u);
  const Answer sectors = volume(FileSystemInformationClass::sector_size);
  EXPECT_EQ(as<wire::FileFsSectorSizeInformation>(sectors).logical_bytes_per_sector, 512u);
  const Answer label = volume(FileSystemInformationClass::volume);
  EXPECT_EQ(from_wire(as<wire::FileFsVolumeInformation>(label).volume_label), u"files");
  EXPECT_EQ(buffer(volume(FileSystemInformationClass::size)).size(), 24u);
  EXPECT_EQ(buffer(volume(FileSystemInformationClass::device)).size(), 8u);
}

TEST_F(QueryInfoTest, SecurityComesWholeOrNotAtAll) {
  query.additional_information = wire::AdditionalInformation{0x7};
  const Answer whole = ask(InfoType::security, 0);
  EXPECT_EQ(whole.status, NtStatus::success);
  const std::size_t size = buffer(whole).size();
  ASSERT_GT(size, 20u);
  query.output_buffer_length = static_cast<std::uint32_t>(size - 1);
  const Answer none = ask(InfoType::security, 0);
  EXPECT_EQ(none.status, NtStatus::buffer_too_small);
  const auto error = wire::decode<wire::ErrorResponse>(none.message->bytes()).value();
  const auto contexts = wire::error_contexts(error).value();
  ASSERT_EQ(contexts.size(), 1u);
  const auto needed = wire::decode<wire::RequiredSizeError>(contexts[0].error_context_data);
  EXPECT_EQ(needed->required_buffer_length, size);
  query.file_id = open(u"name", AccessMask::read_data);
  EXPECT_EQ(ask(InfoType::security, 0).status, NtStatus::access_denied);
}

TEST_F(StrictQueryInfoTest, AllHasNoName) {
  const Answer answer = file(FileInformationClass::all);
  EXPECT_TRUE(as<wire::FileAllInformation>(answer).file_name.empty());
}

}  // namespace
}  // namespace smb3::server
