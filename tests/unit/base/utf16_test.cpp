#include "base/utf16.h"

#include <gtest/gtest.h>

#include <random>

namespace smb3 {

namespace {

std::vector<std::byte> units(std::initializer_list<unsigned> list) {
  std::vector<std::byte> bytes;
  for (const unsigned unit : list) {
    bytes.push_back(static_cast<std::byte>(unit & 0xFF));
    bytes.push_back(static_cast<std::byte>(unit >> 8));
  }
  return bytes;
}

void expect_same(std::string_view utf8, std::initializer_list<unsigned> utf16) {
  const auto there = to_utf16le(utf8);
  ASSERT_TRUE(there) << utf8;
  EXPECT_EQ(*there, units(utf16));
  const auto back = from_utf16le(*there);
  ASSERT_TRUE(back) << utf8;
  EXPECT_EQ(*back, utf8);
}

}  // namespace

TEST(Utf16, ConvertsBothWays) {
  expect_same("", {});
  expect_same("a/b\\c", {'a', '/', 'b', '\\', 'c'});
  expect_same(std::string_view("\0\x7f", 2), {0, 0x7F});
  expect_same("\u0080\u07ff", {0x80, 0x7FF});
  expect_same("\u0800\ud7ff\ue000\uffff", {0x800, 0xD7FF, 0xE000, 0xFFFF});
  expect_same("\U00010000\U0010ffff", {0xD800, 0xDC00, 0xDBFF, 0xDFFF});
  expect_same("Grüße €𝄞", {'G', 'r', 0xFC, 0xDF, 'e', ' ', 0x20AC, 0xD834, 0xDD1E});
}

TEST(Utf16, ConvertsCodePointsOfAllPlanes) {
  for (std::uint32_t code = 0; code <= 0x10FFFF; code += code < 0x11000 ? 1 : 0xFF) {
    if (code >= 0xD800 && code <= 0xDFFF) continue;
    const auto utf16 = code < 0x10000
                           ? units({code})
                           : units({0xD800 + ((code - 0x10000) >> 10), 0xDC00 + (code & 0x3FF)});
    const auto utf8 = from_utf16le(utf16);
    ASSERT_TRUE(utf8) << code;
    const auto back = to_utf16le(*utf8);
    ASSERT_TRUE(back) << code;
    ASSERT_EQ(*back, utf16) << code;
  }
}

TEST(Utf16, RefusesWhatIsNotUtf8) {
  for (const std::string_view bad : {
           "\x80",
           "\xBF",
           "a\xC3",
           "\xC0\x80",
           "\xC1\xBF",
           "\xC3(",
           "\xE2\x82",
           "\xE0\x80\x80",
           "\xE0\x9F\xBF",
           "\xED\xA0\x80",
           "\xED\xBF\xBF",
           "\xF0\x80\x80\x80",
           "\xF0\x8F\xBF\xBF",
           "\xF4\x90\x80\x80",
           "\xF5\x80\x80\x80",
           "\xFF",
           "\xF0\x9D\x84",
           "\xE2\x28\xA1",
       }) {
    const auto result = to_utf16le(bad);
    ASSERT_FALSE(result) << bad;
    EXPECT_EQ(result.error().kind(), ErrorKind::local);
  }
}

TEST(Utf16, RefusesWhatIsNotUtf16) {
  std::vector<std::vector<std::byte>> bad = {
      units({0xD800}),         units({0xDC00}),         units({'a', 0xDBFF}), units({0xD800, 'a'}),
      units({0xD800, 0xD800}), units({0xDC00, 0xD800}), {std::byte{'a'}},
  };
  bad.push_back(units({'a'}));
  bad.back().push_back(std::byte{0});
  bad.push_back(units({0xD800}));
  bad.back().push_back(std::byte{0});
  for (const auto& bytes : bad) {
    const auto result = from_utf16le(bytes);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().kind(), ErrorKind::protocol);
  }
}

// What converts one way must come back the same the other way, whatever the bytes are.
TEST(Utf16, RoundTripsWhatItAccepts) {
  std::mt19937_64 random(20240501);
  int accepted = 0;
  for (int i = 0; i < 100'000; ++i) {
    std::string text;
    for (auto length = random() % 6; length; --length) text += static_cast<char>(random() % 256);
    const auto utf16 = to_utf16le(text);
    if (!utf16) continue;
    ++accepted;
    ASSERT_EQ(*from_utf16le(*utf16), text);
  }
  EXPECT_GT(accepted, 1000);
}

}  // namespace smb3
