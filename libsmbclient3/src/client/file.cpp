#include <smbclient3/file.h>

#include "client/handles.h"

#include <cstring>

namespace smb3 {
namespace {

Task<void> close_abandoned(std::shared_ptr<File::Impl> file) {
  auto closed = co_await attempt(file->open->close());
  static_cast<void>(closed);  // nobody asks
}

}  // namespace

File::File(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
File::File(File&&) noexcept = default;

File& File::operator=(File&& other) noexcept {
  std::swap(impl_, other.impl_);
  return *this;
}

File::~File() {
  if (!impl_ || impl_->open->is_closed() || impl_->share->closed) return;
  Engine& engine = impl_->share->node->engine();
  if (engine.is_shut_down()) return;
  std::shared_ptr<Impl> abandoned = std::move(impl_);
  engine.reactor().post(
      [&engine, abandoned] { engine.background().start(close_abandoned(abandoned)); });
}

const FileStatus& File::status_at_open() const noexcept { return impl_->open->status_at_open(); }

// The caller's memory is not ours to receive into: a frame may be sealed or hold more than data, so
// the bytes are copied once.
Task<std::size_t> File::read_at(std::uint64_t offset_bytes, std::span<std::byte> into) {
  BufferPool& pool = impl_->open->connection().pool();
  std::size_t count = 0;
  while (count < into.size()) {
    Reservation reservation = co_await pool.reserve();
    const auto wanted =
        static_cast<std::uint32_t>(std::min<std::size_t>(into.size() - count, limits::chunk_bytes));
    ReadResult result = co_await impl_->open->read(offset_bytes + count, wanted);
    if (result.data.empty()) break;
    std::memcpy(into.data() + count, result.data.data(), result.data.size());
    count += result.data.size();
  }
  co_return count;
}

Task<void> File::write_at(std::uint64_t offset_bytes, std::span<const std::byte> from) {
  co_await impl_->open->write(offset_bytes, from, impl_->write_through);
}

Task<void> File::flush() { co_await impl_->open->flush(); }
Task<FileStatus> File::status() { co_return co_await impl_->open->status(); }

Task<void> File::set_size(std::uint64_t size_bytes) {
  co_await impl_->open->set_end_of_file(size_bytes);
}

Task<void> File::set_information(BasicInformation information) {
  co_await impl_->open->set_basic(information);
}

Task<void> File::close() {
  auto closed = co_await attempt(impl_->open->close());
  if (!closed) co_await std::move(closed).error();
}

}  // namespace smb3
