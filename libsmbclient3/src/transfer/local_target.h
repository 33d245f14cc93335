// A local file that is being written: under a temporary name until it is whole, or in place.
#pragma once

#include "reactor/local_file.h"
#include "transfer/local_place.h"
#include "transfer/sink.h"

#include <smbclient3/copy.h>

#include <memory>
#include <string>

namespace smb3 {

class LocalTarget {
 public:
  // `to` may be a symbolic link (resolved first, but not beneath a root), a device, fifo or socket
  // (written in place), or an open descriptor (written at its position, in order). `size`: what
  // will be written, as far as it is known.
  static Task<LocalTarget> open(Reactor& reactor, Local to, CopyOptions options,
                                std::uint64_t size);

  // Where the chunks go; lives as long as the target.
  Sink& sink() noexcept { return *sink_; }
  bool is_regular() const noexcept { return is_regular_; }

  // Checks the size, sets the times, gives the file its name and closes it.
  Task<void> finish(std::uint64_t size, BasicInformation information);
  // After a failure: removes the temporary, and adds its name to the failure if that does not work.
  Task<void> discard(Error& failure);

 private:
  LocalTarget() = default;
  Task<void> open_special(Reactor& reactor, int flags);
  Task<void> open_regular(Reactor& reactor, std::optional<mode_t> old_mode);
  Task<void> prepare_large(Reactor& reactor);
  Result<void> set_information(const BasicInformation& information);

  Reactor* reactor_ = nullptr;
  std::string path_;       // the final name
  LocalPlace place_;       // where that is
  std::string temporary_;  // beside it; empty: in place
  CopyOptions options_;
  std::uint64_t size_ = 0;
  bool is_regular_ = false;
  std::unique_ptr<LocalFile> file_;    // at a fixed address, for the sink
  std::unique_ptr<LocalFile> direct_;  // the same file around the page cache, or null
  std::unique_ptr<Sink> sink_;
};

// Times of the two worlds: FILETIME's 0 means "leave alone".
timespec to_timespec(FileTime time);
FileTime to_file_time(std::int64_t seconds, std::uint32_t nanoseconds);

}  // namespace smb3
