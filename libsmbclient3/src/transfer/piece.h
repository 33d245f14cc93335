// The bytes of one chunk on their way from a source to a sink, and the buffer that holds them.
#pragma once

#include "base/bytes.h"
#include "connection/frame_buffer.h"
#include "reactor/buffer_pool.h"
#include "reactor/local_file.h"

#include <optional>

namespace smb3 {

// Members are destroyed last to first: the buffers go back before what reserved them does.
struct Piece {
  Reservation reservation;
  FrameBuffer frame;             // as received, or
  std::optional<Buffer> buffer;  // as read from a local file, or
  MappedPart mapped;             // as it lies in the page cache
  Bytes data;
  std::int16_t index = -1;  // of the registered memory
};

}  // namespace smb3
