// Answers on their way out: with their headers, and put into frames.
#pragma once

#include "connection/protection.h"
#include "support/server/frame_memory.h"
#include "support/server/request.h"

#include <sys/uio.h>

#include <optional>

namespace smb3::server {

// What becomes of the connection behind a frame.
enum class FrameEnd : std::uint8_t { none, close, reset };

struct Outgoing {
  Answer answer{};
  wire::PacketHeader header{};
  std::shared_ptr<Protection> protection{};
  bool sign = false;
  bool seal = false;  // though the request was not sealed
  std::vector<Fault> faults{};
  std::size_t padding_bytes = 0;
  std::string path{};             // for the log
  std::uint32_t information = 0;  // of the request: see FaultMoment
};

struct OutgoingFrame {
  std::array<std::byte, 4> prefix{};
  bool has_prefix = true;
  std::vector<Outgoing> answers{};  // own what the pieces point to
  Frame sealed{};
  std::vector<std::byte> raw{};
  std::vector<iovec> pieces{};  // behind the prefix
  std::size_t bytes = 0;        // of the pieces
  FrameEnd end = FrameEnd::none;
  std::optional<std::uint64_t> cut_bytes{};  // only so many of the pieces are sent
};

}  // namespace smb3::server
