// Names of unknown origin, on a terminal and in JSON.
#include "text.h"

#include <gtest/gtest.h>

#include <string>

namespace smb3::cli {
namespace {

TEST(Utf8, TakesWellFormedCharactersOnly) {
  EXPECT_EQ(utf8_character_bytes("a"), 1u);
  EXPECT_EQ(utf8_character_bytes("\xc3\xa9x"), 2u);
  EXPECT_EQ(utf8_character_bytes("\xe2\x82\xac"), 3u);
  EXPECT_EQ(utf8_character_bytes("\xf0\x9f\x98\x80"), 4u);
  for (const char* text :
       {"", "\x80", "\xc0\xaf", "\xc1\xbf", "\xc3", "\xc3(", "\xe0\x80\x80", "\xed\xa0\x80",
        "\xf0\x80\x80\x80", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff", "\xf0\x9f\x98"}) {
    EXPECT_EQ(utf8_character_bytes(text), 0u) << text;
  }
}

TEST(Printable, EscapesWhatCommandsATerminal) {
  EXPECT_EQ(printable("plain name \xc3\xa9 \xf0\x9f\x98\x80"),
            "plain name \xc3\xa9 \xf0\x9f\x98\x80");
  EXPECT_EQ(printable("a\x1b[2Jb\n\r\t\x7f"), "a\\x1b[2Jb\\x0a\\x0d\\x09\\x7f");
  EXPECT_EQ(printable("\xc2\x9b"), "\\xc2\\x9b");           // C1: the 8-bit escape sequence
  EXPECT_EQ(printable("\xe2\x80\xae"), "\\xe2\\x80\\xae");  // right-to-left override
  EXPECT_EQ(printable("\xff\xfe"), "\\xff\\xfe");
  EXPECT_EQ(printable(std::string("a\0b", 3)), "a\\x00b");
}

TEST(JsonString, IsAlwaysJson) {
  EXPECT_EQ(json_string("a/b"), R"("a/b")");
  EXPECT_EQ(json_string("\"\\"), R"("\"\\")");
  EXPECT_EQ(json_string("a\nb\t\x01\x7f"), R"("a\u000ab\u0009\u0001\u007f")");
  EXPECT_EQ(json_string(std::string("\0", 1)), R"("\u0000")");
  EXPECT_EQ(json_string("\xc3\xa9\xf0\x9f\x98\x80"), "\"\xc3\xa9\xf0\x9f\x98\x80\"");
  EXPECT_EQ(json_string("a\xff\xc3"), "\"a\xef\xbf\xbd\xef\xbf\xbd\"");
  EXPECT_EQ(json_string("\xed\xa0\x80"), "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"");
}

TEST(HumanSize, HasFourDigitsAtMost) {
  EXPECT_EQ(human_size(0), "0 B");
  EXPECT_EQ(human_size(1023), "1023 B");
  EXPECT_EQ(human_size(1024), "1.0 KiB");
  EXPECT_EQ(human_size(1536), "1.5 KiB");
  EXPECT_EQ(human_size(1024 * 1024 - 1), "1.0 MiB");
  EXPECT_EQ(human_size(std::uint64_t{5} << 30), "5.0 GiB");
  EXPECT_EQ(human_size(~std::uint64_t{0}), "16.0 EiB");
}

}  // namespace
}  // namespace smb3::cli
