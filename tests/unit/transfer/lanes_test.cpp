// Lanes between sources and sinks that the test makes up.
#include "base/limits.h"
#include "reactor/reactor_thread.h"
#include "support/peer.h"
#include "support/running.h"
#include "transfer/lanes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace smb3 {
namespace {

using test::Octets;
using test::on;
using test::Running;

constexpr std::uint32_t chunk_bytes = 1000;
constexpr std::size_t lane_count = 4;

Octets pattern(std::size_t size) {
  std::mt19937 chance(static_cast<unsigned>(size));
  Octets bytes(size);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(chance());
  return bytes;
}

// What both ends of a fake copy share. Everything lasts a random number of turns of the loop.
struct World {
  Reactor& reactor;
  BufferPool pool;
  std::mt19937 chance{7};
  std::size_t alive = 0;  // pieces between the source and the end of their write
  std::size_t alive_max = 0;

  explicit World(Reactor& r) : reactor(r), pool(r, limits::lanes_per_connection + 1, 4096, false) {}
};

Task<void> some_turns(World& world) {
  for (unsigned n = world.chance() % 4; n > 0; --n) {
    co_await sleep_until(world.reactor, world.reactor.now());
  }
}

class FakeSource final : public Source {
 public:
  FakeSource(World& world, Octets bytes) : bytes(std::move(bytes)), world_(world) {}

  Task<Piece> read(std::uint64_t offset, std::uint32_t length) override {
    co_await some_turns(world_);
    ++reads;
    if (offset <= fails_at && fails_at < offset + length) {
      co_await Error(ErrorKind::access_denied, "cannot read that");
    }
    Piece piece;
    piece.reservation = co_await world_.pool.reserve();
    if (offset < bytes.size()) {
      std::uint64_t count = std::min<std::uint64_t>(length, bytes.size() - offset);
      if (short_pieces) count = world_.chance() % count + 1;
      piece.data = Bytes(bytes).subspan(offset, count);
    }
    world_.alive_max = std::max(world_.alive_max, ++world_.alive);
    co_return std::move(piece);
  }
  void stop() override { ++stops; }

  Octets bytes;
  bool short_pieces = false;
  std::uint64_t fails_at = ~std::uint64_t{0};
  std::size_t reads = 0;
  std::size_t stops = 0;

 private:
  World& world_;
};

class FakeSink final : public Sink {
 public:
  explicit FakeSink(World& world) : world_(world) {}

  Task<void> write(const Piece& piece, std::uint64_t offset) override {
    co_await some_turns(world_);
    --world_.alive;
    if (offset <= fails_at && fails_at < offset + piece.data.size()) {
      co_await Error(ErrorKind::no_space, "the disk is full");
    }
    if (interrupts && bytes.size() > 5 * chunk_bytes) interrupts->requested = true;
    if (bytes.size() < offset + piece.data.size()) bytes.resize(offset + piece.data.size());
    std::ranges::copy(piece.data, bytes.begin() + static_cast<std::ptrdiff_t>(offset));
    written += piece.data.size();
  }
  void stop() override { ++stops; }

  Octets bytes;
  std::uint64_t fails_at = ~std::uint64_t{0};
  Interruption* interrupts = nullptr;
  std::uint64_t written = 0;
  std::size_t stops = 0;

 private:
  World& world_;
};

class Lanes : public testing::Test {
 protected:
  Lanes() {
    thread_ = std::move(ReactorThread::start().value());
    on(reactor(), [this] { world_ = std::make_unique<World>(reactor()); });
    make_sink();
  }
  ~Lanes() override {
    on(reactor(), [this] { world_.reset(); });
  }
  Reactor& reactor() { return thread_->reactor(); }
  void make_sink() { sink_ = std::make_unique<FakeSink>(*world_); }
  void make_source(std::size_t size) {
    source_ = std::make_unique<FakeSource>(*world_, pattern(size));
  }
  Result<std::uint64_t> copy(std::uint64_t announced, std::size_t lanes = lane_count) {
    const LanesOptions options{
        .size = announced, .chunk_bytes = chunk_bytes, .lanes = lanes, .progress = &progress_};
    return Running<std::uint64_t>(
               reactor(),
               [this, options] { return run_lanes(*source_, *sink_, interruption_, options); })
        .result();
  }

