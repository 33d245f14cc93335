#include "transfer/lanes.h"

#include <smbclient3/task_group.h>

namespace smb3 {
namespace {

struct Job {
  Source& source;
  Sink& sink;
  const Interruption& interruption;
  ChunkCursor cursor;
  bool size_known;
  CopyProgress* progress;
  std::uint64_t bytes = 0;

  void stop() {
    cursor.stop();
    source.stop();
    sink.stop();
  }
};

// One chunk, in as many pieces as the source gives.
Task<void> move_chunk(Job& job, Chunk chunk) {
  while (chunk.length != 0) {
    if (job.interruption.requested) co_await job.interruption.error();
    Piece piece = co_await job.source.read(chunk.offset, chunk.length);
    const std::size_t count = piece.data.size();
    if (count == 0) {
      if (job.size_known) co_await Error(ErrorKind::failed, "became shorter while it was copied");
      job.cursor.stop();
      co_return;
    }
    co_await job.sink.write(piece, chunk.offset);
    job.bytes += count;
    if (job.progress) job.progress->bytes.fetch_add(count, std::memory_order_relaxed);
    chunk.offset += count;
    chunk.length -= static_cast<std::uint32_t>(count);
  }
}

Task<void> lane(Job& job) {
  while (auto chunk = job.cursor.next()) {
    auto moved = co_await attempt(move_chunk(job, *chunk));
    if (moved) continue;
    job.stop();
    co_await std::move(moved);
  }
}

}  // namespace

Task<std::uint64_t> run_lanes(Source& source, Sink& sink, const Interruption& interruption,
                              LanesOptions options) {
  Job job{source,
          sink,
          interruption,
          ChunkCursor(options.size, options.chunk_bytes),
          options.size != ChunkCursor::unknown_size,
          options.progress};
  TaskGroup lanes;
  for (std::size_t i = 0; i < options.lanes && !job.cursor.stopped(); ++i) {
    const std::uint64_t first_unstarted = std::uint64_t{i} * options.chunk_bytes;
    if (job.size_known && first_unstarted >= options.size) break;
    lanes.start(lane(job));
  }
  co_await lanes.join();
  co_return job.bytes;
}

}  // namespace smb3
