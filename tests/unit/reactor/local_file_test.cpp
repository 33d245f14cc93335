// Files of this machine: every operation in a folder of its own, and the errors.
#include "unit/reactor/loopback.h"
#include "unit/reactor/reactor_fixture.h"

#include "reactor/buffer_pool.h"
#include "reactor/local_file.h"

#include <linux/openat2.h>
#include <linux/stat.h>
#include <sys/mman.h>

#include <array>
#include <filesystem>
#include <thread>

using namespace smb3;
using namespace std::chrono_literals;

namespace {

class LocalFileTest : public ReactorSetupTest {
 protected:
  void SetUp() override {
    ReactorSetupTest::SetUp();
    std::string name = (std::filesystem::temp_directory_path() / "smb3_file_XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    folder_fd_ = ::open(name.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  }
  void TearDown() override {
    ::close(folder_fd_);
    std::filesystem::remove_all(folder_);
  }
  Result<LocalFile> open(const std::string& path, int flags, mode_t mode = 0666,
                         std::uint64_t resolve = 0) {
    return run(
        [&](Reactor& r) { return LocalFile::open(r, folder_fd_, path, flags, mode, resolve); });
  }
  LocalFile create(const std::string& path) {
    Result<LocalFile> file = open(path, O_RDWR | O_CREAT | O_EXCL);
    EXPECT_TRUE(succeeded(file));
    return std::move(*file);
  }
  Result<void> write(LocalFile& file, const std::string& text, std::uint64_t offset = 0) {
    return run([&](Reactor&) { return file.write_all_at(std::as_bytes(std::span(text)), offset); });
  }
  Result<std::size_t> read(LocalFile& file, std::string& into, std::uint64_t offset = 0) {
    return run([&](Reactor&) { return file.read_at(bytes_of(into), offset); });
  }
  struct statx status(LocalFile& file) {
    auto found = run([&](Reactor&) { return file.status(); });
    EXPECT_TRUE(succeeded(found));
    return *found;
  }
  std::filesystem::path folder_;
  int folder_fd_ = -1;
};
SMB3_IN_EACH_SETUP(LocalFileTest);

TEST_P(LocalFileTest, WhatWasWrittenCanBeRead) {
  LocalFile file = create("file");
  EXPECT_EQ(file.path(), "file");
  const std::string text = pattern(3'000'123, 1);
  ASSERT_TRUE(succeeded(write(file, text)));
  ASSERT_TRUE(succeeded(run([&](Reactor&) { return file.sync(); })));
  EXPECT_EQ(status(file).stx_size, text.size());
  std::string all(text.size(), '\0');
  EXPECT_EQ(read(file, all).value(), text.size());
  EXPECT_TRUE(all == text);
  ASSERT_TRUE(succeeded(run([&](Reactor&) { return file.close(); })));
  EXPECT_FALSE(file.is_open());
}

TEST_P(LocalFileTest, AReadBeyondTheEndIsShort) {
  LocalFile file = create("file");
  ASSERT_TRUE(succeeded(write(file, "0123456789")));
  std::string part(8, '\0');
  EXPECT_EQ(read(file, part, 6).value(), 4u);
  EXPECT_EQ(part.substr(0, 4), "6789");
  EXPECT_EQ(read(file, part, 10).value(), 0u);
  EXPECT_EQ(read(file, part, 1'000'000'000'000).value(), 0u);
}

TEST_P(LocalFileTest, AWriteBeyondTheEndLeavesAHole) {
  LocalFile file = create("file");
  const std::uint64_t far = 5'000'000'000;  // more than 32 bits
  ASSERT_TRUE(succeeded(write(file, "end", far)));
  EXPECT_EQ(status(file).stx_size, far + 3);
  std::string part(4, 'x');
  EXPECT_EQ(read(file, part, far - 1).value(), 4u);
  EXPECT_EQ(part, std::string("\0end", 4));
}

TEST_P(LocalFileTest, AFileThatIsMissingIsNotFound) {
  Result<LocalFile> file = open("missing", O_RDONLY);
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().kind(), ErrorKind::not_found);
  EXPECT_EQ(file.error().operation(), "openat2");
  EXPECT_EQ(file.error().object(), "missing");
  EXPECT_EQ(file.error().system_errno(), ENOENT);
}

TEST_P(LocalFileTest, AFileThatExistsIsNotCreatedExclusively) {
  create("file");
  Result<LocalFile> again = open("file", O_RDWR | O_CREAT | O_EXCL);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().kind(), ErrorKind::exists);
}

TEST_P(LocalFileTest, OpenKeepsToItsFolderAndToPlainFilesWhereAskedTo) {
  ASSERT_EQ(::symlinkat("/etc/passwd", folder_fd_, "link"), 0);
  EXPECT_TRUE(succeeded(open("link", O_RDONLY)));
  EXPECT_EQ(open("link", O_RDONLY, 0, RESOLVE_NO_SYMLINKS).error().system_errno(), ELOOP);
  EXPECT_EQ(open("../x", O_RDONLY, 0, RESOLVE_BENEATH).error().system_errno(), EXDEV);
}

TEST_P(LocalFileTest, FilesAreClosedInProgramsThatWeStart) {
  LocalFile file = create("file");
  EXPECT_TRUE(fcntl(file.fd(), F_GETFD) & FD_CLOEXEC);
}

TEST_P(LocalFileTest, AFileWithoutACloseIsClosedByItsDestructor) {
  const std::size_t before = open_files();
  {
    LocalFile file = create("file");
    LocalFile moved = std::move(file);
    EXPECT_FALSE(file.is_open());
    EXPECT_EQ(open_files(), before + 1);
  }
  EXPECT_EQ(open_files(), before);
}

TEST_P(LocalFileTest, AFullDiskIsNoSpace) {
  Result<LocalFile> file = open("/dev/full", O_WRONLY);
  ASSERT_TRUE(succeeded(file));
  Result<void> result = write(*file, "x");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind(), ErrorKind::no_space);
  EXPECT_EQ(result.error().operation(), "write");
  EXPECT_EQ(result.error().object(), "/dev/full");
}

