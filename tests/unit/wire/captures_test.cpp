// Whole messages that others have published or made: what our declarations read from them.
#include "base/utf16.h"
#include "unit/wire/vector_file.h"
#include "wire/messages.h"

#include <gtest/gtest.h>

namespace smb3::wire::testing {

namespace {

const std::vector<std::byte>& capture(const std::string& name) {
  static const std::vector<Vector> all = read_vectors("captures.txt");
  for (const Vector& vector : all) {
    if (vector.fields.at("name") == name) return vector.hex;
  }
  static const std::vector<std::byte> nothing;
  ADD_FAILURE() << "no capture " << name;
  return nothing;
}

PacketHeader header_of(const std::string& name) {
  Result<PacketHeader> header = decode<PacketHeader>(capture(name));
  EXPECT_TRUE(header) << name;
  return header.value_or(PacketHeader{});
}

std::string utf8(Bytes name) { return from_utf16le(name).value_or("?"); }

}  // namespace

TEST(Captures, NegotiateRequest) {
  const PacketHeader header = header_of("negotiate_request");
  EXPECT_EQ(header.command, Command::negotiate);
  EXPECT_EQ(header.credit_charge, 1);
  EXPECT_EQ(header.message_id, 1u);
  EXPECT_EQ(header.process_id, 0xFEFFu);
  const auto request = decode<NegotiateRequest>(capture("negotiate_request"));
  ASSERT_TRUE(request) << explain(request.error());
  EXPECT_EQ(request->dialects.size(), 5u);
  EXPECT_EQ(request->dialects.back(), Dialect::smb_3_1_1);
  ASSERT_EQ(request->contexts.size(), 2u);
  const auto preauth = decode<PreauthIntegrityCapabilities>(request->contexts[0].data);
  ASSERT_TRUE(preauth);
  EXPECT_EQ(preauth->hash_algorithms, std::vector{HashAlgorithm::sha_512});
  EXPECT_EQ(preauth->salt.size(), 32u);
  const auto encryption = decode<EncryptionCapabilities>(request->contexts[1].data);
  ASSERT_TRUE(encryption);
  EXPECT_EQ(encryption->ciphers, (std::vector{Cipher::aes_128_gcm, Cipher::aes_128_ccm}));
}

TEST(Captures, NegotiateResponse) {
  const auto response = decode<NegotiateResponse>(capture("negotiate_response"));
  ASSERT_TRUE(response) << explain(response.error());
  EXPECT_EQ(response->dialect_revision, Dialect::smb_3_1_1);
  EXPECT_EQ(response->max_read_size, 8u << 20);
  EXPECT_EQ(response->security_buffer.size(), 0x140u);
  EXPECT_EQ(response->contexts.size(), 2u);
  EXPECT_EQ(to_unix(response->system_time).tv_sec, 1435184301);  // 2015-06-24 22:18:21 UTC
}

TEST(Captures, SessionSetup) {
  const auto first = decode<SessionSetupRequest>(capture("session_setup_request"));
  ASSERT_TRUE(first);
  EXPECT_EQ(first->security_mode, SecurityMode::signing_enabled);
  EXPECT_EQ(first->security_buffer.size(), 0x4Au);
  const PacketHeader more = header_of("session_setup_response");
  EXPECT_EQ(more.nt_status(), NtStatus::more_processing_required);
  EXPECT_FALSE(has_error_body(more, capture("session_setup_response")));
  const auto challenge = decode<SessionSetupResponse>(capture("session_setup_response"));
  ASSERT_TRUE(challenge);
  EXPECT_EQ(challenge->security_buffer.size(), 0xB3u);
  const auto second = decode<SessionSetupRequest>(capture("session_setup_request_2"));
  ASSERT_TRUE(second);
  EXPECT_EQ(second->security_buffer.size(), 0x1CFu);
  const PacketHeader last = header_of("session_setup_final");
  EXPECT_TRUE(last.is_signed() && last.is_response());
  EXPECT_EQ(last.session_id, 0x100000000019u);
  EXPECT_EQ(decode<SessionSetupResponse>(capture("session_setup_final"))->security_buffer.size(),
            0x1Du);
  EXPECT_EQ(decode<SessionSetupRequest>(capture("binding_request"))->flags,
            SessionSetupFlags::binding);
}

TEST(Captures, ReadAndWrite) {
  const std::string text = "Smb3 encryption testing";
  const auto as_text = [](Bytes bytes) {
    return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  };
  const FileId file_id{0x0000000400000006, 0x0000000400000001};
  const auto write = decode<WriteRequest>(capture("write_request"));
  ASSERT_TRUE(write) << explain(write.error());
  EXPECT_EQ(write->file_id, file_id);
  EXPECT_EQ(as_text(write->data), text);
  EXPECT_EQ(decode<WriteResponse>(capture("write_response"))->count, text.size());
  const auto request = decode<ReadRequest>(capture("read_request"));
  ASSERT_TRUE(request);
  EXPECT_EQ(request->length, text.size());
  EXPECT_EQ(request->file_id, file_id);
  const auto response = decode<ReadResponse>(capture("read_response"));
  ASSERT_TRUE(response);
  EXPECT_EQ(as_text(response->data), text);
}

TEST(Captures, TransformHeader) {
  const auto transform = decode<TransformHeader>(capture("transform"));
  ASSERT_TRUE(transform) << explain(transform.error());
  EXPECT_EQ(transform->original_message_size, capture("write_request").size());
  EXPECT_EQ(transform->session_id, 0x100000000025u);
  EXPECT_EQ(capture("transform").size(), transform_header_bytes + transform->original_message_size);
}

TEST(Captures, AsyncCancel) {
  const PacketHeader header = header_of("cancel_async");
  EXPECT_EQ(header.command, Command::cancel);
  EXPECT_TRUE(header.is_async());
  EXPECT_EQ(header.async_id, 0x1122334455u);
  EXPECT_TRUE(decode<CancelRequest>(capture("cancel_async")));
}

TEST(Captures, CompoundOfCreateAndClose) {
  CompoundSplitter splitter(capture("compound_create_close"));
  const auto first = splitter.next();
  ASSERT_TRUE(first && *first);
  const auto create = decode<CreateRequest>((*first)->bytes);
  ASSERT_TRUE(create) << explain(create.error());
  EXPECT_EQ(utf8(create->name), "a");
  EXPECT_EQ(create->desired_access, AccessMask::read_attributes | AccessMask::synchronize);
  const auto second = splitter.next();
  ASSERT_TRUE(second && *second);
  EXPECT_TRUE(has((*second)->header.flags, HeaderFlags::related_operations));
  EXPECT_EQ(decode<CloseRequest>((*second)->bytes)->file_id, no_file_id);
}

TEST(Captures, TreeConnect) {
  const auto plain = decode<TreeConnectRequest>(capture("tree_connect_redirect_to_owner"));
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->flags, TreeConnectFlags::redirect_to_owner);
  EXPECT_EQ(utf8(plain->path), "\\\\cl\\data");
  const auto extended = decode<TreeConnectRequest>(capture("tree_connect_extension"));
  ASSERT_TRUE(extended) << explain(extended.error());
  EXPECT_EQ(utf8(extended->path), "\\\\cl\\data");
  EXPECT_TRUE(extended->contexts.empty());

