// Pipes as sources and sinks of many lanes, and what reads and writes files.
#include "base/limits.h"
#include "reactor/reactor_thread.h"
#include "support/running.h"
#include "transfer/lanes.h"
#include "unit/auth/support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <thread>

namespace smb3::test {
namespace {

constexpr std::uint32_t chunk_bytes = 5000;

std::string pattern(std::size_t size) {
  std::string text(size, '\0');
  for (std::size_t i = 0; i < size; ++i) text[i] = static_cast<char>(i * 31 / 7);
  return text;
}

class Streams : public testing::Test {
 protected:
  Streams() {
    ::signal(SIGPIPE, SIG_IGN);
    thread_ = std::move(ReactorThread::start().value());
    on(reactor(), [this] { pool_ = std::make_unique<BufferPool>(reactor(), 9, 8192, false); });
    EXPECT_EQ(::pipe2(pipe_, O_CLOEXEC), 0);
  }
  ~Streams() override {
    on(reactor(), [this] {
      from_.reset();
      to_.reset();
      pool_.reset();
    });
    close_end(0);
    close_end(1);
  }
  Reactor& reactor() { return thread_->reactor(); }
  void close_end(int end) {
    if (pipe_[end] >= 0) ::close(std::exchange(pipe_[end], -1));
  }
  LocalFile& take_end(int end) {
    auto& file = end == 0 ? from_ : to_;
    file = std::make_unique<LocalFile>(reactor(), std::exchange(pipe_[end], -1), "pipe");
    return *file;
  }
  LocalFile& open_file(std::unique_ptr<LocalFile>& file, const std::string& path, int flags) {
    file =
        std::make_unique<LocalFile>(reactor(), ::open(path.c_str(), flags | O_CLOEXEC, 0600), path);
    return *file;
  }
  Result<std::uint64_t> copy(Source& source, Sink& sink, std::uint64_t size) {
    const LanesOptions options{.size = size, .chunk_bytes = chunk_bytes, .lanes = 8};
    return Running<std::uint64_t>(
               reactor(), [&, options] { return run_lanes(source, sink, interruption_, options); })
        .result();
  }
  static std::string text_of(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }

  TemporaryFolder folder_;
  std::unique_ptr<ReactorThread> thread_;
  std::unique_ptr<BufferPool> pool_;
  std::unique_ptr<LocalFile> from_;
  std::unique_ptr<LocalFile> to_;
  int pipe_[2] = {-1, -1};
  Interruption interruption_;
};

TEST_F(Streams, APipeIsReadInOrder) {
  for (const std::size_t size : {0UL, 1UL, 4999UL, 5000UL, 5001UL, 700123UL}) {
    SCOPED_TRACE(size);
    int ends[2];
    ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    const std::string text = pattern(size);
    std::thread writer([&] {
      for (std::size_t at = 0; at < text.size();) {  // in pieces of odd sizes
        const std::size_t count = std::min<std::size_t>(text.size() - at, 777 + at % 3000);
        const ssize_t written = ::write(ends[1], text.data() + at, count);
        if (written < 0) break;
        at += static_cast<std::size_t>(written);
      }
      ::close(ends[1]);
    });
    from_ = std::make_unique<LocalFile>(reactor(), ends[0], "pipe");
    LocalStreamSource source(*from_, *pool_, reactor());
    const std::string path = folder_ / "file";
    LocalSink sink(open_file(to_, path, O_WRONLY | O_CREAT | O_TRUNC), nullptr);
    auto moved = copy(source, sink, ChunkCursor::unknown_size);
    writer.join();
    ASSERT_TRUE(moved) << describe(moved.error());
    EXPECT_EQ(*moved, size);
    EXPECT_EQ(text_of(path), text);
  }
}

TEST_F(Streams, APipeIsWrittenInOrder) {
  const std::string text = pattern(700123);
  std::string seen;
  std::thread reader([&] {
    char some[4096];
    for (ssize_t count = 0; (count = ::read(pipe_[0], some, sizeof some)) > 0;) {
      seen.append(some, static_cast<std::size_t>(count));
    }
  });
  LocalSource source(open_file(from_, folder_.write("file", text), O_RDONLY), *pool_);
  LocalStreamSink sink(take_end(1), reactor());
  auto moved = copy(source, sink, text.size());
  on(reactor(), [this] { to_.reset(); });
  reader.join();
  ASSERT_TRUE(moved) << describe(moved.error());
  EXPECT_EQ(*moved, text.size());
  EXPECT_TRUE(seen == text);
}

// Every lane that waits for its turn is told; the first failure is the one that is reported.
TEST_F(Streams, AReaderThatGoesEndsAllLanes) {
  const std::string text = pattern(700123);
  std::thread reader([&] {
    char some[20000];
    for (std::size_t seen = 0; seen < sizeof some;) {
      const ssize_t count = ::read(pipe_[0], some, sizeof some - seen);
      if (count <= 0) break;
      seen += static_cast<std::size_t>(count);
    }
    close_end(0);
  });
  LocalSource source(open_file(from_, folder_.write("file", text), O_RDONLY), *pool_);
  LocalStreamSink sink(take_end(1), reactor());
  auto moved = copy(source, sink, text.size());
  reader.join();
  ASSERT_FALSE(moved);
  EXPECT_EQ(moved.error().system_errno(), EPIPE);
  EXPECT_EQ(on(reactor(), [this] { return pool_->reserved(); }), 0U);
  EXPECT_EQ(on(reactor(), [this] { return pool_->free_buffers(); }), 9U);
}

TEST_F(Streams, AFileThatHasBecomeShorterIsAnError) {
  LocalSource source(open_file(from_, folder_.write("file", pattern(12000)), O_RDONLY), *pool_);
  LocalSink sink(open_file(to_, folder_ / "copy", O_WRONLY | O_CREAT), nullptr);
  auto moved = copy(source, sink, 12001);
  ASSERT_FALSE(moved);
  EXPECT_THAT(moved.error().what(), testing::HasSubstr("shorter"));
}

// Frames that a server sends unasked may take the buffers for which others have reservations.
TEST_F(Streams, WithoutABufferThereIsAnError) {
  LocalSource source(open_file(from_, folder_.write("file", "text"), O_RDONLY), *pool_);
  LocalSink sink(open_file(to_, folder_ / "copy", O_WRONLY | O_CREAT), nullptr);
  std::vector<Buffer> taken;
  on(reactor(), [&] {
    while (auto buffer = pool_->take()) taken.push_back(std::move(*buffer));
  });
  auto moved = copy(source, sink, 4);
  on(reactor(), [&] { taken.clear(); });
  ASSERT_FALSE(moved);
  EXPECT_EQ(moved.error().kind(), ErrorKind::protocol);
}

}  // namespace
}  // namespace smb3::test
