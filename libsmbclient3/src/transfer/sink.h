// Where the bytes of a copy go.
#pragma once

#include "reactor/local_file.h"
#include "session/open.h"
#include "transfer/piece.h"
#include "transfer/turnstile.h"

namespace smb3 {

class Sink {
 public:
  virtual ~Sink() = default;
  // Writes the whole piece. The data stays where it is until then.
  virtual Task<void> write(const Piece& piece, std::uint64_t offset) = 0;
  virtual void stop() {}
};

class RemoteSink final : public Sink {
 public:
  RemoteSink(Open& open, bool write_through) : open_(open), write_through_(write_through) {}
  Task<void> write(const Piece& piece, std::uint64_t offset) override;

 private:
  Open& open_;
  bool write_through_;
};

class LocalSink final : public Sink {
 public:
  // `direct`: the same file, opened around the page cache; null if it is not.
  LocalSink(LocalFile& file, LocalFile* direct) : file_(file), direct_(direct) {}
  Task<void> write(const Piece& piece, std::uint64_t offset) override;

 private:
  LocalFile& file_;
  LocalFile* direct_;
};

// A pipe, a terminal, or a file that somebody else opened: written in order at its own position.
class LocalStreamSink final : public Sink {
 public:
  LocalStreamSink(LocalFile& file, Reactor& reactor) : file_(file), turns_(reactor) {}
  Task<void> write(const Piece& piece, std::uint64_t offset) override;
  void stop() override { turns_.end(); }

 private:
  LocalFile& file_;
  Turnstile turns_;
};

}  // namespace smb3
