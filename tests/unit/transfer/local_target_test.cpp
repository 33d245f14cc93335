// Local files that are written: their names, modes and times, and what a failure leaves.
#include "transfer/local_target.h"
#include "base/limits.h"
#include "reactor/reactor_thread.h"
#include "support/running.h"
#include "unit/auth/support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fcntl.h>

namespace smb3::test {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::MatchesRegex;

constexpr auto temporary_pattern = "\\.smbcp-[0-9a-f]{16}\\.part";

// One file from beginning to end. `between` is called when the data is written, before finish();
// `claimed` is the size that finish() is told.
struct Writing {
  Local to;
  std::string data;
  CopyOptions options{};
  BasicInformation information{};
  std::function<void()> between{};
  std::optional<std::uint64_t> claimed{};
  const char* earlier_hint = nullptr;
};

Task<void> put(Reactor& reactor, Writing& writing) {
  LocalTarget target =
      co_await LocalTarget::open(reactor, writing.to, writing.options, writing.data.size());
  Piece piece;
  piece.data = std::as_bytes(std::span(writing.data));
  auto written = co_await attempt(target.sink().write(piece, 0));
  if (written && writing.between) writing.between();
  if (written) {
    written = co_await attempt(
        target.finish(writing.claimed.value_or(writing.data.size()), writing.information));
  }
  if (written) co_return;
  Error failure = std::move(written).error();
  if (writing.earlier_hint) failure = std::move(failure).advise(writing.earlier_hint);
  co_await target.discard(failure);
  co_await std::move(failure);
}

class LocalTargets : public testing::Test {
 protected:
  LocalTargets() { thread_ = std::move(ReactorThread::start().value()); }

  Result<void> write(Writing writing) {
    return Running<void>(thread_->reactor(), [&] { return put(thread_->reactor(), writing); })
        .result();
  }
  Result<void> write(const std::string& name, std::string data, CopyOptions options = {}) {
    return write({.to = Local(path(name)), .data = std::move(data), .options = options});
  }
  std::string path(std::string_view name) const { return folder_ / name; }
  std::string content(std::string_view name) const {
    std::ostringstream text;
    text << std::ifstream(path(name)).rdbuf();
    return text.str();
  }
  std::vector<std::string> names(std::string_view in = "") const {
    std::vector<std::string> list;
    for (const auto& entry : fs::directory_iterator(path(in))) {
      list.push_back(entry.path().filename());
    }
    std::ranges::sort(list);
    return list;
  }
  struct stat status(std::string_view name) const {
    struct stat found{};
    EXPECT_EQ(::lstat(path(name).c_str(), &found), 0);
    return found;
  }
  static CopyOptions in_place() {
    CopyOptions options;
    options.through_temporary = false;
    return options;
  }
  static CopyOptions new_only(CopyOptions options = {}) {
    options.must_not_exist = true;
    return options;
  }

