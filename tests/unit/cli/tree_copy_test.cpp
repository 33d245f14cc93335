// Walking and copying trees, between sides that exist in memory.
#include "tree_copy.h"

#include "unit/cli/fake_side.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace smb3::cli {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;
using enum EntryKind;

struct TreeCopyTest : testing::Test {
  FakeSide from, to;
  FakeCopier copier;
  Observed seen;
  TreePolicy policy{.recursive = true, .copy = {}};

  TreeJob job(std::string from_path, std::string to_path) {
    return {
        .from = &from, .from_path = std::move(from_path), .to = &to, .to_path = std::move(to_path)};
  }
  void copy(std::vector<TreeJob> jobs) {
    TreeCopy tree(policy, seen, copier.function());
    Task<void> task = tree.run(std::move(jobs));
    task.run();
    ASSERT_TRUE(task.done());
    EXPECT_TRUE(task.result());
  }
  void copy(std::string from_path, std::string to_path) {
    std::vector<TreeJob> jobs;
    jobs.push_back(job(std::move(from_path), std::move(to_path)));
    copy(std::move(jobs));
  }
  void make_small_tree() {
    from.directories["a"] = {{"x", file, 3}, {"sub", directory}, {"none", directory}};
    from.directories["a/sub"] = {{"y", file, 4}};
    from.directories["a/none"] = {};
  }
};

TEST_F(TreeCopyTest, CopiesFilesThatAreNamed) {
  from.files = {{"f", 5}, {"g", 6}};
  std::vector<TreeJob> jobs;
  jobs.push_back(job("f", "d/f"));
  jobs.push_back(job("missing", "d/missing"));
  jobs.push_back(job("g", "d/g"));
  copy(std::move(jobs));
  EXPECT_THAT(copier.copied, UnorderedElementsAre("f>d/f", "g>d/g"));
  EXPECT_THAT(seen.done, UnorderedElementsAre("<f>><d/f>", "<g>><d/g>"));
  EXPECT_THAT(seen.failures, ElementsAre("<missing> no such file"));
  EXPECT_EQ(seen.files_found, 2u);
  EXPECT_EQ(seen.bytes_found, 11u);
  EXPECT_TRUE(seen.is_all_found);
}

TEST_F(TreeCopyTest, CopiesATreeWithItsEmptyDirectories) {
  make_small_tree();
  copy("a", "b");
  EXPECT_THAT(copier.copied, UnorderedElementsAre("a/x>b/x", "a/sub/y>b/sub/y"));
  EXPECT_THAT(to.log, UnorderedElementsAre("mkdir b", "mkdir b/sub", "mkdir b/none"));
  EXPECT_EQ(to.log.front(), "mkdir b");
  EXPECT_THAT(seen.failures, IsEmpty());
  EXPECT_EQ(seen.bytes_found, 7u);
  EXPECT_TRUE(seen.is_all_found);
}

TEST_F(TreeCopyTest, OmitsADirectoryUnlessRecursive) {
  make_small_tree();
  policy.recursive = false;
  copy("a", "b");
  EXPECT_THAT(seen.failures,
              ElementsAre("<a> omitting directory; directories are copied with --recursive"));
  EXPECT_THAT(copier.copied, IsEmpty());
  EXPECT_THAT(to.log, IsEmpty());
}

TEST_F(TreeCopyTest, ADryRunDoesNothing) {
  make_small_tree();
  policy.dry_run = true;
  copy("a", "b");
  EXPECT_THAT(seen.plans, UnorderedElementsAre("<a>><b>", "<a/x>><b/x>", "<a/sub>><b/sub>",
                                               "<a/sub/y>><b/sub/y>", "<a/none>><b/none>"));
  EXPECT_THAT(copier.copied, IsEmpty());
  EXPECT_THAT(to.log, IsEmpty());
  EXPECT_THAT(seen.done, IsEmpty());
}

TEST_F(TreeCopyTest, ATargetThatMustBeADirectoryTakesNoFile) {
  from.files = {{"f", 5}};
  make_small_tree();
  for (const char* source : {"f", "a"}) {
    std::vector<TreeJob> jobs;
    jobs.push_back(job(source, "b/"));
    jobs.back().target_must_be_directory = true;
    copy(std::move(jobs));
  }
  EXPECT_THAT(seen.failures, ElementsAre("<f> no such directory"));
  EXPECT_THAT(to.log, Contains("mkdir b/"));
}

