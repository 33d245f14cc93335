// Large files: sources whose pages are sent as they lie in the page cache, and targets that are
// written around it.
#include "base/limits.h"
#include "reactor/reactor_thread.h"
#include "support/running.h"
#include "transfer/lanes.h"
#include "transfer/local_target.h"
#include "unit/auth/support.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace smb3::test {
namespace {

constexpr std::size_t page_bytes = 4096;

std::string pattern(std::size_t size) {
  std::string text(size, '\0');
  for (std::size_t i = 0; i < size; ++i) text[i] = static_cast<char>(i / page_bytes + i * 31);
  return text;
}

// As a server's frames bring it: data in memory that is aligned, or not.
class MemorySource final : public Source {
 public:
  MemorySource(const std::string& text, std::size_t shift) : shift_(shift) {
    memory_.resize(text.size() + 2 * page_bytes);
    const auto address = reinterpret_cast<std::uintptr_t>(memory_.data());
    start_ = memory_.data() + (page_bytes - address % page_bytes) + shift_;
    std::copy(text.begin(), text.end(), start_);
    size_ = text.size();
  }
  Task<Piece> read(std::uint64_t offset, std::uint32_t length) override {
    Piece piece;
    const std::size_t count = std::min<std::size_t>(length, size_ - offset);
    piece.data = std::as_bytes(std::span(start_ + offset, count));
    co_return std::move(piece);
  }

 private:
  std::vector<char> memory_;
  char* start_ = nullptr;
  std::size_t shift_;
  std::size_t size_ = 0;
};

class PageCache : public testing::Test {
 protected:
  PageCache() { thread_ = std::move(ReactorThread::start().value()); }

  Reactor& reactor() { return thread_->reactor(); }
  std::string path(std::string_view name) const { return folder_ / name; }
  std::string content(std::string_view name) const {
    std::ostringstream text;
    text << std::ifstream(path(name)).rdbuf();
    return text.str();
  }

  Task<std::string> read_mapped(std::string name, std::uint64_t offset, std::uint32_t length) {
    BufferPool pool(reactor(), 3, 2 * limits::chunk_bytes, false);
    LocalFile file = co_await LocalFile::open(reactor(), AT_FDCWD, name, O_RDONLY);
    std::string text;
    {
      MappedSource source(file, pool);
      Piece piece = co_await source.read(offset, length);
      text.assign(reinterpret_cast<const char*>(piece.data.data()), piece.data.size());
      was_mapped_ = !piece.mapped.bytes().empty();
    }
    co_await file.close();
    co_return std::move(text);
  }
  Result<std::string> mapped(std::string_view name, std::uint64_t offset, std::uint32_t length) {
    return Running<std::string>(reactor(), [&] { return read_mapped(path(name), offset, length); })
        .result();
  }

  Task<void> write_target(const std::string& text, std::size_t shift, CopyOptions options) {
    LocalTarget target =
        co_await LocalTarget::open(reactor(), Local(path("target")), options, text.size());
    MemorySource source(text, shift);
    const Interruption interruption;
    const LanesOptions lanes{.size = text.size(), .chunk_bytes = limits::chunk_bytes, .lanes = 4};
    co_await run_lanes(source, target.sink(), interruption, lanes);
    const BasicInformation nothing_more;
    co_await target.finish(text.size(), nothing_more);
  }
  void expect_written(std::size_t size, std::size_t shift, CopyOptions options = {}) {
    const std::string text = pattern(size);
    auto written =
        Running<void>(reactor(), [&] { return write_target(text, shift, options); }).result();
    ASSERT_TRUE(written) << describe(written.error());
    EXPECT_TRUE(content("target") == text);
  }

  // How many descriptors of this process bypass the page cache while a target of `size` is open.
  Task<int> count_direct(std::uint64_t size) {
    const CopyOptions options;
    LocalTarget target =
        co_await LocalTarget::open(reactor(), Local(path("counted")), options, size);
    int count = 0;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
      const int flags = ::fcntl(std::stoi(entry.path().filename()), F_GETFL);
      if (flags >= 0 && (flags & O_DIRECT) != 0 && (flags & O_PATH) == 0) ++count;
    }
    Error failure(ErrorKind::cancelled, "only looked at");
    co_await target.discard(failure);
    co_return count;
  }

  TemporaryFolder folder_;
  std::unique_ptr<ReactorThread> thread_;
  bool was_mapped_ = false;
};

TEST_F(PageCache, APieceOfAFileIsItsPages) {
  const std::string text = pattern(3 * limits::chunk_bytes + 777);
  std::ofstream(path("source")) << text;
  EXPECT_EQ(mapped("source", limits::chunk_bytes, limits::chunk_bytes).value(),
            text.substr(limits::chunk_bytes, limits::chunk_bytes));
  EXPECT_TRUE(was_mapped_);
  EXPECT_EQ(mapped("source", 3 * limits::chunk_bytes, 777).value(),
            text.substr(3 * limits::chunk_bytes));
  EXPECT_TRUE(was_mapped_);
}

TEST_F(PageCache, AFileThatWasCutOffIsReadAsFarAsItReaches) {
  std::ofstream(path("source")) << pattern(5000);
  EXPECT_EQ(mapped("source", 0, limits::chunk_bytes).value(), pattern(5000));
  EXPECT_FALSE(was_mapped_);
  EXPECT_EQ(mapped("source", limits::chunk_bytes, limits::chunk_bytes).value(), "");
}

TEST_F(PageCache, ALargeTargetIsWhole) {
  expect_written(limits::direct_file_bytes, 0);
  expect_written(limits::direct_file_bytes + 12345, 0);
}

TEST_F(PageCache, ALargeTargetIsWholeWhereMemoryIsNotAligned) {
  expect_written(limits::direct_file_bytes + 1, 52);
}

TEST_F(PageCache, ALargeTargetIsWholeThroughTheCacheToo) {
  expect_written(limits::direct_file_bytes + 1, 0, {.bypass_cache = false});
}

// The mode of a target around the page cache, as /proc tells it.
TEST_F(PageCache, ALargeTargetHasASecondDescriptorAroundTheCache) {
  auto opened = [this](std::uint64_t size) {
    return Running<int>(reactor(), [this, size] { return count_direct(size); }).result().value();
  };
  const int large = opened(limits::direct_file_bytes);
  EXPECT_EQ(opened(limits::direct_file_bytes - 1), 0);
  struct statfs system;
  ASSERT_EQ(::statfs(path("").c_str(), &system), 0);
  const bool in_memory = system.f_type == 0x01021994;  // TMPFS_MAGIC: never
  EXPECT_EQ(large, in_memory ? 0 : 1);
}

}  // namespace
}  // namespace smb3::test
