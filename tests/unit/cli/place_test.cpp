// What operands name, and the destination rules of cp.
#include "place.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace smb3::cli {
namespace {

using testing::HasSubstr;

Place place(std::string_view text) {
  auto parsed = parse_place(text);
  EXPECT_TRUE(parsed) << text << ": " << describe(parsed.error());
  return parsed ? std::move(*parsed) : Place{};
}

TEST(Place, SharePathsAreOnShares) {
  for (const char* text :
       {"smb://host/share/dir/x", "//host/share/dir/x", "\\\\host\\share\\dir\\x"}) {
    Place remote = place(text);
    ASSERT_FALSE(remote.is_local()) << text;
    EXPECT_EQ(remote.display(), "//host/share/dir/x");
    EXPECT_EQ(remote.path(), "dir/x");
    EXPECT_EQ(last_component(remote), "x");
    EXPECT_FALSE(remote.trailing_slash);
  }
  EXPECT_TRUE(place("//host/share/dir/").trailing_slash);
  EXPECT_EQ(last_component(place("//host/share/dir/")), "dir");
  EXPECT_EQ(last_component(place("//host/share")), "share");
}

TEST(Place, AllElseIsLocal) {
  for (const char* text : {"x", "/x", "./x", "dir/x", "///host/share/x", "./smb://h/s/x",
                           ".//h/s/x", "smb:x", "\\x"}) {
    Place local = place(text);
    EXPECT_TRUE(local.is_local()) << text;
    EXPECT_EQ(local.path(), text);
    EXPECT_EQ(local.display(), text);
  }
  EXPECT_EQ(place("file:x").path(), "x");
  EXPECT_EQ(place("file:///tmp/x").path(), "///tmp/x");
  EXPECT_TRUE(place("file://host/share/x").is_local());
  EXPECT_TRUE(place("file:smb://h/s").is_local());
  EXPECT_TRUE(place("x/").trailing_slash);
}

TEST(Place, LastComponentOfLocalPaths) {
  EXPECT_EQ(last_component(place("a/b")), "b");
  EXPECT_EQ(last_component(place("a/b//")), "b");
  EXPECT_EQ(last_component(place("b")), "b");
  EXPECT_EQ(last_component(place("...")), "...");
  for (const char* text : {"/", "//", ".", "..", "a/.", "a/..", "./", "../"}) {
    EXPECT_EQ(last_component(place(text)), "") << text;
  }
}

TEST(Place, RefusesServersAndEmptyPaths) {
  for (const char* text : {"//host", "smb://host/", "", "file:", "smb://"}) {
    auto parsed = parse_place(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.error().kind(), ErrorKind::local);
  }
}

TEST(Place, APortMayComeFromElsewhere) {
  EXPECT_EQ(parse_place("//host/share/x", 4450)->display(), "//host:4450/share/x");
  EXPECT_EQ(parse_place("smb://host:1/share/x", 4450)->display(), "//host:4450/share/x");
  EXPECT_EQ(parse_place("smb://host:1/share/x")->display(), "//host:1/share/x");
}

TEST(Place, NamesOnAShareDoNotEndInADotOrASpace) {
  for (const char* name : {"a.", "a ", ".", "...", "dir/a."}) {
    EXPECT_FALSE(check_end_of_share_name(name)) << name;
  }
  for (const char* name : {"a", ".a", "a.b", "a b", " a", "dir./a"}) {
    EXPECT_TRUE(check_end_of_share_name(name)) << name;
  }
}

TEST(Join, PutsOneSlashBetween) {
  EXPECT_EQ(join("a", "b"), "a/b");
  EXPECT_EQ(join("a/", "b"), "a/b");
  EXPECT_EQ(join("/", "b"), "/b");
  EXPECT_EQ(join("", "b"), "b");
  EXPECT_EQ(join("a", ""), "a");
}

TEST(TargetRule, AnExistingDirectoryReceives) {
  for (std::size_t sources : {1u, 3u}) {
    for (bool slash : {false, true}) {
      auto rule =
          target_rule({.exists = true, .is_directory = true, .trailing_slash = slash}, sources);
      ASSERT_TRUE(rule);
      EXPECT_EQ(*rule, TargetRule::below_the_destination);
    }
  }
}

TEST(TargetRule, OtherwiseTheDestinationIsTheNewName) {
  auto file = target_rule({.exists = true}, 1);
  ASSERT_TRUE(file);
  EXPECT_EQ(*file, TargetRule::the_destination_itself);
  auto fresh = target_rule({}, 1);
  ASSERT_TRUE(fresh);
  EXPECT_EQ(*fresh, TargetRule::the_destination_itself);
  // cp -r dir new/ makes new; what a file does then is decided when the source is seen.
  auto slash = target_rule({.trailing_slash = true}, 1);
  ASSERT_TRUE(slash);
  EXPECT_EQ(*slash, TargetRule::the_destination_itself);
}

TEST(TargetRule, SeveralSourcesNeedADirectory) {
  auto missing = target_rule({}, 2);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().kind(), ErrorKind::not_found);
  auto file = target_rule({.exists = true}, 2);
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().kind(), ErrorKind::exists);
}

TEST(TargetRule, AFileIsNoDirectory) {
  auto rule = target_rule({.exists = true, .trailing_slash = true}, 1);
  ASSERT_FALSE(rule);
  EXPECT_THAT(describe(rule.error()), HasSubstr("not a directory"));
}

TEST(SameOrBelow, ComparesLikeAServerThatFoldsCase) {
  auto related = [](std::string_view outer, std::string_view inner) {
    return is_same_or_below(*SharePath::parse(outer), *SharePath::parse(inner));
  };
  EXPECT_TRUE(related("//host/share/a", "//HOST/Share/A"));
  EXPECT_TRUE(related("//host/share/a", "smb://u@host:445/share/a/b"));
  EXPECT_TRUE(related("//host/share", "//host/share/b"));
  EXPECT_FALSE(related("//host/share/a", "//host/share/ab"));
  EXPECT_FALSE(related("//host/share/a/b", "//host/share/a"));
  EXPECT_FALSE(related("//host/share/a", "//other/share/a"));
  EXPECT_FALSE(related("//host/share/a", "//host/other/a"));
  EXPECT_FALSE(related("smb://host:1/share/a", "smb://host:2/share/a"));
}

}  // namespace
}  // namespace smb3::cli
