#include "transfer/source.h"

namespace smb3 {

Task<Piece> RemoteSource::read(std::uint64_t offset, std::uint32_t length) {
  Piece piece;
  piece.reservation = co_await open_.connection().pool().reserve(never);
  ReadResult result = co_await open_.read(offset, length);
  piece.frame = std::move(result.frame);
  piece.data = result.data;
  piece.index = piece.frame ? piece.frame.index() : std::int16_t{-1};
  co_return std::move(piece);
}

namespace {

Task<Piece> empty_piece(BufferPool& pool) {
  Piece piece;
  piece.reservation = co_await pool.reserve(never);
  piece.buffer = pool.take();
  // Frames that nobody asked for have taken what was reserved.
  if (!piece.buffer) co_await Error(ErrorKind::protocol, "the server left no buffer free");
  piece.index = piece.buffer->registered_index();
  co_return std::move(piece);
}

}  // namespace

Task<Piece> LocalSource::read(std::uint64_t offset, std::uint32_t length) {
  Piece piece = co_await empty_piece(pool_);
  MutableBytes into = piece.buffer->bytes().first(length);
  const std::size_t count = co_await file_.read_at(into, offset, piece.index);
  piece.data = into.first(count);
  co_return std::move(piece);
}

Task<Piece> MappedSource::read(std::uint64_t offset, std::uint32_t length) {
  auto mapped = co_await attempt(file_.map_at(offset, length));
  // Whatever is wrong (no mapping here, a shorter file, a bad disk), reading tells it exactly.
  if (!mapped) co_return co_await otherwise_.read(offset, length);
  Piece piece;
  piece.mapped = std::move(*mapped);
  piece.data = piece.mapped.bytes();
  co_return std::move(piece);
}

Task<Piece> LocalStreamSource::read(std::uint64_t offset, std::uint32_t length) {
  Piece piece = co_await empty_piece(pool_);
  const bool my_turn = co_await turns_.turn_of(offset);
  if (!my_turn) co_return std::move(piece);
  MutableBytes into = piece.buffer->bytes().first(length);
  std::size_t count = 0;
  while (count < into.size()) {
    const std::size_t more =
        co_await file_.read_at(into.subspan(count), current_position, piece.index);
    if (more == 0) break;
    count += more;
  }
  piece.data = into.first(count);
  if (count == length) {
    turns_.pass_to(offset + length);
  } else {
    turns_.end();
  }
  co_return std::move(piece);
}

}  // namespace smb3