TEST_P(LocalFileTest, ACloseThatFailsIsReported) {
  LocalFile file(reactor(), 1'000'000, "nothing");
  Result<void> closed = run([&](Reactor&) { return file.close(); });
  ASSERT_FALSE(closed);
  EXPECT_EQ(closed.error().operation(), "close");
  EXPECT_EQ(closed.error().object(), "nothing");
  EXPECT_EQ(closed.error().system_errno(), EBADF);
}

TEST_P(LocalFileTest, AFileOpenForReadingCannotBeWritten) {
  Result<LocalFile> file = open("/dev/null", O_RDONLY);
  ASSERT_TRUE(succeeded(file));
  EXPECT_EQ(write(*file, "x").error().system_errno(), EBADF);
}

TEST_P(LocalFileTest, AllocateTruncateModeAndTimes) {
  LocalFile file = create("file");
  ASSERT_TRUE(succeeded(run([&](Reactor&) { return file.allocate(0, 1'000'000); })));
  EXPECT_EQ(status(file).stx_size, 1'000'000u);
  ASSERT_TRUE(succeeded(file.truncate(10)));
  ASSERT_TRUE(succeeded(file.change_mode(0640)));
  ASSERT_TRUE(succeeded(file.set_times({.tv_sec = 1, .tv_nsec = 2}, {.tv_sec = 3, .tv_nsec = 4})));
  const struct statx found = status(file);
  EXPECT_EQ(found.stx_size, 10u);
  EXPECT_EQ(found.stx_mode & 07777, 0640);
  EXPECT_EQ(found.stx_atime.tv_sec, 1);
  EXPECT_EQ(found.stx_atime.tv_nsec, 2u);
  EXPECT_EQ(found.stx_mtime.tv_sec, 3);
  EXPECT_EQ(found.stx_mtime.tv_nsec, 4u);
}

TEST_P(LocalFileTest, TheirErrorsNameTheCallAndThePath) {
  Result<LocalFile> file = open("/dev/null", O_RDONLY);
  ASSERT_TRUE(succeeded(file));
  Result<void> allocated = run([&](Reactor&) { return file->allocate(0, 10); });
  ASSERT_FALSE(allocated);
  EXPECT_EQ(allocated.error().operation(), "fallocate");
  EXPECT_EQ(allocated.error().object(), "/dev/null");
  EXPECT_EQ(file->truncate(0).error().operation(), "ftruncate");
  int pipe_ends[2];
  ASSERT_EQ(::pipe2(pipe_ends, O_CLOEXEC), 0);
  LocalFile pipe(reactor(), pipe_ends[0], "pipe");
  EXPECT_EQ(run([&](Reactor&) { return pipe.sync(); }).error().operation(), "fsync");
  ::close(pipe_ends[1]);
}

