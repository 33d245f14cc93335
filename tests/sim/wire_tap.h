// Reads along what the client sends, and remembers what must never come twice.
#pragma once

#include "sim/network.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace smb3::sim {

class WireTap final : public Tap {
 public:
  void sent(std::uint32_t connection, int side, Bytes bytes) override;

  const std::vector<std::string>& violations() const noexcept { return violations_; }
  std::uint64_t frames() const noexcept { return frames_; }
  std::uint64_t sealed_frames() const noexcept { return sealed_frames_; }

 private:
  // Of a long frame only the beginning is kept: its rest is payload.
  struct Stream {
    std::vector<std::byte> head;
    std::uint64_t missing = 0;  // of the frame that is on its way
    std::uint64_t next_message_id = 0;
  };

  void frame(std::uint32_t connection, Stream& stream);
  void sealed(std::uint32_t connection, Bytes frame);
  void element(std::uint32_t connection, Stream& stream, Bytes element);
  void wrong(std::uint32_t connection, const std::string& what);

  std::map<std::uint32_t, Stream> streams_;
  using Nonce = std::pair<std::uint64_t, std::vector<std::byte>>;
  std::set<Nonce> nonces_;  // with the SessionId, which stands for the key
  std::set<std::pair<std::uint64_t, std::uint64_t>> signed_cancels_;
  std::vector<std::string> violations_;
  std::uint64_t frames_ = 0, sealed_frames_ = 0;
};

}  // namespace smb3::sim