  TemporaryFolder folder_;
  std::unique_ptr<ReactorThread> thread_;
};

TEST_F(LocalTargets, ANewFileAppearsWhenItIsWhole) {
  const mode_t mask = ::umask(027);
  std::vector<std::string> between;
  auto written =
      write({.to = Local(path("new")), .data = "contents", .between = [&] { between = names(); }});
  ::umask(mask);
  ASSERT_TRUE(written) << describe(written.error());
  EXPECT_THAT(between, ElementsAre(MatchesRegex(temporary_pattern)));
  EXPECT_THAT(names(), ElementsAre("new"));
  EXPECT_EQ(content("new"), "contents");
  EXPECT_EQ(status("new").st_mode & 07777, 0640U);
}

TEST_F(LocalTargets, AReplacedFileKeepsItsModeAndStaysUntilThen) {
  folder_.write("old", "the old contents");
  fs::permissions(path("old"), fs::perms{0604});
  const auto inode = status("old").st_ino;
  std::string between;
  ASSERT_TRUE(write(
      {.to = Local(path("old")), .data = "new", .between = [&] { between = content("old"); }}));
  EXPECT_EQ(between, "the old contents");
  EXPECT_EQ(content("old"), "new");
  EXPECT_EQ(status("old").st_mode & 07777, 0604U);
  EXPECT_NE(status("old").st_ino, inode);
  EXPECT_THAT(names(), ElementsAre("old"));
}

TEST_F(LocalTargets, AnEmptyFileIsAFile) {
  ASSERT_TRUE(write("empty", ""));
  EXPECT_EQ(status("empty").st_size, 0);
}

TEST_F(LocalTargets, ALinkIsResolvedFirst) {
  fs::create_directory(path("elsewhere"));
  folder_.write("elsewhere/file", "old");
  fs::create_symlink("elsewhere/file", path("link"));
  std::vector<std::string> between;
  ASSERT_TRUE(write({.to = Local(path("link")), .data = "new", .between = [&] {
                       between = names("elsewhere");
                     }}));
  EXPECT_THAT(between, ElementsAre(MatchesRegex(temporary_pattern), "file"));
  EXPECT_TRUE(S_ISLNK(status("link").st_mode));
  EXPECT_EQ(content("elsewhere/file"), "new");
  EXPECT_THAT(names(), ElementsAre("elsewhere", "link"));
}

TEST_F(LocalTargets, ALinkThatLeadsNowhereIsAnError) {
  fs::create_symlink("nowhere", path("link"));
  auto written = write("link", "data");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().object(), path("link"));
  EXPECT_THAT(written.error().hint(), HasSubstr("leads nowhere"));
  EXPECT_THAT(names(), ElementsAre("link"));
}

// Names below a root come from somebody else.
TEST_F(LocalTargets, BeneathARootNoLinkIsFollowedAndNothingLeadsOut) {
  fs::create_directory(path("root"));
  fs::create_directory(path("outside"));
  fs::create_directory_symlink("../outside", path("root/folder"));
  fs::create_symlink("../outside/file", path("root/link"));
  for (const char* below : {"folder/file", "link", "../outside/file", "..", "sub/.."}) {
    for (const bool through_temporary : {true, false}) {
      auto written = write({.to = Local::beneath(path("root"), below),
                            .data = "evil",
                            .options = {.through_temporary = through_temporary}});
      EXPECT_FALSE(written) << below;
    }
  }
  EXPECT_THAT(names("outside"), testing::IsEmpty());
  EXPECT_THAT(names("root"), testing::UnorderedElementsAre("folder", "link"));

  fs::create_directory_symlink("root", path("way"));  // the root itself is the user's word
  fs::create_directory(path("root/sub"));
  ASSERT_TRUE(write({.to = Local::beneath(path("way"), "sub/file"), .data = "good"}));
  EXPECT_EQ(content("root/sub/file"), "good");
}

TEST_F(LocalTargets, AFolderThatBecomesALinkMeanwhileMisleadsNobody) {
  fs::create_directories(path("root/sub"));
  fs::create_directory(path("outside"));
  Writing writing{.to = Local::beneath(path("root"), "sub/file"), .data = "data"};
  writing.between = [this] {
    fs::rename(path("root/sub"), path("root/moved"));
    fs::create_directory_symlink("../outside", path("root/sub"));
  };
  ASSERT_TRUE(write(std::move(writing)));
  EXPECT_THAT(names("outside"), testing::IsEmpty());
  EXPECT_EQ(content("root/moved/file"), "data");
}

TEST_F(LocalTargets, ADeviceIsWrittenAndStaysOne) {
  ASSERT_TRUE(write({.to = Local("/dev/null"), .data = "data"}));
  struct stat null{};
  ASSERT_EQ(::lstat("/dev/null", &null), 0);
  EXPECT_TRUE(S_ISCHR(null.st_mode));
  fs::create_symlink("/dev/null", path("link"));
  ASSERT_TRUE(write("link", "data"));
  EXPECT_TRUE(S_ISLNK(status("link").st_mode));
  EXPECT_THAT(names(), ElementsAre("link"));
}