TEST_P(LocalFileTest, FoldersAndNames) {
  const auto make = [&](const char* path) {
    return run([&](Reactor& r) { return make_directory(r, folder_fd_, path, 0750); });
  };
  const auto stat = [&](const char* path) {
    return run([&](Reactor& r) { return stat_path(r, folder_fd_, path, AT_SYMLINK_NOFOLLOW); });
  };
  const auto rename = [&](const char* from, const char* to, unsigned flags) {
    return run([&](Reactor& r) { return rename_path(r, folder_fd_, from, folder_fd_, to, flags); });
  };
  const auto unlink = [&](const char* path, int flags) {
    return run([&](Reactor& r) { return unlink_path(r, folder_fd_, path, flags); });
  };
  ASSERT_TRUE(succeeded(make("a")));
  EXPECT_EQ(make("a").error().kind(), ErrorKind::exists);
  EXPECT_EQ(make("x/y").error().operation(), "mkdirat");
  EXPECT_TRUE(S_ISDIR(stat("a").value().stx_mode));
  EXPECT_EQ(stat("b").error().kind(), ErrorKind::not_found);
  EXPECT_EQ(stat("b").error().operation(), "statx");
  EXPECT_EQ(stat("b").error().object(), "b");

  create("a/1");
  create("a/2");
  EXPECT_EQ(rename("a/1", "a/2", RENAME_NOREPLACE).error().kind(), ErrorKind::exists);
  EXPECT_EQ(rename("a/3", "a/2", 0).error().operation(), "renameat2");
  EXPECT_EQ(rename("a/3", "a/2", 0).error().object(), "a/3");
  ASSERT_TRUE(succeeded(rename("a/1", "a/2", 0)));
  EXPECT_EQ(stat("a/1").error().kind(), ErrorKind::not_found);

  EXPECT_EQ(unlink("a", AT_REMOVEDIR).error().kind(), ErrorKind::exists);  // ENOTEMPTY
  EXPECT_EQ(unlink("a/1", 0).error().operation(), "unlinkat");
  ASSERT_TRUE(succeeded(unlink("a/2", 0)));
  ASSERT_TRUE(succeeded(unlink("a", AT_REMOVEDIR)));
  EXPECT_EQ(stat("a").error().kind(), ErrorKind::not_found);
}

// A pipe that does not block says EAGAIN; the reactor waits until it is ready.
TEST_P(LocalFileTest, PipesAreReadToTheEndAndWrittenWhole) {
  for (const int flags : {O_CLOEXEC, O_CLOEXEC | O_NONBLOCK}) {
    int ends[2];
    ASSERT_EQ(::pipe2(ends, flags), 0);
    LocalFile reader(reactor(), ends[0], "reader");
    const std::string text = pattern(1'000'000, 5);
    auto second = ReactorThread::start(options());
    ASSERT_TRUE(succeeded(second));
    std::thread writing([&] {
      LocalFile writer((*second)->reactor(), ends[1], "writer");
      EXPECT_TRUE(succeeded(run_on((*second)->reactor(), [&] {
        return writer.write_all_at(std::as_bytes(std::span(text)), 0);
      })));
    });
    std::string all(text.size() + 1, '\0');
    EXPECT_EQ(read(reader, all).value(), text.size());
    writing.join();
    EXPECT_TRUE(all.compare(0, text.size(), text) == 0);
  }
}

Task<int> read_until(Reactor& reactor, int fd, TimePoint deadline) {
  char byte = 0;
  Operation operation{
      .code = OperationCode::read, .fd = fd, .buffer = &byte, .length = 1, .deadline = deadline};
  co_return co_await perform(reactor, operation);
}

TEST_P(LocalFileTest, AReadOfASilentPipeEndsAtItsDeadline) {
  for (const int flags : {O_CLOEXEC, O_CLOEXEC | O_NONBLOCK}) {
    int ends[2];
    ASSERT_EQ(::pipe2(ends, flags), 0);
    EXPECT_EQ(run([&](Reactor& r) { return read_until(r, ends[0], r.now() + 20ms); }).value(),
              -ETIMEDOUT);
    ::close(ends[0]);
    ::close(ends[1]);
  }
}

Task<std::string> through_a_buffer(LocalFile& file, BufferPool& pool, std::string text) {
  Buffer buffer = std::move(*pool.take());
  std::copy(text.begin(), text.end(), reinterpret_cast<char*>(buffer.data()));
  MutableBytes part = buffer.bytes().first(text.size());
  co_await file.write_all_at(part, 100, buffer.registered_index());
  Buffer other = std::move(*pool.take());
  const std::size_t got = co_await file.read_at(other.bytes(), 100, other.registered_index());
  co_return std::string(reinterpret_cast<char*>(other.data()), got);
}

Task<std::string> with_pool(Reactor& reactor, LocalFile& file, bool registered,
                            std::int16_t& index) {
  BufferPool pool(reactor, 3, 10'000, registered);
  index = pool.registered_index();
  co_return co_await through_a_buffer(file, pool, pattern(9'000, 6));
}

TEST_P(LocalFileTest, RegisteredAndPlainBuffersDoTheSame) {
  LocalFile file = create("file");
  // More rounds than the kernel's table has places: each pool gives its place back.
  for (int i = 0; i < 100; ++i) {
    std::int16_t index = -2;
    const bool registered = i % 4 != 0;
    Result<std::string> text =
        run([&](Reactor& r) { return with_pool(r, file, registered, index); });
    ASSERT_TRUE(succeeded(text));
    EXPECT_TRUE(*text == pattern(9'000, 6));
    EXPECT_EQ(index >= 0, registered);
  }
}

TEST_P(LocalFileTest, AnIndexForOtherMemoryIsAnError) {
  LocalFile file = create("file");
  ASSERT_TRUE(succeeded(write(file, "text")));
  std::string elsewhere(4, '\0');
  auto result = run([&](Reactor&) { return file.read_at(bytes_of(elsewhere), 0, 5); });
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().system_errno(), EFAULT);
}

}  // namespace
