#include "unit/wire/vector_file.h"
#include "wire/packet_header.h"

#include <gtest/gtest.h>

namespace smb3::wire::testing {

namespace {

// A header with that NextCommand, and `body_bytes` of zeros behind it.
std::vector<std::byte> element(std::uint32_t next_command, std::size_t body_bytes) {
  std::vector<std::byte> bytes(header_bytes + body_bytes);
  store(PacketHeader{.command = Command::echo, .next_command = next_command}, bytes);
  return bytes;
}

std::vector<std::byte> operator+(std::vector<std::byte> a, const std::vector<std::byte>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

void expect_refused(const std::vector<std::byte>& message, std::string_view what) {
  CompoundSplitter splitter(message);
  const auto first = splitter.next();
  ASSERT_FALSE(first) << what;
  EXPECT_EQ(first.error().kind(), ErrorKind::protocol);
  EXPECT_EQ(first.error().what(), what);
  const auto second = splitter.next();
  ASSERT_TRUE(second);
  EXPECT_FALSE(*second) << "goes on behind an error";
}

}  // namespace

TEST(PacketHeader, TellsWhatItsFieldsMean) {
  const PacketHeader header{.status = 0x00050007,
                            .flags = HeaderFlags::async_command | HeaderFlags::signed_message};
  EXPECT_EQ(header.channel_sequence(), 7);
  EXPECT_TRUE(header.is_async());
  EXPECT_TRUE(header.is_signed());
  EXPECT_FALSE(header.is_response());
  EXPECT_EQ(PacketHeader{.status = 0x103}.nt_status(), NtStatus::pending);
}

TEST(PacketHeader, TellsProtocolIds) {
  EXPECT_EQ(protocol_id_of(from_hex("fe534d42")), smb2_protocol_id);
  EXPECT_EQ(protocol_id_of(from_hex("fd534d4200")), transform_protocol_id);
  EXPECT_EQ(protocol_id_of(from_hex("fc534d42")), compression_protocol_id);
  EXPECT_EQ(protocol_id_of(from_hex("fe534d")), 0u);
}

TEST(CompoundSplitter, SplitsOneAndMany) {
  const auto one = element(0, 4);
  CompoundSplitter single(one);
  auto only = single.next();
  ASSERT_TRUE(only && *only);
  EXPECT_EQ((*only)->bytes.size(), one.size());
  EXPECT_FALSE(*single.next());

  const auto two = element(72, 8) + element(0, 2);
  CompoundSplitter splitter(two);
  auto first = splitter.next();
  ASSERT_TRUE(first && *first);
  EXPECT_EQ((*first)->bytes.size(), 72u);
  EXPECT_EQ((*first)->bytes.data(), two.data());
  auto second = splitter.next();
  ASSERT_TRUE(second && *second);
  EXPECT_EQ((*second)->bytes.size(), 66u);
  EXPECT_EQ((*second)->bytes.data(), two.data() + 72);
  auto end = splitter.next();
  ASSERT_TRUE(end);
  EXPECT_FALSE(*end);
}

TEST(CompoundSplitter, RefusesWhatIsTooShort) {
  expect_refused({}, "the message is cut short");
  for (std::size_t size = 1; size < header_bytes + 2; ++size) {
    auto message = element(0, 2);
    message.resize(size);
    expect_refused(message, "the message is cut short");
  }
}

TEST(CompoundSplitter, RefusesWrongLinks) {
  const auto tail = element(0, 2);
  expect_refused(element(1, 8) + tail, "next_command points into its own element");
  expect_refused(element(64, 8) + tail, "next_command points into its own element");
  expect_refused(element(68, 8) + tail, "next_command is not aligned");
  expect_refused(element(0xFFFFFFF8, 8) + tail, "next_command points past the end");
  expect_refused(element(80, 8) + tail, "next_command points past the end");
  expect_refused(element(72, 8), "next_command points past the end");
  expect_refused(element(136, 8) + tail, "next_command points past the end");
}

TEST(CompoundSplitter, RefusesOtherProtocols) {
  auto message = element(0, 4);
  message[0] = std::byte{0xFF};
  expect_refused(message, "protocol_id has a wrong value");
  message = element(0, 4);
  message[4] = std::byte{63};
  expect_refused(message, "structure_size has a wrong value");
}

// A message that is split does so without end only if it has no end.
TEST(CompoundSplitter, EndsOnAnyBytes) {
  std::uint64_t state = 1;
  for (int round = 0; round < 2000; ++round) {
    std::vector<std::byte> message;
    for (int i = 0; i < 6; ++i) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      message = message + element(static_cast<std::uint32_t>(state >> 32) % 160, 8);
    }
    CompoundSplitter splitter(message);
    std::size_t elements = 0, bytes = 0;
    for (auto next = splitter.next(); next && *next; next = splitter.next()) {
      ++elements;
      bytes += (*next)->bytes.size();
    }
    EXPECT_LE(elements, 6u);
    EXPECT_LE(bytes, message.size());
  }
}

}  // namespace smb3::wire::testing
