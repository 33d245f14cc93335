// The three forms of share paths, and what is no share path.
#include <smbclient3/share_path.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace smb3 {
namespace {

using testing::HasSubstr;
using testing::Not;

SharePath good(std::string_view text) {
  auto path = SharePath::parse(text);
  EXPECT_TRUE(path) << text << ": " << (path ? "" : describe(path.error()));
  return path ? std::move(*path) : SharePath{};
}

std::string refused(std::string_view text) {
  auto path = SharePath::parse(text);
  EXPECT_FALSE(path) << text;
  if (path) return "";
  EXPECT_EQ(path.error().kind(), ErrorKind::local) << text;
  return describe(path.error());
}

TEST(SharePath, TellsSharePathsFromLocalOnes) {
  for (const char* text : {"smb://host/share", "SMB://host", "//host/share", "\\\\host\\share",
                           "//h", "smb://", "smb://["}) {
    EXPECT_TRUE(SharePath::is_share_path(text)) << text;
  }
  for (const char* text :
       {"", "/", "//", "\\\\", "///host/share", "\\\\\\host\\share", "/host/share",
        "./smb://host/share", "file://host", "smb:/host", "smb:", "host/share", "\\host\\share",
        "/\\host", "\\/host", ".//host/share", "smb", "-"}) {
    EXPECT_FALSE(SharePath::is_share_path(text)) << text;
  }
}

TEST(SharePath, ReadsAllPartsOfAUrl) {
  SharePath path = good("smb://DOM;alice:s3cret@files.example:4450/data/dir/file.txt");
  EXPECT_EQ(path.server, "files.example");
  EXPECT_EQ(path.port, 4450);
  EXPECT_EQ(path.share, "data");
  EXPECT_EQ(path.path, "dir/file.txt");
  EXPECT_FALSE(path.trailing_slash);
  EXPECT_EQ(path.domain, "DOM");
  EXPECT_EQ(path.user, "alice");
  ASSERT_TRUE(path.password);
  EXPECT_EQ(path.password->view(), "s3cret");
  EXPECT_EQ(path.display(), "//files.example:4450/data/dir/file.txt");
}

TEST(SharePath, ThePortIsShownWhereItIsNotTheUsualOne) {
  EXPECT_EQ(good("smb://host:445/share").display(), "//host/share");
  EXPECT_EQ(good("smb://[::1]:446/share").display(), "//[::1]:446/share");
}

TEST(SharePath, ASlashInAPasswordIsToldOf) {
  auto path = SharePath::parse("smb://u:se/cret@host/share");
  ASSERT_FALSE(path);
  EXPECT_NE(describe(path.error()).find("%2F"), std::string::npos);
  EXPECT_EQ(describe(path.error()).find("cret"), std::string::npos);
  path = SharePath::parse("smb://host:bad/share");
  ASSERT_FALSE(path);
  EXPECT_EQ(describe(path.error()).find("%2F"), std::string::npos);
}

TEST(SharePath, PartsOfAUrlMayBeMissing) {
  SharePath path = good("smb://host/share");
  EXPECT_EQ(path.port, 0);
  EXPECT_EQ(path.path, "");
  EXPECT_FALSE(path.domain || path.user || path.password);
  path = good("smb://host");
  EXPECT_EQ(path.share, "");
  EXPECT_EQ(path.display(), "//host");
  path = good("smb://alice@host/share");
  EXPECT_EQ(path.user, "alice");
  EXPECT_FALSE(path.password);
  path = good("smb://alice:@host/share");
  ASSERT_TRUE(path.password);
  EXPECT_TRUE(path.password->empty());
  path = good("smb://@host/share");
  EXPECT_FALSE(path.user);
  path = good("smb://LAB;@host/share");
  EXPECT_EQ(path.domain, "LAB");
  EXPECT_FALSE(path.user);
}

TEST(SharePath, DecodesPercentsInAUrl) {
  SharePath path = good("smb://D%20M;al%40ice:p%3Aw%25%2F%3B@host/my%20share/a%23b%3F/%C3%A9");
  EXPECT_EQ(path.domain, "D M");
  EXPECT_EQ(path.user, "al@ice");
  EXPECT_EQ(path.password->view(), "p:w%/;");
  EXPECT_EQ(path.share, "my share");
  EXPECT_EQ(path.path, "a#b?/\xc3\xa9");
}

TEST(SharePath, PasswordMayHaveAtAndSemicolonAndColon) {
  SharePath path = good("smb://u:a@b;c:d@host/share");
  EXPECT_EQ(path.user, "u");
  EXPECT_EQ(path.password->view(), "a@b;c:d");
  EXPECT_EQ(path.server, "host");
}

TEST(SharePath, QuestionMarkAndHashAreCharactersOfNames) {
  EXPECT_EQ(good("smb://host/share/a?b#c").path, "a?b#c");
}

TEST(SharePath, NamesABadEscapeOfThePath) {
  EXPECT_THAT(refused("smb://host/share/100%zz.txt"), HasSubstr("'%zz'"));
  EXPECT_THAT(refused("smb://host/share/100%"), HasSubstr("'%'"));
  EXPECT_THAT(refused("smb://host/share/100%4"), HasSubstr("'%4'"));
  EXPECT_THAT(refused("smb://host/share/a%00b"), HasSubstr("NUL"));
}

TEST(SharePath, NeverShowsAPassword) {
  for (const char* text :
       {"smb://alice:hush%zz@host/share", "smb://alice:hush/x@host/share",
        "smb://alice:hush@/share", "smb://alice:hush@host:99999/share",
        "smb://alice:hush@host/share/%zz", "smb://u:hush@[::/s", "smb://alice:hush@host/share/../x",
        "//alice:hush@host/share", "smb://u:hush", "smb://u:1hush/s"}) {
    EXPECT_THAT(refused(text), Not(HasSubstr("hush"))) << text;
  }
  EXPECT_THAT(good("smb://alice:hush@host/share/x").display(), Not(HasSubstr("hush")));
}

TEST(SharePath, RefusesSlashesInsideANameAndParents) {
  EXPECT_THAT(refused("smb://host/share/a%2Fb"), HasSubstr("a/b"));
  EXPECT_THAT(refused("smb://host/share/a%5Cb"), HasSubstr("slash"));
  EXPECT_THAT(refused("smb://host/share/a\\b"), HasSubstr("slash"));
  EXPECT_THAT(refused("smb://host/sh%2fare"), HasSubstr("slash"));
  EXPECT_THAT(refused("smb://host/share/a/../b"), HasSubstr("'..'"));
  EXPECT_THAT(refused("smb://host/share/a/%2E%2e/b"), HasSubstr("'..'"));
  EXPECT_THAT(refused("//host/share/.."), HasSubstr("'..'"));
}

TEST(SharePath, ReadsIpv6Addresses) {
  SharePath path = good("smb://[::1]:4450/share/x");
  EXPECT_EQ(path.server, "::1");
  EXPECT_EQ(path.port, 4450);
  EXPECT_EQ(path.display(), "//[::1]:4450/share/x");
  EXPECT_EQ(good("smb://u:p@[fe80::1%25eth0]/share").server, "fe80::1%eth0");
  EXPECT_EQ(good("smb://[fe80::1%eth0]/share").server, "fe80::1%eth0");
  EXPECT_EQ(good("smb://[fe80::1%25251]/share").server, "fe80::1%251");
  EXPECT_EQ(good("//[fe80::1%251]/share").server, "fe80::1%251") << "nothing is decoded here";
  EXPECT_EQ(good("//[fd00::2]/share/x").server, "fd00::2");
  EXPECT_EQ(good("//fd00::2/share/x").server, "fd00::2");
  EXPECT_EQ(good("\\\\fd00::2\\share").server, "fd00::2");
  EXPECT_THAT(refused("smb://[::1/share"), HasSubstr("']'"));
  EXPECT_THAT(refused("smb://[nonsense]/share"), HasSubstr("IPv6"));
  EXPECT_THAT(refused("smb://[::1]x/share"), HasSubstr("']'"));
  EXPECT_THAT(refused("//[::1]:445/share"), HasSubstr("']'"));
  EXPECT_THAT(refused("smb://%5B::1%5D/share"), HasSubstr("port"));
  EXPECT_THAT(refused("smb://%5Bhost%5D/share"), HasSubstr("character"));
  EXPECT_THAT(refused("smb://host%3A4450/share"), HasSubstr("[ ]"));
  EXPECT_EQ(good("smb://fe80%3A%3A1/share").display(), "//[fe80::1]/share");
}

TEST(SharePath, ChecksThePort) {
  EXPECT_EQ(good("smb://host:1/s").port, 1);
  EXPECT_EQ(good("smb://host:65535/s").port, 65535);
  for (const char* port : {"0", "65536", "99999999999", "-1", "+1", "", "445x", "x", " 445"}) {
    EXPECT_THAT(refused(std::string("smb://host:") + port + "/s"), HasSubstr("port")) << port;
  }
}

TEST(SharePath, NeedsAHost) {
  for (const char* text : {"smb://", "smb:///share", "smb://u@/share", "smb://:445/share"}) {
    EXPECT_THAT(refused(text), HasSubstr("host")) << text;
  }
  EXPECT_THAT(refused("smb://a b/share"), HasSubstr("host"));
  EXPECT_THAT(refused("smb://a%00b/share"), HasSubstr("NUL"));
}

TEST(SharePath, ReadsTheFormsWithTwoSlashes) {
  SharePath path = good("//host/share/100%25 sure/x");
  EXPECT_EQ(path.server, "host");
  EXPECT_EQ(path.share, "share");
  EXPECT_EQ(path.path, "100%25 sure/x");
  path = good("\\\\host\\my share\\dir\\file");
  EXPECT_EQ(path.server, "host");
  EXPECT_EQ(path.share, "my share");
  EXPECT_EQ(path.path, "dir/file");
  EXPECT_EQ(path.display(), "//host/my share/dir/file");
  EXPECT_EQ(good("//host/share/dir\\file").path, "dir/file");
  EXPECT_EQ(good("\\\\host\\share/dir/file").path, "dir/file");
  EXPECT_EQ(good("//host").share, "");
}

TEST(SharePath, PlainFormsHoldNoUserAndNoPort) {
  EXPECT_THAT(refused("//alice@host/share"), HasSubstr("-U"));
  EXPECT_THAT(refused("//host:445/share"), HasSubstr("--port"));
}

TEST(SharePath, DropsEmptyComponentsAndNotesATrailingSlash) {
  SharePath path = good("smb://host//share///a//./b//");
  EXPECT_EQ(path.share, "share");
  EXPECT_EQ(path.path, "a/b");
  EXPECT_TRUE(path.trailing_slash);
  EXPECT_TRUE(good("\\\\host\\share\\a\\").trailing_slash);
  EXPECT_TRUE(good("//host/share/").trailing_slash);
  EXPECT_FALSE(good("//host/share").trailing_slash);
  EXPECT_FALSE(good("smb://host/share/a").trailing_slash);
}

TEST(SharePath, WhatIsNoSharePathIsRefused) {
  EXPECT_THAT(refused("/tmp/x"), HasSubstr("not a share path"));
  EXPECT_THAT(refused(std::string_view("//host/a\0b", 10)), HasSubstr("NUL"));
}

}  // namespace
}  // namespace smb3
