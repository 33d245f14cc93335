#include "unit/wire/vector_file.h"
#include "wire/messages.h"

#include <gtest/gtest.h>

namespace smb3::wire::testing {

namespace {

std::vector<std::byte> body_of_size(std::uint16_t structure_size) {
  std::vector<std::byte> element(header_bytes + 16);
  store_le(element.data() + header_bytes, structure_size);
  return element;
}

bool error_body(Command command, NtStatus status, std::uint16_t structure_size) {
  return has_error_body(
      PacketHeader{.status = static_cast<std::uint32_t>(status), .command = command},
      body_of_size(structure_size));
}

}  // namespace

TEST(ErrorContexts, RoundTrip) {
  const auto a = from_hex("010203"), b = from_hex("04");
  const std::vector<ErrorContext> contexts{{ErrorId::default_id, a}, {ErrorId::share_redirect, b}};
  ByteBuffer out;
  encode_error_contexts(contexts, out);
  EXPECT_EQ(to_hex(out.bytes()), "03000000000000000102030000000000010000005352647204");
  const auto read = error_contexts({.error_context_count = 2, .error_data = out.bytes()});
  ASSERT_TRUE(read);
  ASSERT_EQ(read->size(), 2u);
  EXPECT_EQ(to_hex((*read)[0].error_context_data), "010203");
  EXPECT_EQ((*read)[1].error_id, ErrorId::share_redirect);
}

TEST(ErrorContexts, TakeRawDataOfOlderServers) {
  const auto data = from_hex("00100000");
  const auto contexts = error_contexts({.error_context_count = 0, .error_data = data});
  ASSERT_TRUE(contexts);
  ASSERT_EQ(contexts->size(), 1u);
  EXPECT_EQ(decode<RequiredSizeError>(contexts->front().error_context_data)->required_buffer_length,
            4096u);
  EXPECT_TRUE(error_contexts({})->empty());
}

TEST(ErrorContexts, RefuseWrongCountsAndLengths) {
  const auto one = from_hex("0100000000000000 aa");
  EXPECT_TRUE(error_contexts({.error_context_count = 1, .error_data = one}));
  EXPECT_FALSE(error_contexts({.error_context_count = 2, .error_data = one}));
  EXPECT_FALSE(error_contexts({.error_context_count = 255, .error_data = one}));
  EXPECT_FALSE(error_contexts({.error_context_count = 1, .error_data = {}}));
  const auto long_one = from_hex("ffffffff00000000 aa");
  const auto refused = error_contexts({.error_context_count = 1, .error_data = long_one});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind(), ErrorKind::protocol);
}

TEST(SymbolicLinkNames, StayInsideThePathBuffer) {
  const auto buffer = from_hex("61006200");
  SymbolicLinkError link{.substitute_name_offset = 2,
                         .substitute_name_length = 2,
                         .print_name_offset = 0,
                         .print_name_length = 4,
                         .path_buffer = buffer};
  EXPECT_EQ(to_hex(*substitute_name(link)), "6200");
  EXPECT_EQ(to_hex(*print_name(link)), "61006200");
  link.substitute_name_length = 3;
  EXPECT_FALSE(substitute_name(link));
  link.substitute_name_offset = 5;
  link.substitute_name_length = 0;
  EXPECT_FALSE(substitute_name(link));
  link.print_name_length = 0xFFFF;
  EXPECT_FALSE(print_name(link));
}

// [MS-SMB2] 3.3.4.4: failures that still carry the body of their command.
TEST(HasErrorBody, FollowsTheTable) {
  EXPECT_FALSE(error_body(Command::read, NtStatus{0}, 17));
  EXPECT_FALSE(error_body(Command::query_directory, NtStatus{0}, 9));
  EXPECT_TRUE(error_body(Command::create, NtStatus::pending, 9));
  EXPECT_FALSE(error_body(Command::session_setup, NtStatus::more_processing_required, 9));
  EXPECT_FALSE(error_body(Command::query_info, NtStatus::buffer_overflow, 9));
  EXPECT_FALSE(error_body(Command::ioctl, NtStatus::buffer_overflow, 49));
  EXPECT_FALSE(error_body(Command::read, NtStatus::buffer_overflow, 17));
  EXPECT_FALSE(error_body(Command::ioctl, NtStatus::invalid_parameter, 49));
  EXPECT_TRUE(error_body(Command::ioctl, NtStatus::invalid_parameter, 9));
  EXPECT_FALSE(error_body(Command::change_notify, NtStatus::notify_enum_dir, 9));
  EXPECT_FALSE(error_body(Command::change_notify, NtStatus::notify_cleanup, 9));
  EXPECT_TRUE(error_body(Command::query_directory, NtStatus::no_more_files, 9));
  EXPECT_TRUE(error_body(Command::read, NtStatus::end_of_file, 9));
  EXPECT_TRUE(error_body(Command::session_setup, NtStatus::logon_failure, 9));
  EXPECT_TRUE(error_body(Command::create, NtStatus::stopped_on_symlink, 9));
}

}  // namespace smb3::wire::testing
