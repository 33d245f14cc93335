#include "transfer/sink.h"

namespace smb3 {

Task<void> RemoteSink::write(const Piece& piece, std::uint64_t offset) {
  co_await open_.write(offset, piece.data, write_through_);
}

Task<void> LocalSink::write(const Piece& piece, std::uint64_t offset) {
  co_await file_.write_all_at(piece.data, offset, piece.index);
}

Task<void> LocalStreamSink::write(const Piece& piece, std::uint64_t offset) {
  const bool my_turn = co_await turns_.turn_of(offset);
  if (!my_turn) co_await Error(ErrorKind::cancelled, "an earlier part of the file failed");
  co_await file_.write_all_at(piece.data, current_position, piece.index);
  turns_.pass_to(offset + piece.data.size());
}

}  // namespace smb3
