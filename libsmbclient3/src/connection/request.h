// An outstanding request and the frame that carries it: [MS-SMB2] 3.2.1.7.
#pragma once

#include "base/byte_buffer.h"
#include "base/nt_status.h"
#include "connection/frame_buffer.h"
#include "reactor/buffer_pool.h"
#include "wire/codec.h"
#include "wire/packet_header.h"

#include <array>
#include <coroutine>
#include <optional>
#include <span>

namespace smb3 {

class Protection;

// How a request goes out, and how its reply must come in.
enum class ProtectionLevel : std::uint8_t { plain, sign, seal };

// What is done with a request whose answer was lost with its channel, while others are left:
// [MS-SMB2] 3.2.7.1 and 3.2.4.1. `marked`: sent again with SMB2_FLAGS_REPLAY_OPERATION.
enum class Repetition : std::uint8_t { never, plain, marked };

// The peer's answer to one request. The views hold as long as `buffer` does.
struct Reply {
  wire::PacketHeader header;
  NtStatus status = NtStatus::success;
  bool was_sealed = false;
  Bytes message;  // from the header to the end of this element
  FrameBuffer buffer;
};

// One request. It lives in the caller's frame from the call to the reply, at a fixed address.
struct Request {
  Request() = default;
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;

  wire::Command command{};
  std::uint16_t credit_charge = 1;
  std::uint32_t tree_id = 0;
  std::uint64_t session_id = 0;
  wire::HeaderFlags flags{};
  std::uint16_t channel_sequence = 0;  // of its session, when it is sent: [MS-SMB2] 3.2.4.1
  Protection* protection = nullptr;    // the session's keys; null before it has any
  ProtectionLevel level = ProtectionLevel::plain;
  // The final answer is signed with a key that it leads to; the caller verifies it.
  bool verified_by_caller = false;
  Repetition repetition = Repetition::never;
  bool repeated = false;  // what it asks for may have been done before

  // Room for the header, then the body; as sent once it was sent.
  ByteBuffer message;
  // Sent after `message`, from where it lies; must stay until the exchange has ended.
  Bytes payload;
  // The file where the payload lay mapped was cut off before it was sent: zeros went out.
  bool payload_lost = false;

  std::optional<Reply> reply;  // also for an error status; absent when the connection failed

  // The connection's own.
  std::uint64_t message_id = 0;
  std::uint64_t async_id = 0;
  bool interim_seen = false;
  bool in_table = false;
  class Exchange* exchange = nullptr;

  // Starts a message: the header's room, then `body`.
  template <wire::Message M>
  void set(const M& body) {
    command = M::command;
    message.clear();
    message.extend(wire::header_bytes);
    payload = {};
    wire::encode(body, message, {.payload = &payload});
  }

  NtStatus status() const noexcept { return reply->status; }
};

// What one frame carries: a request, or a compound of related ones ([MS-SMB2] 3.2.4.1.4). It ends
// when every member has its reply and the frame has left, or when the connection fails.
class Exchange {
 public:
  static constexpr std::size_t requests_max = 4;

  Exchange() = default;
  explicit Exchange(Request& only) { add(only); }
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  void add(Request& request) {
    assert(count_ < requests_max);
    requests_[count_++] = &request;
    request.exchange = this;
  }

  std::span<Request* const> requests() const noexcept { return {requests_.data(), count_}; }

  // Taken before the call when a reply may be larger than a small frame.
  Reservation reservation;
  // Why there are no (or not all) replies.
  std::optional<Error> failure;
  // It was not sent: the server grants fewer credits than it takes. Ask for less.
  bool starved = false;

 private:
  friend class Connection;

  std::uint32_t charge() const noexcept {
    std::uint32_t sum = 0;
    for (const Request* request : requests()) sum += request->credit_charge;
    return sum;
  }
  bool sealed() const noexcept { return requests_[0]->level == ProtectionLevel::seal; }
  // With the padding of a compound's members; at most that of the last one too many.
  std::size_t frame_bytes_max() const noexcept {
    std::size_t sum = 0;
    for (const Request* request : requests()) {
      sum += align_up(request->message.size() + request->payload.size(), 8);
    }
    return sum;
  }

  std::array<Request*, requests_max> requests_{};
  std::size_t count_ = 0;
  std::size_t unanswered_ = 0;
  bool sending_ = false;
  std::array<std::byte, 4> length_prefix_{};
  std::coroutine_handle<> waiter_{};
  Exchange* next_ = nullptr;  // in the send queue
};

}  // namespace smb3