  std::unique_ptr<ReactorThread> thread_;
  std::unique_ptr<World> world_;
  std::unique_ptr<FakeSource> source_;
  std::unique_ptr<FakeSink> sink_;
  Interruption interruption_;
  CopyProgress progress_;
};

TEST_F(Lanes, MoveEveryByteToItsPlace) {
  for (const std::size_t size :
       {0UL, 1UL, 999UL, 1000UL, 1001UL, 3999UL, 4000UL, 4001UL, 100500UL}) {
    for (const bool short_pieces : {false, true}) {
      SCOPED_TRACE(size);
      make_source(size);
      source_->short_pieces = short_pieces;
      make_sink();
      progress_.bytes = 0;
      auto moved = copy(size);
      ASSERT_TRUE(moved) << describe(moved.error());
      EXPECT_EQ(*moved, size);
      EXPECT_EQ(progress_.bytes, size);
      EXPECT_EQ(sink_->written, size) << "each byte once";
      EXPECT_EQ(sink_->bytes, source_->bytes);
      EXPECT_EQ(source_->stops + sink_->stops, 0U);
    }
  }
}

TEST_F(Lanes, TheEndOfAStreamEndsIt) {
  for (const std::size_t size : {0UL, 1UL, 1000UL, 1001UL, 20000UL, 20500UL}) {
    SCOPED_TRACE(size);
    make_source(size);
    make_sink();
    auto moved = copy(ChunkCursor::unknown_size);
    ASSERT_TRUE(moved) << describe(moved.error());
    EXPECT_EQ(*moved, size);
    EXPECT_EQ(sink_->bytes, source_->bytes);
  }
}

TEST_F(Lanes, AShorterSourceIsAnError) {
  make_source(20000);
  auto moved = copy(20001);
  ASSERT_FALSE(moved);
  EXPECT_EQ(moved.error().kind(), ErrorKind::failed);
  EXPECT_THAT(moved.error().what(), testing::HasSubstr("shorter"));
}

// What lies behind the announced size is not read.
TEST_F(Lanes, ALongerSourceIsCutAtItsSize) {
  make_source(20000);
  EXPECT_EQ(copy(12345).value(), 12345U);
  EXPECT_EQ(sink_->bytes, Octets(source_->bytes.begin(), source_->bytes.begin() + 12345));
}

TEST_F(Lanes, AFailedReadStopsTheOthers) {
  make_source(1000 * chunk_bytes);
  source_->fails_at = 10 * chunk_bytes;
  auto moved = copy(source_->bytes.size());
  ASSERT_FALSE(moved);
  EXPECT_EQ(moved.error().kind(), ErrorKind::access_denied);
  EXPECT_EQ(moved.error().what(), "cannot read that");
  EXPECT_LT(source_->reads, 60U);
  EXPECT_GE(source_->stops, 1U);
  EXPECT_GE(sink_->stops, 1U);
}

TEST_F(Lanes, AFailedWriteStopsTheOthers) {
  make_source(1000 * chunk_bytes);
  sink_->fails_at = 10 * chunk_bytes;
  auto moved = copy(source_->bytes.size());
  ASSERT_FALSE(moved);
  EXPECT_EQ(moved.error().kind(), ErrorKind::no_space);
  EXPECT_LT(source_->reads, 60U);
  EXPECT_EQ(on(reactor(), [this] { return world_->pool.reserved(); }), 0U);
}

TEST_F(Lanes, AnInterruptionEndsThem) {
  make_source(1000 * chunk_bytes);
  sink_->interrupts = &interruption_;
  auto moved = copy(source_->bytes.size());
  ASSERT_FALSE(moved);
  EXPECT_EQ(moved.error().kind(), ErrorKind::cancelled);
  EXPECT_LT(source_->reads, 60U);
}

TEST_F(Lanes, AnInterruptionBeforeTheStartMovesNothing) {
  make_source(10 * chunk_bytes);
  interruption_.requested = true;
  auto moved = copy(source_->bytes.size());
  ASSERT_FALSE(moved);
  EXPECT_EQ(moved.error().kind(), ErrorKind::cancelled);
  EXPECT_EQ(source_->reads, 0U);
}

TEST_F(Lanes, KeepAPieceEachAlive) {
  for (const std::size_t lanes : {1UL, 4UL, 16UL}) {
    make_source(300 * chunk_bytes);
    make_sink();
    world_->alive_max = 0;
    ASSERT_TRUE(copy(source_->bytes.size(), lanes));
    EXPECT_LE(world_->alive_max, lanes);
    EXPECT_GE(world_->alive_max, lanes / 2);
    EXPECT_EQ(world_->alive, 0U);
  }
}

TEST_F(Lanes, AreNoMoreThanThereAreChunks) {
  make_source(2 * chunk_bytes + 1);
  ASSERT_TRUE(copy(source_->bytes.size(), 16));
  EXPECT_EQ(source_->reads, 3U);
}

}  // namespace
}  // namespace smb3
