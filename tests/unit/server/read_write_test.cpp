#include "support/server/null_store.h"
#include "unit/server/data_fixture.h"
#include "wire/flush.h"
#include "wire/read.h"
#include "wire/write.h"

namespace smb3::server {
namespace {

using wire::AccessMask;
using wire::CreateOptions;
using wire::WriteFlags;

constexpr std::uint64_t append = ~std::uint64_t{0};

class ReadWriteTest : public DataTest {
 protected:
  using DataTest::DataTest;

  Answer read(const wire::FileId& id, std::uint64_t offset, std::uint32_t length,
              std::vector<Fault> faults = {}, std::uint32_t minimum = 0) {
    wire::ReadRequest message;
    message.file_id = id;
    message.offset = offset;
    message.length = length;
    message.minimum_count = minimum;
    return ask(message, server::read, std::move(faults));
  }
  Answer write(const wire::FileId& id, std::uint64_t offset, std::string_view text,
               WriteFlags flags = WriteFlags::none, std::vector<Fault> faults = {}) {
    wire::WriteRequest message;
    message.file_id = id;
    message.offset = offset;
    message.flags = flags;
    message.data = std::as_bytes(std::span(text));
    return ask(message, server::write, std::move(faults));
  }
  static std::uint32_t count_of(const Answer& answer) {
    return wire::decode<wire::WriteResponse>(answer.message->bytes()).value().count;
  }
  static Fault fault(FaultKind kind, std::uint64_t value = 0) {
    Fault fault;
    fault.kind = kind;
    fault.value = value;
    return fault;
  }
};

class StrictReadWriteTest : public ReadWriteTest {
 protected:
  StrictReadWriteTest() : ReadWriteTest(true) {}
};

TEST_F(ReadWriteTest, ReadsWhatWasWritten) {
  const auto id = open(u"a");
  EXPECT_EQ(count_of(write(id, 0, "hello world")), 11u);
  const Answer answer = read(id, 6, 100);
  EXPECT_EQ(answer.status, NtStatus::success);
  EXPECT_EQ(text_of(answer.payload), "world");
}

TEST_F(ReadWriteTest, TheEndOfAFileIsNoSuccess) {
  fill(u"a", "0123456789");
  const auto id = open(u"a");
  EXPECT_EQ(read(id, 10, 1).status, NtStatus::end_of_file);
  EXPECT_EQ(read(id, 1 << 30, 1).status, NtStatus::end_of_file);
  EXPECT_EQ(read(id, 10, 0).status, NtStatus::success);
  EXPECT_EQ(read(id, 5, 10, {}, 5).status, NtStatus::success);
  EXPECT_EQ(read(id, 5, 10, {}, 6).status, NtStatus::end_of_file);
}

TEST_F(ReadWriteTest, AnAnswerHoldsWhateverHappensToTheFile) {
  fill(u"a", "before");
  const auto id = open(u"a");
  const Answer answer = read(id, 0, 100);
  write(id, 0, "after!");
  close(id);
  ASSERT_TRUE(store().remove(u"a"));
  EXPECT_EQ(text_of(answer.payload), "before");
}

TEST_F(ReadWriteTest, LimitsAndAccess) {
  fill(u"a", "x");
  const auto id = open(u"a");
  EXPECT_EQ(read(id, 0, (8 << 20) + 1).status, NtStatus::invalid_parameter);
  EXPECT_EQ(read(id, 1ULL << 63, 1).status, NtStatus::invalid_parameter);
  EXPECT_EQ(read(id, (1ULL << 63) - 1, 1 << 20).status, NtStatus::invalid_parameter);
  EXPECT_EQ(write(id, 1ULL << 63, "x").status, NtStatus::invalid_parameter);
  EXPECT_EQ(write(id, (1ULL << 63) - 1, "xy").status, NtStatus::invalid_parameter);
  EXPECT_EQ(write(id, 0, std::string((8 << 20) + 1, 'x')).status, NtStatus::invalid_parameter);
  EXPECT_EQ(read(wire::FileId{0xAAAA, 0xBBBB}, 0, 1).status, NtStatus::file_closed);
  EXPECT_EQ(write(wire::FileId{0xAAAA, 0xBBBB}, 0, "x").status, NtStatus::file_closed);
  const auto reader = open(u"a", AccessMask::read_data);
  EXPECT_EQ(write(reader, 0, "x").status, NtStatus::access_denied);
  const auto writer = open(u"a", AccessMask::write_data);
  EXPECT_EQ(read(writer, 0, 1).status, NtStatus::access_denied);
  const auto folder = open_folder(u"d");
  EXPECT_EQ(read(folder, 0, 1).status, NtStatus::invalid_device_request);
  EXPECT_EQ(write(folder, 0, "x").status, NtStatus::invalid_device_request);
}

TEST_F(ReadWriteTest, AppendsAtTheEndThatTheFileHasThen) {
  fill(u"a", "one");
  const auto id = open(u"a", AccessMask::append_data | AccessMask::read_data);
  EXPECT_EQ(write(id, append, "two").status, NtStatus::success);
  EXPECT_EQ(write(id, append, "three").status, NtStatus::success);
  EXPECT_EQ(text_of(read(id, 0, 100).payload), "onetwothree");
  EXPECT_EQ(write(id, append - 1, "x").status, NtStatus::invalid_parameter);
}

TEST_F(ReadWriteTest, AFullDiskSaysSo) {
  const auto id = open(u"a");
  const std::string chunk(8_MiB, 'x');
  for (std::uint64_t at = 0; at < 8; ++at) {
    ASSERT_EQ(write(id, at * 8_MiB, chunk).status, NtStatus::success);
  }
  EXPECT_EQ(write(id, 64_MiB, "x").status, NtStatus::disk_full);
}

TEST_F(ReadWriteTest, FaultsOfReads) {
  fill(u"a", "0123456789");
  const auto id = open(u"a");
  EXPECT_EQ(text_of(read(id, 0, 10, {fault(FaultKind::shorten, 4)}).payload), "012345");
  EXPECT_EQ(text_of(read(id, 0, 10, {fault(FaultKind::shorten, 99)}).payload), "0");
  const Answer damaged = read(id, 0, 10, {fault(FaultKind::damage, 9)});
  EXPECT_EQ(text_of(damaged.payload), "0323456789");
  EXPECT_EQ(text_of(read(id, 0, 10).payload), "0123456789");
}

TEST_F(ReadWriteTest, FaultsOfWrites) {
  const auto id = open(u"a");
  const auto none = WriteFlags::none;
  EXPECT_EQ(count_of(write(id, 0, "0123456789", none, {fault(FaultKind::shorten, 3)})), 7u);
  EXPECT_EQ(text_of(read(id, 0, 100).payload), "0123456");
  EXPECT_EQ(count_of(write(id, 0, "xxx", none, {fault(FaultKind::lose_write)})), 3u);
  EXPECT_EQ(text_of(read(id, 0, 100).payload), "0123456");
}

TEST_F(ReadWriteTest, WriteThroughAloneIsTakenByTheLenient) {
  const auto id = open(u"a");
  EXPECT_EQ(write(id, 0, "x", WriteFlags::write_through).status, NtStatus::success);
}

TEST_F(ReadWriteTest, NothingIsWrittenToAReadOnlyShare) {
  fill(u"a", "x");
  const auto id = open(u"a");
  tree_->share->settings.read_only = true;
  EXPECT_EQ(write(id, 0, "y").status, NtStatus::media_write_protected);
  EXPECT_EQ(text_of(read(id, 0, 9).payload), "x");
}

TEST_F(ReadWriteTest, FlushWantsAnOpenThatMayWrite) {
  fill(u"a", "x");
  wire::FlushRequest flush;
  flush.file_id = open(u"a");
  EXPECT_EQ(ask(flush, server::flush).status, NtStatus::success);
  flush.file_id = open(u"a", AccessMask::append_data);
  EXPECT_EQ(ask(flush, server::flush).status, NtStatus::success);
  flush.file_id = open(u"a", AccessMask::read_data);
  EXPECT_EQ(ask(flush, server::flush).status, NtStatus::access_denied);
  flush.file_id = {0xAAAA, 0xBBBB};
  EXPECT_EQ(ask(flush, server::flush).status, NtStatus::file_closed);
}

TEST_F(ReadWriteTest, NullFilesComeFromThePatternWithoutACopy) {
  use_share("null");
  const auto id = open(u"any", AccessMask::read_data);
  const Answer answer = read(id, 12345, 1 << 20);
  ASSERT_EQ(answer.payload.size(), std::size_t{1} << 20);
  EXPECT_EQ(answer.payload[0], null_pattern(12345));
  EXPECT_EQ(answer.payload.back(), null_pattern(12345 + (1 << 20) - 1));
  EXPECT_EQ(answer.owner, nullptr);
}

TEST_F(StrictReadWriteTest, WriteThroughAloneIsRefused) {
  const auto id = open(u"a");
  constexpr auto both = WriteFlags::write_through | WriteFlags::write_unbuffered;
  EXPECT_EQ(write(id, 0, "x", WriteFlags::write_through).status, NtStatus::invalid_parameter);
  EXPECT_EQ(write(id, 0, "x", both).status, NtStatus::success);
  const auto unbuffered = open(u"a", everything, CreateOptions::no_intermediate_buffering);
  const std::string sector(512, 'x');
  EXPECT_EQ(write(unbuffered, 0, sector, WriteFlags::write_through).status, NtStatus::success);
}

TEST_F(StrictReadWriteTest, UnbufferedOpensWantWholeSectors) {
  const auto id = open(u"a", everything, CreateOptions::no_intermediate_buffering);
  const std::string sector(512, 'x');
  EXPECT_EQ(write(id, 512, sector).status, NtStatus::success);
  EXPECT_EQ(write(id, 1, sector).status, NtStatus::invalid_parameter);
  EXPECT_EQ(write(id, 0, "x").status, NtStatus::invalid_parameter);
  EXPECT_EQ(read(id, 0, 512).status, NtStatus::success);
  EXPECT_EQ(read(id, 0, 511).status, NtStatus::invalid_parameter);
  EXPECT_EQ(read(id, 1, 512).status, NtStatus::invalid_parameter);
}

TEST_F(StrictReadWriteTest, AppendAndOverwriteAreTwoRights) {
  fill(u"a", "0123");
  const auto writer = open(u"a", AccessMask::write_data);
  EXPECT_EQ(write(writer, 0, "abcd").status, NtStatus::success);
  EXPECT_EQ(write(writer, 2, "abcd").status, NtStatus::access_denied);
  const auto appender = open(u"a", AccessMask::append_data);
  EXPECT_EQ(write(appender, 0, "x").status, NtStatus::access_denied);
  EXPECT_EQ(write(appender, append, "x").status, NtStatus::success);
}

TEST_F(ReadWriteTest, AMessageThatEndsTooEarlyIsInvalid) {
  fill(u"a", "x");
  wire::ReadRequest message;
  message.file_id = open(u"a");
  message.length = 1;
  ByteBuffer whole;
  whole.extend(wire::header_bytes);
  wire::encode(message, whole);
  for (std::size_t size = wire::header_bytes; size < wire::header_bytes + 48; ++size) {
    auto one = call();
    one->request.element = whole.bytes().first(size);
    Task<Answer> task = server::read(one->request);
    task.run();
    ASSERT_TRUE(task.done());
    EXPECT_EQ(task.result()->status, NtStatus::invalid_parameter);
  }
}

}  // namespace
}  // namespace smb3::server