TEST_F(LocalTargets, APipeIsWrittenAndStaysOne) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  const int reader = ::open(path("pipe").c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  ASSERT_GE(reader, 0);
  auto written = write("pipe", "data");
  ASSERT_TRUE(written) << describe(written.error());
  char text[8] = {};
  EXPECT_EQ(::read(reader, text, sizeof text), 4);
  EXPECT_STREQ(text, "data");
  ::close(reader);
  EXPECT_TRUE(S_ISFIFO(status("pipe").st_mode));
  EXPECT_THAT(names(), ElementsAre("pipe"));
}

TEST_F(LocalTargets, ADirectoryIsNoTarget) {
  fs::create_directory(path("folder"));
  auto written = write("folder", "data");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().system_errno(), EISDIR);
}

TEST_F(LocalTargets, WithoutAFolderTheErrorNamesTheFile) {
  auto written = write("none/file", "data");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().kind(), ErrorKind::not_found);
  EXPECT_EQ(written.error().object(), path("none/file")) << "not its temporary";
}

TEST_F(LocalTargets, WhatMustNotExistIsNotReplaced) {
  folder_.write("old", "old");
  for (const CopyOptions& options : {new_only(), new_only(in_place())}) {
    auto written = write("old", "new", options);
    ASSERT_FALSE(written);
    EXPECT_EQ(written.error().kind(), ErrorKind::exists);
    EXPECT_EQ(content("old"), "old");
    EXPECT_THAT(names(), ElementsAre("old"));
  }
  EXPECT_TRUE(write("new", "new", new_only()));
  EXPECT_TRUE(write("newer", "new", new_only(in_place())));
  EXPECT_THAT(names(), ElementsAre("new", "newer", "old"));
}

TEST_F(LocalTargets, WhatAppearsMeanwhileIsNotReplaced) {
  auto written =
      write({.to = Local(path("file")), .data = "ours", .options = new_only(), .between = [&] {
               folder_.write("file", "theirs");
             }});
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().kind(), ErrorKind::exists);
  EXPECT_EQ(written.error().object(), path("file"));
  EXPECT_EQ(content("file"), "theirs");
  EXPECT_THAT(names(), ElementsAre("file"));
}

TEST_F(LocalTargets, AFailureLeavesTheOldFileAlone) {
  folder_.write("file", "old");
  auto written = write({.to = Local(path("file")), .data = "new", .claimed = 4});
  ASSERT_FALSE(written);
  EXPECT_THAT(describe(written.error()), HasSubstr("3 bytes where 4 were written"));
  EXPECT_EQ(content("file"), "old");
  EXPECT_THAT(names(), ElementsAre("file"));
}

// The temporary turns into a folder, which cannot be unlinked.
TEST_F(LocalTargets, ATemporaryThatStaysIsNamed) {
  std::string temporary;
  for (const char* hint : {static_cast<const char*>(nullptr), "look at the server"}) {
    auto written = write({.to = Local(path("file")),
                          .data = "new",
                          .between =
                              [&] {
                                temporary = path(names().back());
                                fs::remove(temporary);
                                fs::create_directory(temporary);
                              },
                          .claimed = 4,
                          .earlier_hint = hint});
    ASSERT_FALSE(written);
    EXPECT_THAT(written.error().hint(), HasSubstr(temporary));
    if (hint) {
      EXPECT_THAT(written.error().hint(), HasSubstr(hint));
    }
    fs::remove(temporary);
  }
}

