// Nonces for sealing that never repeat under one key.
#include "crypto/nonce.h"

namespace smb3 {

Result<Nonce> NonceRange::next() {
  if (counter_ >= counters) {
    return std::unexpected(
        Error(ErrorKind::security, "this channel has used all its nonces for encryption")
            .advise("connect again: a new session has new keys"));
  }
  Nonce nonce{};
  store_le(nonce.data(), std::uint64_t{number_} << 48 | counter_++);
  return nonce;
}

Result<NonceRange> NonceSource::next_range() {
  // 64 bits do not wrap, so that no range comes back after the last one.
  const std::uint64_t number = next_number_.fetch_add(1, std::memory_order_relaxed);
  if (number >= ranges) {
    return std::unexpected(
        Error(ErrorKind::security, "the session has no more nonces for another channel")
            .advise("connect again: a new session has new keys"));
  }
  return NonceRange(static_cast<std::uint16_t>(number));
}

}  // namespace smb3
