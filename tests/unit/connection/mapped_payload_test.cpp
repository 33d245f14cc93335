// A payload that lies in a mapped file, and the file is cut off before it is sent.
#include "reactor/local_file.h"
#include "support/connection_fixture.h"
#include "wire/write.h"

#include <sys/mman.h>

namespace smb3::test {
namespace {

constexpr std::size_t file_bytes = 64_KiB;

class MappedPayload : public ConnectionTest {
 protected:
  void SetUp() override {
    ConnectionTest::SetUp();
    fd_ = ::memfd_create("source", MFD_CLOEXEC);
    ASSERT_GE(fd_, 0);
    const Octets contents(file_bytes, std::byte{0x5A});
    ASSERT_EQ(::write(fd_, contents.data(), contents.size()), ssize_t{file_bytes});
    memory_ = ::mmap(nullptr, file_bytes, PROT_READ, MAP_SHARED, fd_, 0);
    ASSERT_NE(memory_, MAP_FAILED);
  }
  void TearDown() override {
    ConnectionTest::TearDown();
    ::munmap(memory_, file_bytes);
    ::close(fd_);
  }

  Prepare write_of_mapped() {
    return [this](Request& request) {
      wire::WriteRequest message;
      message.data = Bytes(static_cast<const std::byte*>(memory_), file_bytes);
      request.set(message);
      watched_ = &request;
    };
  }
  // Sends it, answers it, and yields the payload that came.
  Octets payload_of_write() {
    auto asked = start({write_of_mapped()});
    const Element request = peer_.receive();
    const auto write = request.as<wire::WriteRequest>();
    Octets payload(write.data.begin(), write.data.end());
    lost_ = on_reactor([this] { return watched_->payload_lost; });
    peer_.send_frame(answer(request, wire::WriteResponse{}));
    EXPECT_TRUE(asked->result());
    return payload;
  }

  int fd_ = -1;
  void* memory_ = nullptr;
  Request* watched_ = nullptr;
  bool lost_ = false;
};

TEST_F(MappedPayload, ArrivesAsItLiesInTheFile) {
  connect_negotiated(8);
  EXPECT_EQ(payload_of_write(), Octets(file_bytes, std::byte{0x5A}));
  EXPECT_FALSE(lost_);
}

TEST_F(MappedPayload, CutOffCostsTheRequestAndNotTheConnection) {
  connect_negotiated(8);
  ASSERT_EQ(::ftruncate(fd_, 4096), 0);
  const Octets payload = payload_of_write();
  ASSERT_EQ(payload.size(), file_bytes) << "the frame must be whole";
  EXPECT_EQ(payload.back(), std::byte{0});
  EXPECT_TRUE(lost_) << "nobody would know that zeros were sent";
  expect_alive();
}

// The others of a batch lie in ordinary memory, or in files that are whole.
TEST_F(MappedPayload, CutOffLeavesOthersOfTheBatchAlone) {
  connect_negotiated(8);
  ASSERT_EQ(::ftruncate(fd_, 0), 0);
  static const Octets data(100, std::byte{0x33});
  Request* other = nullptr;
  auto asked = start({write_of_mapped(), [&other](Request& request) {
                        wire::WriteRequest message;
                        message.data = data;
                        request.set(message);
                        other = &request;
                      }});
  const auto requests = peer_.receive_compound();
  ASSERT_EQ(requests.size(), 2U);
  const auto write = requests[1].as<wire::WriteRequest>();
  EXPECT_TRUE(std::ranges::equal(write.data, data));
  EXPECT_TRUE(on_reactor([this] { return watched_->payload_lost; }));
  EXPECT_FALSE(on_reactor([other] { return other->payload_lost; }));
  peer_.send_frame(compound(
      {answer(requests[0], wire::WriteResponse{}), answer(requests[1], wire::WriteResponse{})}));
  EXPECT_TRUE(asked->result());
  expect_alive();
}

}  // namespace
}  // namespace smb3::test
