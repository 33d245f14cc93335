#include "support/server/file_contents.h"

#include <algorithm>

namespace smb3::server {

namespace {

constexpr std::uint64_t piece_bytes = 1_MiB;
constexpr std::uint64_t cluster_bytes = 4_KiB;

struct Part {
  std::uint64_t index;
  std::size_t at;  // in the piece
  std::size_t length;
};

// The first part of a range that lies within one piece.
Part first_part(std::uint64_t offset, std::uint64_t length) {
  const std::uint64_t at = offset % piece_bytes;
  const std::uint64_t part = std::min(length, piece_bytes - at);
  return {offset / piece_bytes, static_cast<std::size_t>(at), static_cast<std::size_t>(part)};
}

std::uint64_t clusters(std::size_t bytes) { return align_up(bytes, cluster_bytes); }

}  // namespace

std::size_t FileContents::read(std::uint64_t offset, MutableBytes into) const {
  if (offset >= size_bytes_) return 0;
  const std::uint64_t length = std::min<std::uint64_t>(into.size(), size_bytes_ - offset);
  for (std::uint64_t done = 0; done < length;) {
    const Part part = first_part(offset + done, length - done);
    std::byte* const to = into.data() + done;
    const auto found = pieces_.find(part.index);
    const std::size_t there = found == pieces_.end() ? 0 : found->second->size();
    const std::size_t known = part.at < there ? std::min(part.length, there - part.at) : 0;
    if (known) std::copy_n(found->second->data() + part.at, known, to);
    std::fill_n(to + known, part.length - known, std::byte{0});
    done += part.length;
  }
  return static_cast<std::size_t>(length);
}

ContentView FileContents::view(std::uint64_t offset, std::size_t length) const {
  if (offset >= size_bytes_) return {};
  const std::uint64_t wanted = std::min<std::uint64_t>(length, size_bytes_ - offset);
  const Part part = first_part(offset, wanted);
  const auto found = pieces_.find(part.index);
  if (part.length != wanted || found == pieces_.end()) return {};
  const Piece& piece = *found->second;
  if (part.at > piece.size() || part.length > piece.size() - part.at) return {};
  return {Bytes(piece).subspan(part.at, part.length), found->second};
}

StatusOr<> FileContents::write(std::uint64_t offset, Bytes data) {
  std::uint64_t growth = 0;
  for (std::uint64_t done = 0; done < data.size();) {
    const Part part = first_part(offset + done, data.size() - done);
    const auto found = pieces_.find(part.index);
    const std::uint64_t before = found == pieces_.end() ? 0 : clusters(found->second->size());
    const std::uint64_t after = clusters(part.at + part.length);
    if (after > before) growth += after - before;
    done += part.length;
  }
  if (growth > quota_.free_bytes()) return refuse(NtStatus::disk_full);
  for (std::uint64_t done = 0; done < data.size();) {
    const Part part = first_part(offset + done, data.size() - done);
    const Bytes from = data.subspan(static_cast<std::size_t>(done), part.length);
    Piece& piece = writable(part.index);
    const std::size_t before = piece.size();
    const std::size_t over =
        part.at < before ? std::min(before - part.at, part.length) : std::size_t{0};
    if (part.at > before) piece.resize(part.at);
    std::copy_n(from.data(), over, piece.data() + part.at);
    piece.insert(piece.end(), from.begin() + static_cast<std::ptrdiff_t>(over), from.end());
    account(before, piece.size());
    done += part.length;
  }
  size_bytes_ = std::max(size_bytes_, offset + data.size());
  return {};
}

void FileContents::set_size(std::uint64_t size_bytes) {
  if (size_bytes < size_bytes_) {
    const Part last = first_part(size_bytes, 0);
    auto behind = pieces_.lower_bound(last.index);
    if (behind != pieces_.end() && behind->first == last.index && last.at > 0) {
      const std::size_t before = behind->second->size();
      Piece& piece = writable(last.index);
      piece.resize(std::min(before, last.at));
      account(before, piece.size());
      ++behind;
    }
    for (auto at = behind; at != pieces_.end(); ++at) account(at->second->size(), 0);
    pieces_.erase(behind, pieces_.end());
  }
  size_bytes_ = size_bytes;
}

FileContents::Piece& FileContents::writable(std::uint64_t index) {
  std::shared_ptr<Piece>& piece = pieces_[index];
  if (!piece) {
    piece = std::make_shared<Piece>();
  } else if (piece.use_count() > 1) {
    piece = std::make_shared<Piece>(*piece);
  }
  return *piece;
}

void FileContents::account(std::size_t before, std::size_t after) noexcept {
  const std::uint64_t freed = clusters(before);
  const std::uint64_t taken = clusters(after);
  allocated_bytes_ += taken - freed;
  quota_.used_bytes += taken - freed;
}

}  // namespace smb3::server
