// The local side of a copy: what is listed, and what is not followed.
#include "file_times.h"
#include "side.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>

namespace smb3::cli {
namespace {

namespace fs = std::filesystem;

template <class T>
Result<T> run(Task<T> task) {
  task.run();
  EXPECT_TRUE(task.done());
  return std::move(task.result());
}

struct LocalSideTest : testing::Test {
  fs::path folder = make_folder();
  std::unique_ptr<Side> side = make_local_side();

  static fs::path make_folder() {
    std::string name = (fs::temp_directory_path() / "local-side-XXXXXX").string();
    return mkdtemp(name.data());
  }
  ~LocalSideTest() override { fs::remove_all(folder); }
  std::string path(const std::string& name) const { return folder / name; }
  TreePath member(const std::string& name) const { return TreePath(folder.string()).member(name); }
  void make_file(const std::string& name) { std::ofstream(path(name)) << "12345"; }
};

TEST_F(LocalSideTest, ListsWithoutFollowing) {
  make_file("file");
  fs::create_directory(path("dir"));
  fs::create_symlink("file", path("link"));
  fs::create_directory_symlink("dir", path("dirlink"));
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  auto listing = run(side->list(folder.string()));
  ASSERT_TRUE(listing);
  std::map<std::string, EntryKind> kinds;
  std::map<std::string, std::string> what;
  auto entries = run((*listing)->next());
  ASSERT_TRUE(entries);
  for (Entry& entry : *entries) {
    kinds[*entry.name] = entry.kind;
    what[*entry.name] = entry.what;
    EXPECT_TRUE(*entry.name != "file" || entry.size_bytes == 5);
  }
  EXPECT_EQ(kinds, (std::map<std::string, EntryKind>{{"file", EntryKind::file},
                                                     {"dir", EntryKind::directory},
                                                     {"link", EntryKind::other},
                                                     {"dirlink", EntryKind::other},
                                                     {"pipe", EntryKind::other}}));
  EXPECT_EQ(what["link"], "a symbolic link");
  EXPECT_EQ(what["pipe"], "a pipe");
  EXPECT_TRUE(run((*listing)->next())->empty());
}

TEST_F(LocalSideTest, ListsEveryEntryOfALargeDirectory) {
  for (int i = 0; i < 1000; ++i) make_file(std::to_string(i));
  auto listing = run(side->list(folder.string()));
  ASSERT_TRUE(listing);
  std::size_t count = 0;
  while (true) {
    auto entries = run((*listing)->next());
    ASSERT_TRUE(entries);
    if (entries->empty()) break;
    count += entries->size();
  }
  EXPECT_EQ(count, 1000u);
}

TEST_F(LocalSideTest, FollowsALinkOnlyWhereTheUserNamesIt) {
  fs::create_directory(path("dir"));
  fs::create_directory_symlink("dir", path("link"));
  EXPECT_TRUE(run(side->list(path("link"))));
  EXPECT_FALSE(run(side->list(member("link"))));
  EXPECT_TRUE(run(side->make_directory(path("link"))));
  auto made = run(side->make_directory(member("link")));
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().kind(), ErrorKind::exists);
}

TEST_F(LocalSideTest, MakesDirectories) {
  EXPECT_TRUE(run(side->make_directory(member("new"))));
  EXPECT_TRUE(fs::is_directory(path("new")));
  EXPECT_TRUE(run(side->make_directory(member("new"))));
  make_file("file");
  EXPECT_FALSE(run(side->make_directory(member("file"))));
  EXPECT_FALSE(run(side->make_directory(member("none/new"))));
}

TEST_F(LocalSideTest, StatusFollowsALink) {
  make_file("file");
  fs::create_symlink("file", path("link"));
  auto status = run(side->status(path("link")));
  ASSERT_TRUE(status);
  EXPECT_EQ(status->kind, EntryKind::file);
  EXPECT_EQ(status->size_bytes, 5u);
  EXPECT_EQ(run(side->status(folder))->kind, EntryKind::directory);
  auto missing = run(side->status(path("missing")));
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().kind(), ErrorKind::not_found);
}

// Whoever may write in the target's folder could put a link there while a copy goes on.
TEST_F(LocalSideTest, TakesNoWayThroughALinkBelowWhatTheUserNamed) {
  fs::create_directory(path("elsewhere"));
  fs::create_directory_symlink("elsewhere", path("link"));
  EXPECT_FALSE(run(side->list(member("link/"))));
  EXPECT_FALSE(run(side->make_directory(member("link/new"))));
  EXPECT_FALSE(run(side->set_times(member("link/new"), {})));
  EXPECT_FALSE(run(side->make_directory(member("../out"))));
  EXPECT_TRUE(fs::is_empty(path("elsewhere")));
  EXPECT_TRUE(run(side->make_directory(path("link/new")))) << "the user may say so";
}

TEST_F(LocalSideTest, GivesMembersAsFilesBeneath) {
  const auto file = std::get<Local>(side->endpoint(member("a").member("b")));
  EXPECT_TRUE(file.is_beneath());
  EXPECT_EQ(file.root(), folder);
  EXPECT_EQ(file.path(), path("a/b"));
  EXPECT_FALSE(std::get<Local>(side->endpoint(path("a"))).is_beneath());
}

TEST_F(LocalSideTest, RefusesNamesThatLeadElsewhere) {
  for (std::string name : {std::string("."), std::string(".."), std::string(""), std::string("a/b"),
                           std::string("/"), std::string("a\0b", 3)}) {
    EXPECT_FALSE(side->check_name(name)) << name;
  }
  for (const char* name : {"a", "...", "..a", "C:", "a\\b", "\xff", "-rf"}) {
    EXPECT_TRUE(side->check_name(name)) << name;
  }
}

TEST_F(LocalSideTest, SetsTimes) {
  fs::create_directory(path("dir"));
  timespec write{.tv_sec = 1'500'000'000, .tv_nsec = 123'456'700};
  BasicInformation times;
  times.write_time = file_time_of(write);
  ASSERT_TRUE(run(side->set_times(member("dir"), times)));
  struct stat status;
  ASSERT_EQ(stat(path("dir").c_str(), &status), 0);
  EXPECT_EQ(status.st_mtim.tv_sec, write.tv_sec);
  EXPECT_EQ(status.st_mtim.tv_nsec, write.tv_nsec);
  EXPECT_GT(status.st_atim.tv_sec, write.tv_sec);  // 0 leaves it alone
}

TEST(FileTimes, ConvertBothWays) {
  EXPECT_EQ(file_time_of({.tv_sec = 0, .tv_nsec = 0}), 116'444'736'000'000'000);
  for (timespec time : {timespec{0, 100}, timespec{-1, 999'999'900}, timespec{-11'000'000'000, 0},
                        timespec{4'102'444'800, 500}}) {
    timespec back = timespec_of(file_time_of(time));
    EXPECT_EQ(back.tv_sec, time.tv_sec);
    EXPECT_EQ(back.tv_nsec, time.tv_nsec);
  }
  EXPECT_EQ(file_time_of({.tv_sec = -11'644'473'600, .tv_nsec = 0}), 0);
  EXPECT_EQ(file_time_of({.tv_sec = std::numeric_limits<time_t>::max(), .tv_nsec = 0}), 0);
  EXPECT_EQ(timespec_of(0).tv_nsec, UTIME_OMIT);
  EXPECT_EQ(timespec_of(-1).tv_nsec, UTIME_OMIT);
}

}  // namespace
}  // namespace smb3::cli
