// Offsets and lengths that a hostile peer may claim, one variable part after the other.
#include "unit/wire/vector_file.h"
#include "wire/messages.h"

#include <gtest/gtest.h>

namespace smb3::wire::testing {

namespace {

// Writes `value` over the field at `at` (from the start of the body) of a vector's first block.
struct Patch {
  std::size_t at;
  std::size_t width;
  std::uint64_t value;
};

template <Described T>
Result<T> decode_patched(const char* file, std::initializer_list<Patch> patches) {
  std::vector<std::byte> element(Message<T> ? header_bytes : 0);
  const std::vector<Vector> vectors = read_vectors(file);
  const std::size_t front = element.size();
  element.insert(element.end(), vectors.at(0).hex.begin(), vectors.at(0).hex.end());
  for (const Patch& patch : patches) {
    for (std::size_t i = 0; i < patch.width; ++i) {
      element.at(front + patch.at + i) = static_cast<std::byte>(patch.value >> (8 * i));
    }
  }
  // The views of the result are not looked at: `element` ends here.
  return decode<T>(element);
}

template <Described T>
void expect_refused(const char* file, std::initializer_list<Patch> patches, std::string_view what) {
  const Result<T> result = decode_patched<T>(file, patches);
  ASSERT_FALSE(result) << what;
  EXPECT_EQ(result.error().kind(), ErrorKind::protocol);
  EXPECT_EQ(result.error().operation(), T::wire_name);
  EXPECT_EQ(result.error().what(), what);
}

// A part whose offset is at `offset_at` and whose length is at `length_at`.
template <Described T>
void expect_part_checked(const char* file, Patch offset, Patch length, const std::string& name,
                         std::uint64_t fixed_end, std::uint64_t element_bytes) {
  SCOPED_TRACE(file);
  const auto at = [](Patch patch, std::uint64_t value) {
    return Patch{patch.at, patch.width, value};
  };
  const std::uint64_t offset_max = offset.width == 8 ? ~0ull : (1ull << 8 * offset.width) - 1;
  const std::uint64_t length_max = length.width == 8 ? ~0ull : (1ull << 8 * length.width) - 1;
  const std::string past = name + " runs past the end", overlap = name + " overlaps the fixed part";
  if (offset_max > element_bytes) expect_refused<T>(file, {at(offset, offset_max)}, past);
  expect_refused<T>(file, {at(length, length_max)}, past);
  expect_refused<T>(file, {at(offset, 0)}, overlap);
  expect_refused<T>(file, {at(offset, fixed_end - 1)}, overlap);
  if (element_bytes <= offset_max) {
    expect_refused<T>(file, {at(offset, element_bytes), at(length, 1)}, past);
    EXPECT_TRUE(decode_patched<T>(file, {at(offset, element_bytes - 1), at(length, 1)}));
  }
  // A sum that wraps in 32 bits: the offset inside, the length so large that it comes round.
  if (length.width == 4) {
    expect_refused<T>(file, {at(offset, fixed_end), at(length, 0x100000000 - fixed_end)}, past);
  }
  // No length, no part: where it is said to lie does not matter.
  EXPECT_TRUE(decode_patched<T>(file, {at(offset, offset_max), at(length, 0)}));
}

}  // namespace

TEST(Decoder, ChecksEveryPartOfAMessage) {
  expect_part_checked<NegotiateResponse>("negotiate_response.txt", {56, 2, 0}, {58, 2, 0},
                                         "security_buffer", 128, 148);
  expect_part_checked<SessionSetupRequest>("session_setup_request.txt", {12, 2, 0}, {14, 2, 0},
                                           "security_buffer", 88, 90);
  expect_part_checked<SessionSetupResponse>("session_setup_response.txt", {4, 2, 0}, {6, 2, 0},
                                            "security_buffer", 72, 75);
  expect_part_checked<TreeConnectRequest>("tree_connect_request.txt", {4, 2, 0}, {6, 2, 0}, "path",
                                          72, 84);
  expect_part_checked<CreateRequest>("create_request.txt", {44, 2, 0}, {46, 2, 0}, "name", 120,
                                     184);
  expect_part_checked<ReadResponse>("read_response.txt", {2, 1, 0}, {4, 4, 0}, "data", 80, 85);
  expect_part_checked<WriteRequest>("write_request.txt", {2, 2, 0}, {4, 4, 0}, "data", 112, 117);
  expect_part_checked<IoctlResponse>("ioctl_response.txt", {32, 4, 0}, {36, 4, 0}, "output", 112,
                                     124);
  expect_part_checked<QueryDirectoryRequest>("query_directory_request.txt", {24, 2, 0}, {26, 2, 0},
                                             "file_name", 96, 98);
  expect_part_checked<QueryDirectoryResponse>("query_directory_response.txt", {2, 2, 0}, {4, 4, 0},
                                              "output_buffer", 72, 80);
  expect_part_checked<ChangeNotifyResponse>("change_notify_response.txt", {2, 2, 0}, {4, 4, 0},
                                            "output_buffer", 72, 80);
  expect_part_checked<QueryInfoResponse>("query_info_response.txt", {2, 2, 0}, {4, 4, 0},
                                         "output_buffer", 72, 80);
  expect_part_checked<SetInfoRequest>("set_info_request.txt", {8, 2, 0}, {4, 4, 0}, "buffer", 96,
                                      104);
  expect_part_checked<ShareRedirectError>("share_redirect_error.txt", {8, 4, 0}, {12, 4, 0},
                                          "resource_name", 72, 84);
  expect_part_checked<CreateContext>("create_context.txt", {4, 2, 0}, {6, 2, 0}, "name", 16, 32);
  expect_part_checked<CreateContext>("create_context.txt", {10, 2, 0}, {12, 4, 0}, "data", 16, 32);
}

TEST(Decoder, ChecksPartsThatFollowDirectly) {
  expect_refused<ErrorResponse>("error_response.txt", {{4, 4, 0xFFFFFFFF}},
                                "error_data is cut short");
  expect_refused<ErrorResponse>("error_response.txt", {{4, 4, 2}}, "error_data is cut short");
  expect_refused<NegotiateContext>("negotiate_context.txt", {{2, 2, 7}}, "data is cut short");
  expect_refused<PreauthIntegrityCapabilities>("preauth_integrity_capabilities.txt",
                                               {{2, 2, 0xFFFF}}, "salt is cut short");
  expect_refused<FileIdBothDirectoryInformation>("file_id_both_directory_information.txt",
                                                 {{60, 4, 0xFFFFFFFF}}, "file_name is cut short");
  expect_refused<FileIdBothDirectoryInformation>("file_id_both_directory_information.txt",
                                                 {{60, 4, 11}}, "file_name is cut short");
  expect_refused<FileRenameInformation>("file_rename_information.txt", {{16, 4, 0xFFFFFFFF}},
                                        "file_name is cut short");
  expect_refused<FileNotifyInformation>("file_notify_information.txt", {{8, 4, 0xFFFFFFFF}},
                                        "file_name is cut short");
  expect_refused<SymbolicLinkError>("symbolic_link_error.txt", {{12, 2, 11}},
                                    "a length is too small");
  expect_refused<SymbolicLinkError>("symbolic_link_error.txt", {{12, 2, 0xFFFF}},
                                    "path_buffer is cut short");
}

TEST(Decoder, ChecksCountsBeforeItAllocates) {
  expect_refused<NegotiateRequest>("negotiate_request.txt", {{2, 2, 0xFFFF}},
                                   "dialects is cut short");
  expect_refused<LockRequest>("lock_request.txt", {{2, 2, 3}}, "locks is cut short");
  expect_refused<LockRequest>("lock_request.txt", {{2, 2, 0xFFFF}}, "locks is cut short");
  expect_refused<SrvCopychunkCopy>("srv_copychunk_copy.txt", {{24, 4, 0xFFFFFFFF}},
                                   "chunks is cut short");
  expect_refused<SrvCopychunkCopy>("srv_copychunk_copy.txt", {{24, 4, 3}}, "chunks is cut short");
  expect_refused<ShareRedirectError>("share_redirect_error.txt", {{20, 4, 0xFFFFFFFF}},
                                     "ip_addr_move_list is cut short");
  expect_refused<EncryptionCapabilities>("encryption_capabilities.txt", {{0, 2, 5}},
                                         "ciphers is cut short");
}

TEST(Decoder, ChecksListsOfContexts) {
  const char* file = "negotiate_response.txt";  // contexts at 136, one of 12 bytes, to 148
  expect_refused<NegotiateResponse>(file, {{60, 4, 0xFFFFFFFF}}, "contexts runs past the end");
  expect_refused<NegotiateResponse>(file, {{60, 4, 149}}, "contexts runs past the end");
  expect_refused<NegotiateResponse>(file, {{60, 4, 127}}, "contexts overlaps the fixed part");
  expect_refused<NegotiateResponse>(file, {{60, 4, 0}}, "contexts overlaps the fixed part");
  expect_refused<NegotiateResponse>(file, {{60, 4, 148}}, "context_type is cut short");
  expect_refused<NegotiateResponse>(file, {{74, 2, 0xFFFF}}, "data is cut short");
  expect_refused<NegotiateResponse>(file, {{6, 2, 2}}, "contexts is cut short");
  expect_refused<NegotiateResponse>(file, {{6, 2, 0xFFFF}}, "contexts is cut short");
  EXPECT_TRUE(decode_patched<NegotiateResponse>(file, {{6, 2, 0}, {60, 4, 0xFFFFFFFF}}));
}

TEST(Decoder, ChecksChainsOfContexts) {
  const char* file = "create_request.txt";  // two contexts at 128 of 24 and 32 bytes, to 184
  const std::size_t offset = 48, length = 52, next = 64;
  expect_refused<CreateRequest>(file, {{offset, 4, 0xFFFFFFFF}}, "contexts runs past the end");
  expect_refused<CreateRequest>(file, {{length, 4, 0xFFFFFFFF}}, "contexts runs past the end");
  expect_refused<CreateRequest>(file, {{length, 4, 57}}, "contexts runs past the end");
  expect_refused<CreateRequest>(file, {{offset, 4, 119}}, "contexts overlaps the fixed part");
  expect_refused<CreateRequest>(file, {{next, 4, 0xFFFFFFF8}},
                                "contexts has a next entry past the end");
  expect_refused<CreateRequest>(file, {{next, 4, 56}}, "contexts has a next entry past the end");
  expect_refused<CreateRequest>(file, {{next, 4, 20}},
                                "contexts has a next entry that is not aligned");
  expect_refused<CreateRequest>(file, {{next, 4, 2}},
                                "contexts has a next entry inside its own link");
  expect_refused<CreateRequest>(file, {{next, 4, 8}}, "a reserved field is cut short");
  // The name of the first entry may not reach into the second.
  expect_refused<CreateRequest>(file, {{next + 6, 2, 16}}, "name runs past the end");
  // Nor may the data of the last reach behind the chain.
  expect_refused<CreateRequest>(file, {{length, 4, 52}}, "data runs past the end");
}

TEST(Decoder, ChecksStructureSizeAndConstants) {
  expect_refused<ReadResponse>("read_response.txt", {{0, 2, 9}},
                               "structure_size has a wrong value");
  expect_refused<TransformHeader>("transform_header.txt", {{0, 4, smb2_protocol_id}},
                                  "protocol_id has a wrong value");
  expect_refused<TransformHeader>("transform_header.txt", {{42, 2, 3}}, "flags has a wrong value");
  expect_refused<SymbolicLinkError>("symbolic_link_error.txt", {{4, 4, 0}},
                                    "sym_link_error_tag has a wrong value");
  expect_refused<ShareRedirectError>("share_redirect_error.txt", {{4, 4, 2}},
                                     "notification_type has a wrong value");
}

TEST(Decoder, RefusesElementsWithoutABody) {
  const std::vector<std::byte> bytes(header_bytes);
  for (std::size_t size = 0; size <= bytes.size(); ++size) {
    EXPECT_FALSE(decode<EchoResponse>(Bytes(bytes).first(size)));
  }
}

TEST(Decoder, KeepsViewsOfTheElement) {
  std::vector<std::byte> element(header_bytes);
  const std::vector<Vector> vectors = read_vectors("read_response.txt");
  element.insert(element.end(), vectors.at(0).hex.begin(), vectors.at(0).hex.end());
  const Result<ReadResponse> response = decode<ReadResponse>(element);
  ASSERT_TRUE(response);
  EXPECT_EQ(response->data.data(), element.data() + read_data_offset);
  EXPECT_EQ(response->data.size(), 5u);
}

TEST(Decoder, TellsStructureSizes) {
  std::vector<std::byte> element(header_bytes);
  EXPECT_EQ(structure_size_of(element), 0);
  element.resize(header_bytes + 1, std::byte{44});
  EXPECT_EQ(structure_size_of(element), 0);
  element.resize(header_bytes + 2);
  EXPECT_EQ(structure_size_of(element), 44);
}

TEST(ChainCursor, ReadsEntriesAndEnds) {
  const std::vector<FileStreamInformation> list(3);
  ByteBuffer out;
  encode_chain(list, out);
  ChainCursor<FileStreamInformation> cursor(out.bytes());
  for (int i = 0; i < 3; ++i) {
    const auto entry = cursor.next();
    ASSERT_TRUE(entry);
    EXPECT_TRUE(*entry);
  }
  EXPECT_FALSE(cursor.next());
  EXPECT_FALSE(cursor.next());
  EXPECT_FALSE(cursor.broken());
  EXPECT_EQ(decode_chain<FileStreamInformation>(out.bytes())->size(), 3u);
  EXPECT_EQ(decode_chain<FileStreamInformation>({})->size(), 0u);
}

TEST(ChainCursor, ReportsABrokenLinkOnce) {
  const std::vector<std::byte> bytes = from_hex("05000000 0000000000000000");
  ChainCursor<FileNamesInformation> cursor(bytes);
  const auto entry = cursor.next();
  ASSERT_TRUE(entry);
  ASSERT_FALSE(*entry);
  EXPECT_EQ(entry->error().what(), "the list has a next entry that is not aligned");
  EXPECT_TRUE(cursor.broken());
  EXPECT_FALSE(cursor.next());
  EXPECT_FALSE(decode_chain<FileNamesInformation>(bytes));
  EXPECT_FALSE(decode_chain<FileNamesInformation>(Bytes(bytes).first(3)));
}

}  // namespace smb3::wire::testing