TEST_F(TreeCopyTest, ASourceThatMustBeADirectoryIsNoFile) {
  from.files = {{"f", 5}};
  make_small_tree();
  for (const char* source : {"f", "a"}) {
    std::vector<TreeJob> jobs;
    jobs.push_back(job(source, "b"));
    jobs.back().source_must_be_directory = true;
    copy(std::move(jobs));
  }
  EXPECT_THAT(seen.failures, ElementsAre("<f> not a directory"));
  EXPECT_THAT(to.log, Contains("mkdir b"));
}

TEST_F(TreeCopyTest, LeavesOutWhatCannotBeCopied) {
  from.directories["a"] = {{"link", other}, {"x", file}};
  copy("a", "b");
  EXPECT_THAT(seen.omitted, ElementsAre("<a/link> a thing"));
  EXPECT_THAT(seen.failures, IsEmpty());
  EXPECT_THAT(copier.copied, ElementsAre("a/x>b/x"));
}

TEST_F(TreeCopyTest, ABadNameSkipsOneMember) {
  from.directories["a"] = {{"..", file}, {"x", file}, {"evil", directory}};
  from.unreadable_members = 1;
  to.bad_names = {"..", "evil"};
  copy("a", "b");
  EXPECT_THAT(copier.copied, ElementsAre("a/x>b/x"));
  EXPECT_THAT(to.log, ElementsAre("mkdir b"));
  EXPECT_THAT(seen.failures, UnorderedElementsAre("<a/..> bad name", "<a/evil> bad name",
                                                  "<a> a member cannot be used: a slash in it"));
}

TEST_F(TreeCopyTest, GoesOnAfterFailures) {
  make_small_tree();
  from.directories["a"].push_back({"closed", directory});
  from.directories["a"].push_back({"z", file});
  from.unlistable = {"a/closed"};
  to.unmakeable = {"b/sub"};
  copier.failing = {"a/x"};
  copy("a", "b");
  EXPECT_THAT(copier.copied, ElementsAre("a/z>b/z"));
  EXPECT_THAT(seen.failures,
              UnorderedElementsAre("<a/x> denied", "<a/closed> closed", "<a/sub> a file is there"));
  EXPECT_THAT(to.log, UnorderedElementsAre("mkdir b", "mkdir b/none", "mkdir b/closed"));
}

TEST_F(TreeCopyTest, KeepsMembersBelowWhatTheUserNamed) {
  from.directories["a"] = {{"sub", directory}};
  from.directories["a/sub"] = {{"x", file}};
  from.files = {{"y", 1}};
  copy("a", "b/c");
  copy("y", "b/y");
  EXPECT_THAT(copier.copied, ElementsAre("a/sub/x>b/c/sub/x", "y>b/y"));
  EXPECT_THAT(copier.roots, ElementsAre("b/c", "b/y"));
}

TEST_F(TreeCopyTest, SetsTheTimesOfDirectoriesAfterTheirContents) {
  make_small_tree();
  policy.preserve_directories = true;
  copier.gate.is_open = false;
  TreeCopy tree(policy, seen, copier.function());
  std::vector<TreeJob> jobs;
  jobs.push_back(job("a", "b"));
  Task<void> task = tree.run(std::move(jobs));
  task.run();
  ASSERT_FALSE(task.done());
  ASSERT_EQ(copier.gate.waiting.size(), 2u);
  EXPECT_THAT(to.log, Contains("times b/none"));
  EXPECT_THAT(to.log, testing::Not(Contains("times b")));
  EXPECT_THAT(to.log, testing::Not(Contains("times b/sub")));
  copier.gate.pass_one();
  EXPECT_THAT(to.log, testing::Not(Contains("times b")));
  copier.gate.pass_one();
  ASSERT_TRUE(task.done());
  EXPECT_EQ(to.log.back(), "times b");
  EXPECT_THAT(to.log, Contains("times b/sub"));
}

TEST_F(TreeCopyTest, KeepsTimesOutOfItUnlessAsked) {
  make_small_tree();
  copy("a", "b");
  EXPECT_THAT(to.log, testing::Not(Contains("times b")));
}

