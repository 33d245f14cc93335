// READ and WRITE, on a server that may lie or be short of credits.
#include "support/session_fixture.h"

namespace smb3::test {
namespace {

// How much came, taken out of the connection's buffer.
Task<std::size_t> read_bytes(Open& open, std::uint64_t offset, std::uint32_t length) {
  Reservation reservation = co_await open.connection().pool().reserve();
  ReadResult result = co_await open.read(offset, length);
  co_return result.data.size();
}

class ReadTest : public SessionTest {
 protected:
  std::unique_ptr<Running<std::size_t>> start_read(std::uint64_t offset, std::uint32_t length) {
    return run<std::size_t>([=, this] { return read_bytes(*open_, offset, length); });
  }
  static Octets data_answer(const Element& request, std::size_t bytes, const Edit& edit = {}) {
    const Octets data(bytes, std::byte{1});
    wire::ReadResponse response;
    response.data = data;
    return answer(request, response, edit);
  }
};

TEST_F(ReadTest, AsksForItsPartOfTheFile) {
  open_file(64);
  auto reading = start_read(0x123456789, 300000);
  const Element request = peer_.receive();
  const auto message = request.as<wire::ReadRequest>();
  EXPECT_EQ(message.offset, 0x123456789U);
  EXPECT_EQ(message.length, 300000U);
  EXPECT_EQ(message.file_id, test_file);
  EXPECT_EQ(request.header.credit_charge, 5U);
  peer_.send_frame(data_answer(request, 300000));
  EXPECT_EQ(reading->result().value(), 300000U);
  EXPECT_EQ(on_reactor([this] { return connection_->payload_bytes(); }), 300000U);
}

TEST_F(ReadTest, ChargesByWholeCredits) {
  open_file(64);
  const std::pair<std::uint32_t, std::uint16_t> cases[] = {
      {1, 1}, {65535, 1}, {65536, 1}, {65537, 2}, {1 << 20, 16}};
  for (const auto& [length, charge] : cases) {
    auto reading = start_read(0, length);
    const Element request = peer_.receive();
    EXPECT_EQ(request.header.credit_charge, charge) << length;
    peer_.send_frame(data_answer(request, 1));
    EXPECT_EQ(reading->result().value(), 1U);
  }
}

TEST_F(ReadTest, StaysWithinTheServersLimit) {
  open_file(64);
  negotiated_.max_read_bytes = 100000;
  auto reading = start_read(0, 1 << 20);
  const Element request = peer_.receive();
  EXPECT_EQ(request.as<wire::ReadRequest>().length, 100000U);
  EXPECT_EQ(request.header.credit_charge, 2U);
  peer_.send_frame(data_answer(request, 100000));
  EXPECT_EQ(reading->result().value(), 100000U);
}

TEST_F(ReadTest, StaysWithinTheCredits) {
  open_file(3);
  auto reading = start_read(0, 1 << 20);
  const Element request = peer_.receive();
  EXPECT_EQ(request.as<wire::ReadRequest>().length, 3U * 65536);
  EXPECT_EQ(request.header.credit_charge, 3U);
  peer_.send_frame(data_answer(request, 3 * 65536));
  EXPECT_EQ(reading->result().value(), 3U * 65536);
}

TEST_F(ReadTest, IsAskedAgainForLessWhenCreditsDwindle) {
  open_file(20);
  auto first = start_read(0, 1 << 20);
  const Element one = peer_.receive();
  EXPECT_EQ(one.header.credit_charge, 16U);
  auto second = start_read(1 << 20, 1 << 20);  // waits for 16 credits of 20
  EXPECT_TRUE(peer_.is_quiet());
  peer_.send_frame(data_answer(one, 1 << 20, granting(2)));
  const Element two = peer_.receive();
  EXPECT_EQ(two.header.credit_charge, 6U);
  EXPECT_EQ(two.as<wire::ReadRequest>().length, 6U * 65536);
  EXPECT_EQ(two.as<wire::ReadRequest>().offset, 1U << 20);
  peer_.send_frame(data_answer(two, 6 * 65536));
  EXPECT_EQ(first->result().value(), 1U << 20);
  EXPECT_EQ(second->result().value(), 6U * 65536);
}

TEST_F(ReadTest, EndsAtTheEndOfTheFile) {
  open_file(64);
  auto reading = start_read(100, 100);
  peer_.send_frame(refusal(peer_.receive(), NtStatus::end_of_file));
  EXPECT_EQ(reading->result().value(), 0U);
}

TEST_F(ReadTest, MoreThanWasAskedForIsRefused) {
  open_file(64);
  auto reading = start_read(0, 100);
  peer_.send_frame(data_answer(peer_.receive(), 101));
  EXPECT_TRUE(fails(reading->result(), ErrorKind::protocol, "more than was asked for"));
}

TEST_F(ReadTest, NothingWithoutAnEndIsRefused) {
  open_file(64);
  auto reading = start_read(0, 100);
  peer_.send_frame(data_answer(peer_.receive(), 0));
  EXPECT_TRUE(fails(reading->result(), ErrorKind::protocol, "no data and no end"));
}

TEST_F(ReadTest, DataOutsideTheMessageIsRefused) {
  open_file(64);
  auto reading = start_read(0, 1000);
  Octets reply = data_answer(peer_.receive(), 100);
  store_le<std::uint32_t>(reply.data() + 64 + 4, 101);  // DataLength
  peer_.send_frame(reply);
  EXPECT_TRUE(fails(reading->result(), ErrorKind::protocol, "READ response"));
}

TEST_F(ReadTest, FailuresNameTheFile) {
  open_file(64);
  auto reading = start_read(0, 100);
  peer_.send_frame(refusal(peer_.receive(), NtStatus::file_lock_conflict));
  auto result = reading->result();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind(), ErrorKind::access_denied);
  EXPECT_EQ(result.error().object(), "//fs.lab.test/data/folder/file");
  EXPECT_EQ(result.error().operation(), "READ");
}

class WriteTest : public SessionTest {
 protected:
  std::unique_ptr<Running<void>> start_write(std::uint64_t offset, std::size_t bytes,
                                             bool through = false) {
    data_.resize(bytes);
    for (std::size_t i = 0; i < bytes; ++i) data_[i] = static_cast<std::byte>(i * 7 / 3);
    return run<void>([=, this] { return open_->write(offset, data_, through); });
  }
  // Checks the next WRITE; the server says that it wrote `count` of it.
  Element expect_write(std::uint64_t offset, std::size_t start, std::size_t bytes) {
    const Element request = peer_.receive();
    const auto message = request.as<wire::WriteRequest>();
    EXPECT_EQ(message.offset, offset);
    EXPECT_EQ(message.file_id, test_file);
    EXPECT_TRUE(std::ranges::equal(message.data, Bytes(data_).subspan(start, bytes)));
    return request;
  }
  static Octets written(const Element& request, std::uint32_t count, const Edit& edit = {}) {
    wire::WriteResponse response;
    response.count = count;
    return answer(request, response, edit);
  }
  Octets data_;
};

TEST_F(WriteTest, GoesOutWhole) {
  open_file(64);
  auto writing = start_write(0x987654321, 1 << 20);
  const Element request = expect_write(0x987654321, 0, 1 << 20);
  EXPECT_EQ(request.header.credit_charge, 16U);
  EXPECT_EQ(request.as<wire::WriteRequest>().flags, wire::WriteFlags::none);
  peer_.send_frame(written(request, 1 << 20));
  EXPECT_TRUE(writing->result());
}

TEST_F(WriteTest, GoesOnBehindAShortOne) {
  open_file(64);
  auto writing = start_write(1000, 500);
  peer_.send_frame(written(expect_write(1000, 0, 500), 499));
  peer_.send_frame(written(expect_write(1499, 499, 1), 1));
  EXPECT_TRUE(writing->result());
  EXPECT_EQ(on_reactor([this] { return connection_->payload_bytes(); }), 500U);
}

TEST_F(WriteTest, StaysWithinTheServersLimit) {
  open_file(64);
  negotiated_.max_write_bytes = 65536;
  auto writing = start_write(0, 140000);
  peer_.send_frame(written(expect_write(0, 0, 65536), 65536));
  peer_.send_frame(written(expect_write(65536, 65536, 65536), 65536));
  peer_.send_frame(written(expect_write(131072, 131072, 8928), 8928));
  EXPECT_TRUE(writing->result());
}

TEST_F(WriteTest, IsSplitWhenCreditsDwindle) {
  open_file(20);
  auto reading = run<std::size_t>([this] { return read_bytes(*open_, 0, 1 << 20); });
  const Element read = peer_.receive();
  auto writing = start_write(0, 1 << 20);  // waits for 16 credits of 20
  EXPECT_TRUE(peer_.is_quiet());
  peer_.send_frame(refusal(read, NtStatus::end_of_file, granting(0)));
  const Element first = expect_write(0, 0, 4 * 65536);
  EXPECT_EQ(first.header.credit_charge, 4U);
  peer_.send_frame(written(first, 4 * 65536, granting(12)));
  const Element second = expect_write(4 * 65536, 4 * 65536, 12 * 65536);
  EXPECT_EQ(second.header.credit_charge, 12U);
  peer_.send_frame(written(second, 12 * 65536));
  EXPECT_TRUE(writing->result());
  EXPECT_TRUE(reading->result());
}

TEST_F(WriteTest, ThroughIsAskedForWithUnbuffered) {
  open_file(64);
  auto writing = start_write(0, 10, true);
  const Element request = expect_write(0, 0, 10);
  EXPECT_EQ(request.as<wire::WriteRequest>().flags,
            wire::WriteFlags::write_through | wire::WriteFlags::write_unbuffered);
  peer_.send_frame(written(request, 10));
  EXPECT_TRUE(writing->result());
}

TEST_F(WriteTest, OfNothingIsAFault) {
  open_file(64);
  auto writing = start_write(0, 10);
  peer_.send_frame(written(peer_.receive(), 0));
  EXPECT_TRUE(fails(writing->result(), ErrorKind::protocol, "0 of 10 bytes"));
}

TEST_F(WriteTest, OfMoreThanWasSentIsAFault) {
  open_file(64);
  auto writing = start_write(0, 10);
  peer_.send_frame(written(peer_.receive(), 11));
  EXPECT_TRUE(fails(writing->result(), ErrorKind::protocol, "11 of 10 bytes"));
}

TEST_F(WriteTest, FailuresNameTheFile) {
  open_file(64);
  auto writing = start_write(0, 10);
  peer_.send_frame(refusal(peer_.receive(), NtStatus::disk_full));
  auto result = writing->result();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind(), ErrorKind::no_space);
  EXPECT_EQ(result.error().object(), "//fs.lab.test/data/folder/file");
  EXPECT_EQ(result.error().operation(), "WRITE");
}

}  // namespace
}  // namespace smb3::test
