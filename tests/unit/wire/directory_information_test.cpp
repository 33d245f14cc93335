#include "base/utf16.h"
#include "unit/wire/vector_file.h"
#include "wire/messages.h"

#include <gtest/gtest.h>

namespace smb3::wire::testing {

namespace {

using Entry = FileIdBothDirectoryInformation;

ByteBuffer& listing(ByteBuffer& out, const std::vector<std::vector<std::byte>>& names) {
  std::vector<Entry> entries;
  for (const auto& name : names) entries.push_back({.file_name = name});
  encode_chain(entries, out);
  return out;
}

std::vector<std::byte> utf16(std::string_view text) { return *to_utf16le(text); }

}  // namespace

TEST(DirectoryCursor, ListsEntriesInOrder) {
  ByteBuffer out;
  DirectoryCursor<Entry> cursor(listing(out, {utf16("."), utf16(".."), utf16("héllo")}).bytes());
  for (const std::string_view name : {".", "..", "héllo"}) {
    const auto entry = cursor.next();
    ASSERT_TRUE(entry && *entry);
    EXPECT_EQ(*from_utf16le((*entry)->file_name), name);
  }
  EXPECT_FALSE(cursor.next());
  EXPECT_FALSE(cursor.broken());
}

// A link that leads over an entry, or to the end before it, would hide a file without a word.
TEST(DirectoryCursor, FindsEntriesThatAreLeftOut) {
  ByteBuffer out;
  const std::vector<std::vector<std::byte>> names{utf16("first"), utf16("second"), utf16("third")};
  const Bytes honest = listing(out, names).bytes();
  const auto first = load_le<std::uint32_t>(honest.data());
  const auto second = load_le<std::uint32_t>(honest.data() + first);
  for (const std::uint32_t link : {std::uint32_t{0}, first + second}) {
    std::vector<std::byte> bytes(honest.begin(), honest.end());
    store_le(bytes.data(), link);
    DirectoryCursor<Entry> cursor(bytes);
    const auto entry = cursor.next();
    ASSERT_TRUE(entry);
    ASSERT_FALSE(*entry) << link;
    EXPECT_EQ(entry->error().what(), "the list leaves entries out");
    EXPECT_TRUE(cursor.broken());
  }
}

TEST(DirectoryCursor, SkipsNamesThatCouldLeadAway) {
  ByteBuffer out;
  const std::vector<std::pair<std::vector<std::byte>, std::string_view>> bad = {
      {{}, "a name is empty"},
      {utf16("a/b"), "a name contains a slash"},
      {utf16("..\\x"), "a name contains a backslash"},
      {utf16(std::string_view("a\0b", 3)), "a name contains a NUL"},
      {from_hex("610062"), "a name has an odd number of bytes"},
  };
  std::vector<std::vector<std::byte>> names{utf16("first")};
  for (const auto& [name, why] : bad) names.push_back(name);
  names.push_back(utf16("last"));
  DirectoryCursor<Entry> cursor(listing(out, names).bytes());

  ASSERT_TRUE(*cursor.next());
  for (const auto& [name, why] : bad) {
    const auto entry = cursor.next();
    ASSERT_TRUE(entry);
    ASSERT_FALSE(*entry) << why;
    EXPECT_EQ(entry->error().what(), why);
    EXPECT_EQ(entry->error().kind(), ErrorKind::protocol);
    EXPECT_FALSE(cursor.broken());
  }
  const auto last = cursor.next();
  ASSERT_TRUE(last && *last);
  EXPECT_EQ(*from_utf16le((*last)->file_name), "last");
  EXPECT_FALSE(cursor.next());
}

TEST(DirectoryCursor, GoesOnBehindANameThatIsTooLong) {
  ByteBuffer out;
  listing(out, {utf16("a"), utf16("b")});
  store_le(out.data() + 60, std::uint32_t{0xFFFFFFFF});  // FileNameLength of the first
  DirectoryCursor<Entry> cursor(out.bytes());
  const auto first = cursor.next();
  ASSERT_TRUE(first);
  EXPECT_FALSE(*first);
  EXPECT_FALSE(cursor.broken());
  const auto second = cursor.next();
  ASSERT_TRUE(second && *second);
  EXPECT_FALSE(cursor.next());
}

TEST(DirectoryCursor, EndsAtABrokenLink) {
  for (const std::uint32_t next : {1u, 2u, 12u, 0x7FFFFFF8u, 0xFFFFFFF8u, 0xFFFFFFFFu}) {
    ByteBuffer out;
    listing(out, {utf16("a"), utf16("b")});
    store_le(out.data(), next);
    DirectoryCursor<Entry> cursor(out.bytes());
    const auto first = cursor.next();
    ASSERT_TRUE(first);
    EXPECT_FALSE(*first);
    EXPECT_TRUE(cursor.broken());
    EXPECT_FALSE(cursor.next());
  }
}

TEST(DirectoryCursor, TakesAnEntryThatEndsBeforeItsFixedPartAsAnError) {
  ByteBuffer out;
  listing(out, {utf16("a"), utf16("b")});
  store_le(out.data(), std::uint32_t{8});
  DirectoryCursor<Entry> cursor(out.bytes());
  const auto first = cursor.next();
  ASSERT_TRUE(first);
  EXPECT_FALSE(*first);
}

TEST(DirectoryInformation, TellsReparseTags) {
  Entry both{.file_attributes = FileAttributes::reparse_point, .ea_size = 0xA000000C};
  EXPECT_EQ(both.reparse_tag(), ReparseTag::symlink);
  both.file_attributes = FileAttributes::normal;
  EXPECT_EQ(both.reparse_tag(), ReparseTag::none);
  FileIdExtdDirectoryInformation extd{.file_attributes = FileAttributes::reparse_point,
                                      .ea_size = 5,
                                      .reparse_point_tag = 0xA0000003};
  EXPECT_EQ(extd.reparse_tag(), ReparseTag::mount_point);
}

}  // namespace smb3::wire::testing