  ByteBuffer out;  // these two were made by another program: ours must be the same bytes
  out.extend(header_bytes);
  encode(*extended, out);
  EXPECT_EQ(to_hex(Bytes(out.bytes()).subspan(header_bytes)),
            to_hex(Bytes(capture("tree_connect_extension")).subspan(header_bytes)));
}

TEST(Captures, ShareRedirect) {
  const auto response = decode<ErrorResponse>(capture("share_redirect_error"));
  ASSERT_TRUE(response) << explain(response.error());
  const auto contexts = error_contexts(*response);
  ASSERT_TRUE(contexts) << explain(contexts.error());
  ASSERT_EQ(contexts->size(), 1u);
  EXPECT_EQ(contexts->front().error_id, ErrorId::share_redirect);
  const auto redirect = decode<ShareRedirectError>(contexts->front().error_context_data);
  ASSERT_TRUE(redirect) << explain(redirect.error());
  EXPECT_EQ(utf8(redirect->resource_name), "\\\\cl\\data");
  ASSERT_EQ(redirect->ip_addr_move_list.size(), 2u);
  EXPECT_EQ(redirect->ip_addr_move_list[0].type, MoveDstType::ipv4);
  EXPECT_EQ(redirect->ip_addr_move_list[1].type, MoveDstType::ipv6);
}

TEST(Captures, SymbolicLink) {
  const auto response = decode<ErrorResponse>(capture("symlink_error"));
  ASSERT_TRUE(response);
  const auto contexts = error_contexts(*response);
  ASSERT_TRUE(contexts && contexts->size() == 1);
  const auto link = decode<SymbolicLinkError>(contexts->front().error_context_data);
  ASSERT_TRUE(link) << explain(link.error());
  EXPECT_EQ(link->unparsed_path_length, 8);
  EXPECT_EQ(link->flags, SymlinkFlags::none);
  EXPECT_EQ(utf8(*substitute_name(*link)), "\\??\\UNC\\s\\d\\t");
  EXPECT_EQ(utf8(*print_name(*link)), "\\\\s\\d\\t");
}

}  // namespace smb3::wire::testing
