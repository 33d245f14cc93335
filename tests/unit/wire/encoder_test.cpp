#include "unit/wire/vector_file.h"
#include "wire/messages.h"

#include <gtest/gtest.h>

namespace smb3::wire::testing {

namespace {

const std::vector<std::byte> five_bytes = from_hex("0102030405");

}  // namespace

TEST(Encoder, HandsThePayloadOutInsteadOfCopyingIt) {
  const WriteRequest request{.offset = 1, .file_id = {}, .flags = {}, .data = five_bytes};
  ByteBuffer whole, front;
  whole.extend(header_bytes);
  front.extend(header_bytes);
  encode(request, whole);
  Bytes payload;
  encode(request, front, {.payload = &payload});

  EXPECT_EQ(payload.data(), five_bytes.data());
  EXPECT_EQ(payload.size(), five_bytes.size());
  EXPECT_EQ(front.size(), header_bytes + fixed_size<WriteRequest>());
  EXPECT_EQ(to_hex(front.bytes()) + to_hex(payload), to_hex(whole.bytes()));
}

TEST(Encoder, CountsOffsetsFromTheElement) {
  ByteBuffer alone, behind;
  const CreateContext context{create_context::bytes_of("MxAc"), {}};
  const CreateRequest request{.name = Bytes(five_bytes).first(4), .contexts = {context}};
  alone.extend(header_bytes);
  encode(request, alone);
  behind.extend(72);  // some element, whose length is a multiple of 8
  behind.extend(header_bytes);
  encode(request, behind, {.element_start = 72});
  EXPECT_EQ(to_hex(Bytes(behind.bytes()).subspan(72)), to_hex(alone.bytes()));
}

TEST(Encoder, BuildsACompoundThatSplits) {
  ByteBuffer out;
  const auto add = [&out](const auto& message, bool last) {
    const std::size_t start = out.size();
    out.extend(header_bytes);
    encode(message, out, {.element_start = start});
    if (!last) out.pad(8);
    PacketHeader header{.command = message.command, .message_id = start};
    if (!last) header.next_command = static_cast<std::uint32_t>(out.size() - start);
    store(header, MutableBytes(out.bytes()).subspan(start, header_bytes));
  };
  add(CreateRequest{.name = Bytes(five_bytes).first(2)}, false);
  add(ReadRequest{.length = 4096, .file_id = no_file_id}, false);
  add(CloseRequest{.file_id = no_file_id}, true);

  CompoundSplitter splitter(out.bytes());
  auto create = splitter.next();
  ASSERT_TRUE(create && *create);
  EXPECT_EQ((*create)->header.command, Command::create);
  EXPECT_EQ(decode<CreateRequest>((*create)->bytes)->name.size(), 2u);
  auto read = splitter.next();
  ASSERT_TRUE(read && *read);
  EXPECT_EQ(decode<ReadRequest>((*read)->bytes)->length, 4096u);
  auto close = splitter.next();
  ASSERT_TRUE(close && *close);
  EXPECT_EQ(decode<CloseRequest>((*close)->bytes)->file_id, no_file_id);
  auto end = splitter.next();
  ASSERT_TRUE(end);
  EXPECT_FALSE(*end);
}

TEST(Encoder, AllocatesNothingForTheDataPath) {
  const WriteRequest request{.offset = 0, .file_id = {}, .flags = {}, .data = five_bytes};
  ByteBuffer out;
  const std::byte* before = out.data();
  Bytes payload;
  out.extend(header_bytes);
  encode(request, out, {.payload = &payload});
  EXPECT_EQ(out.data(), before);
  EXPECT_LT(out.size(), ByteBuffer::inline_bytes);
}

}  // namespace smb3::wire::testing
