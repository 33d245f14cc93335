// Where the bytes of a copy come from.
#pragma once

#include "reactor/local_file.h"
#include "session/open.h"
#include "transfer/piece.h"
#include "transfer/turnstile.h"

namespace smb3 {

class Source {
 public:
  virtual ~Source() = default;
  // At most `length` bytes from `offset` on; an empty piece at the end.
  virtual Task<Piece> read(std::uint64_t offset, std::uint32_t length) = 0;
  // Wakes whoever waits for a turn that will not come.
  virtual void stop() {}
};

class RemoteSource final : public Source {
 public:
  explicit RemoteSource(Open& open) : open_(open) {}
  Task<Piece> read(std::uint64_t offset, std::uint32_t length) override;

 private:
  Open& open_;
};

class LocalSource final : public Source {
 public:
  LocalSource(LocalFile& file, BufferPool& pool) : file_(file), pool_(pool) {}
  Task<Piece> read(std::uint64_t offset, std::uint32_t length) override;

 private:
  LocalFile& file_;
  BufferPool& pool_;
};

// A regular file whose bytes go to the network as they lie in the page cache, without a copy. Only
// for connections that neither sign nor seal: what is signed must not change before it is sent.
class MappedSource final : public Source {
 public:
  MappedSource(LocalFile& file, BufferPool& pool) : file_(file), otherwise_(file, pool) {}
  Task<Piece> read(std::uint64_t offset, std::uint32_t length) override;

 private:
  LocalFile& file_;
  LocalSource otherwise_;  // where a file system cannot map
};

// A pipe or a device: read in order, whatever the order of the lanes.
class LocalStreamSource final : public Source {
 public:
  LocalStreamSource(LocalFile& file, BufferPool& pool, Reactor& reactor)
      : file_(file), pool_(pool), turns_(reactor) {}
  Task<Piece> read(std::uint64_t offset, std::uint32_t length) override;
  void stop() override { turns_.end(); }

 private:
  LocalFile& file_;
  BufferPool& pool_;
  Turnstile turns_;
};

}  // namespace smb3
