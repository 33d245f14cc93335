#include "support/server/names.h"

#include <gtest/gtest.h>

namespace smb3::server {
namespace {

TEST(Names, DifferInNothingButCase) {
  EXPECT_TRUE(same_name(u"Readme.TXT", u"rEADME.txt"));
  EXPECT_TRUE(same_name(u"\u00C4\u00D6\u00DC", u"\u00E4\u00F6\u00FC"));  // Latin
  EXPECT_TRUE(same_name(u"\u0416\u03A9", u"\u0436\u03C9"));              // Cyrillic, Greek
  EXPECT_FALSE(same_name(u"a", u"b"));
  EXPECT_FALSE(same_name(u"a", u"ab"));
  EXPECT_FALSE(same_name(u"i", u"\u0131"));  // a dotless i is a letter of its own
  EXPECT_FALSE(same_name(u"\xD83D\xDE00", u"\xD83D\xDE01"));
}

TEST(Names, OfOneComponent) {
  EXPECT_TRUE(is_valid_name(u"a.b c"));
  EXPECT_TRUE(is_valid_name(u"...x"));
  EXPECT_TRUE(is_valid_name(std::u16string(255, u'x')));
  EXPECT_FALSE(is_valid_name(std::u16string(256, u'x')));
  for (const auto* bad : {u"", u".", u"..", u"a:b", u"a*", u"a?", u"a<", u"a>", u"a\"", u"a|",
                          u"a/b", u"a\\b", u"a\x01"}) {
    EXPECT_FALSE(is_valid_name(bad)) << to_utf8(bad).value_or("?");
  }
}

TEST(Names, PathsAreCheckedComponentByComponent) {
  EXPECT_TRUE(check_path(u""));
  EXPECT_TRUE(check_path(u"a\\b\\c"));
  for (const auto* bad : {u"\\a", u"a\\", u"a\\\\b", u"..\\a", u"a\\..\\b", u"a\\.", u"a/b"}) {
    EXPECT_EQ(check_path(bad).error(), NtStatus::object_name_invalid) << to_utf8(bad).value_or("?");
  }
  EXPECT_EQ(check_path(std::u16string(40000, u'a')).error(), NtStatus::name_too_long);
}

TEST(Names, PathsComeApartAndTogether) {
  EXPECT_EQ(split(u"a\\b\\c").folder, u"a\\b");
  EXPECT_EQ(split(u"a\\b\\c").name, u"c");
  EXPECT_EQ(split(u"c").folder, u"");
  std::u16string_view path = u"a\\b";
  EXPECT_EQ(take_component(path), u"a");
  EXPECT_EQ(take_component(path), u"b");
  EXPECT_TRUE(path.empty());
  EXPECT_EQ(join(u"", u"x"), u"x");
  EXPECT_EQ(join(u"a", u"x"), u"a\\x");
  EXPECT_TRUE(lies_below(u"A\\x\\y", u"a"));
  EXPECT_TRUE(lies_below(u"x", u""));
  EXPECT_FALSE(lies_below(u"ab\\x", u"a"));
  EXPECT_FALSE(lies_below(u"a", u"a"));
  EXPECT_FALSE(lies_below(u"", u""));
}

TEST(Names, WhatIsNoTextIsRefused) {
  const std::u16string lone(1, char16_t{0xD800});
  EXPECT_EQ(to_utf8(lone).error(), NtStatus::object_name_invalid);
  EXPECT_EQ(from_utf8("\xFF").error(), NtStatus::object_name_invalid);
  EXPECT_EQ(from_wire(to_wire(u"xyz")), u"xyz");
}

}  // namespace
}  // namespace smb3::server
