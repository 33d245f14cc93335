#include "base/utf16.h"
#include "unit/wire/vector_file.h"
#include "wire/dfs_referral.h"

#include <gtest/gtest.h>

#include <random>

namespace smb3::wire::testing {

namespace {

// Two entries of version 4 with common strings, as [MS-DFSC] 2.2.4 and 2.2.5.4 lay it out.
const std::string two_v4 =
    "0800 0200 02000000"
    "0400 2200 0000 0400 2c010000 4400 4400 4e00 00000000000000000000000000000000"
    "0400 2200 0000 0000 2c010000 2200 2200 3600 00000000000000000000000000000000"
    "5c00 6400 5c00 6600 0000"   // \d\f at 8 + 68
    "5c00 6100 5c00 6600 0000"   // \a\f at 8 + 78
    "5c00 6200 5c00 6600 0000";  // \b\f at 8 + 88

std::string utf8(Bytes name) { return from_utf16le(name).value_or("?"); }

std::vector<std::byte> utf16(std::string_view text) { return *to_utf16le(text); }

std::vector<std::byte> patched(std::size_t at, std::uint16_t value) {
  std::vector<std::byte> bytes = from_hex(two_v4);
  store_le(bytes.data() + at, value);
  return bytes;
}

void expect_refused(const std::vector<std::byte>& bytes, std::string_view what) {
  const auto response = decode_dfs_referrals(bytes);
  ASSERT_FALSE(response) << what;
  EXPECT_EQ(response.error().kind(), ErrorKind::protocol);
  EXPECT_EQ(response.error().what(), what);
}

std::string as_text(const DfsReferralResponse& response) {
  std::string text = std::to_string(response.path_consumed) + ' ' +
                     std::to_string(std::to_underlying(response.referral_header_flags));
  for (const DfsReferral& r : response.referrals) {
    text += " | " + std::to_string(r.version_number) + ' ' + std::to_string(r.server_type) + ' ' +
            std::to_string(std::to_underlying(r.referral_entry_flags)) + ' ' +
            std::to_string(r.time_to_live) + ' ' + to_hex(r.dfs_path) + ' ' +
            to_hex(r.dfs_alternate_path) + ' ' + to_hex(r.network_address) + ' ' +
            to_hex(r.special_name);
    for (const Bytes name : r.expanded_names) text += ',' + to_hex(name);
  }
  return text;
}

}  // namespace

TEST(DfsReferral, ReadsVersion4) {
  const std::vector<std::byte> bytes = from_hex(two_v4);
  const auto response = decode_dfs_referrals(bytes);
  ASSERT_TRUE(response) << explain(response.error());
  EXPECT_EQ(response->path_consumed, 8);
  EXPECT_EQ(response->referral_header_flags, DfsReferralHeaderFlags::storage_servers);
  ASSERT_EQ(response->referrals.size(), 2u);
  const DfsReferral& first = response->referrals[0];
  EXPECT_EQ(first.version_number, 4);
  EXPECT_EQ(first.time_to_live, 300u);
  EXPECT_EQ(first.referral_entry_flags, DfsReferralFlags::target_set_boundary);
  EXPECT_EQ(utf8(first.dfs_path), "\\d\\f");
  EXPECT_EQ(utf8(first.dfs_alternate_path), "\\d\\f");
  EXPECT_EQ(utf8(first.network_address), "\\a\\f");
  EXPECT_EQ(utf8(response->referrals[1].dfs_path), "\\d\\f");
  EXPECT_EQ(utf8(response->referrals[1].network_address), "\\b\\f");
}

TEST(DfsReferral, ReadsVersions1And2) {
  const auto v1 = from_hex("0400 0100 00000000 0100 0e00 0100 0000 5c00 6100 0000");
  const auto first = decode_dfs_referrals(v1);
  ASSERT_TRUE(first) << explain(first.error());
  EXPECT_EQ(utf8(first->referrals.at(0).network_address), "\\a");
  EXPECT_EQ(first->referrals[0].server_type, 1);

  const auto v2 = from_hex(
      "0400 0100 00000000 0200 1600 0000 0000 00000000 3c000000 1600 1c00 2200"
      "5c00 6400 0000 5c00 6500 0000 5c00 6100 0000");
  const auto second = decode_dfs_referrals(v2);
  ASSERT_TRUE(second) << explain(second.error());
  EXPECT_EQ(second->referrals.at(0).time_to_live, 60u);
  EXPECT_EQ(utf8(second->referrals[0].dfs_path), "\\d");
  EXPECT_EQ(utf8(second->referrals[0].dfs_alternate_path), "\\e");
  EXPECT_EQ(utf8(second->referrals[0].network_address), "\\a");
}

TEST(DfsReferral, ReadsNameLists) {
  const auto bytes = from_hex(
      "0000 0100 00000000 0300 1200 0000 0200 58020000 1200 0200 1800"
      "5c00 6400 0000 5c00 6100 0000 5c00 6200 0000");
  const auto response = decode_dfs_referrals(bytes);
  ASSERT_TRUE(response) << explain(response.error());
  const DfsReferral& list = response->referrals.at(0);
  EXPECT_EQ(utf8(list.special_name), "\\d");
  ASSERT_EQ(list.expanded_names.size(), 2u);
  EXPECT_EQ(utf8(list.expanded_names[0]), "\\a");
  EXPECT_EQ(utf8(list.expanded_names[1]), "\\b");
}

TEST(DfsReferral, RefusesWhatDoesNotFit) {
  expect_refused({}, "path_consumed is cut short");
  expect_refused(patched(0, 7), "path_consumed is odd");
  expect_refused(patched(2, 3),
                 "an entry runs past the end");  // the strings taken as a third entry
  expect_refused(patched(2, 0xFFFF), "there are too many referrals");
  expect_refused(patched(8, 5), "the version is unknown");
  expect_refused(patched(42, 3), "entries differ in version");
  expect_refused(patched(10, 33), "an entry is too small");
  expect_refused(patched(10, 0), "an entry is too small");
  expect_refused(patched(10, 0xFFFF), "an entry runs past the end");
  expect_refused(patched(20, 0x45), "a string offset is wrong");
  expect_refused(patched(20, 0xFFFE), "a string offset is wrong");
  auto unterminated = from_hex(two_v4);
  unterminated.resize(unterminated.size() - 2);
  store_le(unterminated.data() + 24, std::uint16_t{88});
  expect_refused(unterminated, "a string does not end");
}

TEST(DfsReferral, BoundsExpandedNames) {
  std::vector<std::byte> bytes =
      from_hex("0000 0100 00000000 0300 1200 0000 0200 58020000 1200 ffff 1200");
  bytes.resize(bytes.size() + 0x30000);  // empty strings for all of them
  expect_refused(bytes, "there are too many expanded names");
}

TEST(DfsReferral, GoesOutAndComesBack) {
  const auto path = utf16("\\dom\\root"), a = utf16("\\srv1\\root"), b = utf16("\\srv2\\root");
  for (const std::uint16_t version : {1, 2, 3, 4}) {
    DfsReferralResponse response{.path_consumed = 18,
                                 .referral_header_flags = DfsReferralHeaderFlags::storage_servers,
                                 .referrals = {}};
    for (const Bytes address : {Bytes(a), Bytes(b)}) {
      DfsReferral referral{.version_number = version, .server_type = 1, .network_address = address};
      if (version > 1) {
        referral.time_to_live = 300;
        referral.dfs_path = referral.dfs_alternate_path = path;
      }
      response.referrals.push_back(referral);
      if (version >= 3) {
        response.referrals.push_back({.version_number = version,
                                      .referral_entry_flags = DfsReferralFlags::name_list_referral,
                                      .time_to_live = 5,
                                      .special_name = path,
                                      .expanded_names = {a, b}});
      }
    }
    ByteBuffer out;
    out.extend(8);  // offsets do not count from the buffer's start
    encode_dfs_referrals(response, out);
    const auto read = decode_dfs_referrals(Bytes(out.bytes()).subspan(8));
    ASSERT_TRUE(read) << explain(read.error());
    EXPECT_EQ(as_text(*read), as_text(response));
  }
}

// Found by fuzzing: the encoder took the flag of version 3 for one of version 2.
TEST(DfsReferral, FlagsMeanNothingBeforeVersion3) {
  const std::vector<std::byte> bytes = from_hex(
      "0000 0100 00000000 0200 2200 0000 0273 00000000 080d 0000 0000 0000 0000 0000 0000 0000 0231"
      "0000 5c00 1100 4100 4200 8f00 0022");
  const auto first = decode_dfs_referrals(bytes);
  ASSERT_TRUE(first) << explain(first.error());
  ByteBuffer out;
  encode_dfs_referrals(*first, out);
  const auto second = decode_dfs_referrals(out.bytes());
  ASSERT_TRUE(second) << explain(second.error());
  EXPECT_EQ(as_text(*second), as_text(*first));
}

TEST(DfsReferral, SurvivesMutations) {
  std::mt19937_64 random(20240501);
  const std::vector<std::byte> valid = from_hex(two_v4);
  int decoded = 0;
  for (int i = 0; i < 5000; ++i) {
    std::vector<std::byte> bytes(valid.begin(), valid.end() - static_cast<long>(random() % 4));
    for (int changes = 0; changes < 3; ++changes) {
      bytes[random() % bytes.size()] = static_cast<std::byte>(random() % 80);
    }
    const auto response = decode_dfs_referrals(bytes);
    if (!response) continue;
    ++decoded;
    ByteBuffer out;
    encode_dfs_referrals(*response, out);
    const auto again = decode_dfs_referrals(out.bytes());
    ASSERT_TRUE(again) << explain(again.error());
    EXPECT_EQ(as_text(*response), as_text(*again));
  }
  EXPECT_GT(decoded, 100);
}

}  // namespace smb3::wire::testing