TEST_F(TreeCopyTest, CopiesAtMostSixteenAtOnceWhileItLists) {
  for (int i = 0; i < 100; ++i) from.directories["a"].push_back({std::to_string(i), file});
  from.directories["a"].push_back({"later", directory});
  from.directories["a/later"] = {{"y", file}};
  copier.gate.is_open = false;
  TreeCopy tree(policy, seen, copier.function());
  std::vector<TreeJob> jobs;
  jobs.push_back(job("a", "b"));
  Task<void> task = tree.run(std::move(jobs));
  task.run();
  EXPECT_EQ(copier.gate.waiting.size(), 16u);
  EXPECT_EQ(seen.files_found, 100u);  // all were listed while the first ones are copied
  while (!copier.gate.waiting.empty()) copier.gate.pass_one();
  ASSERT_TRUE(task.done());
  EXPECT_EQ(copier.copied.size(), 101u);
  EXPECT_EQ(copier.most_at_once, 16u);
}

TEST_F(TreeCopyTest, CopiesInOrderWhereOneAtOnceIsAsked) {
  for (int i = 0; i < 9; ++i) from.files[std::to_string(i)] = 1;
  policy.files_at_once = 1;
  std::vector<TreeJob> jobs;
  for (int i = 0; i < 9; ++i) jobs.push_back(job(std::to_string(i), "out"));
  copy(std::move(jobs));
  EXPECT_EQ(copier.most_at_once, 1u);
  EXPECT_TRUE(std::ranges::is_sorted(copier.copied));
  EXPECT_EQ(copier.copied.size(), 9u);
}

TEST_F(TreeCopyTest, AListingFarAheadHelpsCopying) {
  for (int i = 0; i < 3000; ++i) from.directories["a"].push_back({std::to_string(i), file});
  copier.gate.is_open = false;
  TreeCopy tree(policy, seen, copier.function());
  std::vector<TreeJob> jobs;
  jobs.push_back(job("a", "b"));
  Task<void> task = tree.run(std::move(jobs));
  task.run();
  EXPECT_LT(seen.files_found, 1200u);  // what waits is bounded
  EXPECT_LE(copier.gate.waiting.size(), 16u);
  while (!copier.gate.waiting.empty()) copier.gate.pass_one();
  ASSERT_TRUE(task.done());
  EXPECT_EQ(copier.copied.size(), 3000u);
}

TEST_F(TreeCopyTest, StoppedItStartsNothingMore) {
  for (int i = 0; i < 100; ++i) from.directories["a"].push_back({std::to_string(i), file});
  copier.gate.is_open = false;
  TreeCopy tree(policy, seen, copier.function());
  std::vector<TreeJob> jobs;
  jobs.push_back(job("a", "b"));
  Task<void> task = tree.run(std::move(jobs));
  task.run();
  tree.stop();
  while (!copier.gate.waiting.empty()) copier.gate.pass_one();
  ASSERT_TRUE(task.done());
  EXPECT_EQ(copier.copied.size(), 16u);
  EXPECT_THAT(seen.failures, IsEmpty());
}

// What ends at once must not pile up on the stack.
TEST_F(TreeCopyTest, ManyFilesThatEndAtOnce) {
  for (int i = 0; i < 50'000; ++i) from.directories["a"].push_back({std::to_string(i), file});
  copy("a", "b");
  EXPECT_EQ(copier.copied.size(), 50'000u);
}

TEST_F(TreeCopyTest, AnEndlessTreeEnds) {
  from.is_endless = true;
  copy("a", "b");
  EXPECT_THAT(seen.failures, ElementsAre(testing::HasSubstr("nested too deeply")));
}

TEST_F(TreeCopyTest, NothingToDoIsDone) {
  copy(std::vector<TreeJob>());
  EXPECT_TRUE(seen.is_all_found);
}

TEST(CopyFile, NeedsAShare) {
  Task<CopyReport> task = copy_file(Local("a"), Local("b"), {});
  task.run();
  ASSERT_TRUE(task.done());
  ASSERT_FALSE(task.result());
  EXPECT_EQ(task.result().error().kind(), ErrorKind::unsupported);
}

}  // namespace
}  // namespace smb3::cli
