#include "transfer/sink.h"

#include "base/limits.h"

#include <cerrno>

namespace smb3 {

Task<void> RemoteSink::write(const Piece& piece, std::uint64_t offset) {
  co_await open_.write(offset, piece.data, write_through_);
}

namespace {

bool is_aligned(const Piece& piece, std::uint64_t offset) {
  const auto address = reinterpret_cast<std::uintptr_t>(piece.data.data());
  return (address | offset | piece.data.size()) % limits::direct_alignment_bytes == 0;
}

}  // namespace

Task<void> LocalSink::write(const Piece& piece, std::uint64_t offset) {
  if (direct_ && is_aligned(piece, offset)) {
    auto written = co_await attempt(direct_->write_all_at(piece.data, offset, piece.index));
    if (written) co_return;
    // A file system that wants other alignments says EINVAL; the page cache takes anything.
    if (written.error().system_errno() != EINVAL) co_await std::move(written).error();
    direct_ = nullptr;
  }
  co_await file_.write_all_at(piece.data, offset, piece.index);
}

Task<void> LocalStreamSink::write(const Piece& piece, std::uint64_t offset) {
  const bool my_turn = co_await turns_.turn_of(offset);
  if (!my_turn) co_await Error(ErrorKind::cancelled, "an earlier part of the file failed");
  co_await file_.write_all_at(piece.data, current_position, piece.index);
  turns_.pass_to(offset + piece.data.size());
}

}  // namespace smb3
