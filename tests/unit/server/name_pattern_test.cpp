#include "support/server/name_pattern.h"

#include <gtest/gtest.h>

namespace smb3::server {
namespace {

TEST(NamePattern, WithoutWildcardsIsTheNameInAnyCase) {
  EXPECT_TRUE(matches(u"Readme.txt", u"rEADME.TXT"));
  EXPECT_FALSE(matches(u"Readme.txt", u"Readme.tx"));
  EXPECT_FALSE(matches(u"Readme.tx", u"Readme.txt"));
  EXPECT_FALSE(matches(u"", u"a"));
}

TEST(NamePattern, AsteriskAndQuestionMark) {
  EXPECT_TRUE(matches(u"a.b.c", u"*"));
  EXPECT_TRUE(matches(u"noextension", u"*.*"));
  EXPECT_TRUE(matches(u"a.b.c", u"*.c"));
  EXPECT_FALSE(matches(u"a.b.cd", u"*.c"));
  EXPECT_TRUE(matches(u"abcbcd", u"a*bcd"));
  EXPECT_TRUE(matches(u"ab", u"a**b"));
  EXPECT_TRUE(matches(u"abc", u"a?c"));
  EXPECT_FALSE(matches(u"ac", u"a?c"));
  EXPECT_FALSE(matches(u"ab", u"ab?"));
  EXPECT_TRUE(matches(u".", u"*"));
  EXPECT_FALSE(matches(u"..", u"a*"));
}

TEST(NamePattern, DosStarEndsAtTheLastDot) {
  EXPECT_TRUE(matches(u"a.b.txt", u"<.txt"));
  EXPECT_TRUE(matches(u"a.b.txt", u"<.t*"));
  EXPECT_FALSE(matches(u"a.b.txt", u"<.b.txt.x"));
  EXPECT_FALSE(matches(u"a.txt", u"<txt"));
  EXPECT_TRUE(matches(u"name", u"<"));
  EXPECT_FALSE(matches(u"a.b", u"<b"));
}

TEST(NamePattern, DosQuestionMarkIsNothingAtADotOrTheEnd) {
  EXPECT_TRUE(matches(u"ab.txt", u">>>>>>>>.txt"));
  EXPECT_TRUE(matches(u"ab", u"ab>>>"));
  EXPECT_FALSE(matches(u"abc.txt", u">>.txt"));
  EXPECT_TRUE(matches(u"a.t", u"a.>>>"));
}

TEST(NamePattern, DosDotIsNothingAtTheEnd) {
  EXPECT_TRUE(matches(u"name", u"name\""));
  EXPECT_TRUE(matches(u"name.", u"name\""));
  EXPECT_TRUE(matches(u"name", u"*\"*"));
  EXPECT_FALSE(matches(u"namex", u"name\""));
  EXPECT_TRUE(matches(u"a.b", u"a\"b"));
  EXPECT_FALSE(matches(u"ab", u"a\"b"));
}

TEST(NamePattern, OneThatCouldBeNoNameIsInvalid) {
  EXPECT_TRUE(is_valid_pattern(u"*"));
  EXPECT_TRUE(is_valid_pattern(u"."));
  EXPECT_TRUE(is_valid_pattern(u"a?<>\""));
  EXPECT_FALSE(is_valid_pattern(u""));
  EXPECT_FALSE(is_valid_pattern(u"a\\*"));
  EXPECT_FALSE(is_valid_pattern(u"a:*"));
  EXPECT_FALSE(is_valid_pattern(std::u16string(256, u'*')));
  EXPECT_TRUE(has_wildcards(u"a<"));
  EXPECT_FALSE(has_wildcards(u"a.b"));
}

}  // namespace
}  // namespace smb3::server