TEST_F(LocalTargets, InPlaceTheFileStaysTheSameAndIsCut) {
  folder_.write("file", "something longer");
  fs::permissions(path("file"), fs::perms{0604});
  const auto inode = status("file").st_ino;
  std::vector<std::string> between;
  ASSERT_TRUE(
      write({.to = Local(path("file")), .data = "short", .options = in_place(), .between = [&] {
               between = names();
             }}));
  EXPECT_THAT(between, ElementsAre("file"));
  EXPECT_EQ(content("file"), "short");
  EXPECT_EQ(status("file").st_ino, inode);
  EXPECT_EQ(status("file").st_mode & 07777, 0604U);
}

TEST_F(LocalTargets, InPlaceAFailureKeepsWhatWasWritten) {
  auto written =
      write({.to = Local(path("file")), .data = "part", .options = in_place(), .claimed = 100});
  EXPECT_FALSE(written);
  EXPECT_EQ(content("file"), "part");
}

TEST_F(LocalTargets, TimesAndReadOnlyAreSet) {
  Writing writing{.to = Local(path("file")), .data = "data"};
  writing.information.write_time = to_file_time(1'000'000'000, 123'456'700);
  writing.information.access_time = to_file_time(-5, 0);
  writing.information.attributes = attribute::read_only;
  ASSERT_TRUE(write(std::move(writing)));
  const struct stat set = status("file");
  EXPECT_EQ(set.st_mtim.tv_sec, 1'000'000'000);
  EXPECT_EQ(set.st_mtim.tv_nsec, 123'456'700);
  EXPECT_EQ(set.st_atim.tv_sec, -5);
  EXPECT_EQ(set.st_mode & 0222, 0U);
  EXPECT_NE(set.st_mode & 0400, 0U);
}

TEST_F(LocalTargets, ADescriptorIsWrittenAtItsPosition) {
  folder_.write("file", "0123456789");
  const int fd = ::open(path("file").c_str(), O_WRONLY | O_CLOEXEC);
  ASSERT_EQ(::lseek(fd, 3, SEEK_SET), 3);
  ASSERT_TRUE(write({.to = Local(fd, "output"), .data = "abc"}));
  EXPECT_EQ(::write(fd, "!", 1), 1) << "it stays open, behind what was written";
  ::close(fd);
  EXPECT_EQ(content("file"), "012abc!789");
}

// Large enough for direct writing, where the file system has it; the end is not aligned.
Task<void> put_large(Reactor& reactor, Local to, Bytes chunk, std::uint64_t size) {
  CopyOptions options;
  LocalTarget target = co_await LocalTarget::open(reactor, to, options, size);
  for (std::uint64_t offset = 0; offset < size; offset += chunk.size()) {
    Piece piece;
    piece.data = chunk.first(std::min<std::uint64_t>(chunk.size(), size - offset));
    co_await target.sink().write(piece, offset);
  }
  BasicInformation information;
  co_await target.finish(size, information);
}

TEST_F(LocalTargets, ALargeFileIsWholeToo) {
  constexpr std::uint64_t size = limits::direct_file_bytes + 12345;
  const std::unique_ptr<std::byte[], decltype(&std::free)> memory(
      static_cast<std::byte*>(std::aligned_alloc(4096, limits::chunk_bytes)), &std::free);
  const MutableBytes chunk(memory.get(), limits::chunk_bytes);
  for (std::size_t i = 0; i < chunk.size(); ++i) chunk[i] = static_cast<std::byte>(i * 11 / 7);
  auto written = Running<void>(thread_->reactor(), [&] {
                   return put_large(thread_->reactor(), Local(path("large")), chunk, size);
                 }).result();
  ASSERT_TRUE(written) << describe(written.error());
  EXPECT_THAT(names(), ElementsAre("large"));
  const std::string text = content("large");
  ASSERT_EQ(text.size(), size);
  for (std::uint64_t offset = 0; offset < size; offset += chunk.size()) {
    const std::size_t count = std::min<std::uint64_t>(chunk.size(), size - offset);
    ASSERT_EQ(std::memcmp(text.data() + offset, chunk.data(), count), 0) << offset;
  }
}

}  // namespace
}  // namespace smb3::test
