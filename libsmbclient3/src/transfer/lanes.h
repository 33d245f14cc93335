// Moves a file: many chunks in flight, each pulled by a lane that takes the next when it is done.
#pragma once

#include "transfer/chunk_cursor.h"
#include "transfer/interruption.h"
#include "transfer/sink.h"
#include "transfer/source.h"

#include <smbclient3/copy.h>

namespace smb3 {

struct LanesOptions {
  std::uint64_t size = ChunkCursor::unknown_size;
  std::uint32_t chunk_bytes = 0;
  std::size_t lanes = 0;
  CopyProgress* progress = nullptr;
};

// Ends when all lanes have; yields the bytes moved. With a known size fewer bytes than that are an
// error: the source has become shorter.
Task<std::uint64_t> run_lanes(Source& source, Sink& sink, const Interruption& interruption,
                              LanesOptions options);

}  // namespace smb3
