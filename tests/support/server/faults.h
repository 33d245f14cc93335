// Faults on demand: rules that name a moment and what shall go wrong then.
#pragma once

#include "base/bytes.h"
#include "base/nt_status.h"
#include "wire/command.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace smb3::server {

// What goes wrong. Several may strike one request.
enum class FaultKind : std::uint8_t {
  status,            // answered with `status`, and not carried out
  status_after,      // carried out, then answered with `status`
  delay,             // carried out and answered `delay` later
  pending,           // STATUS_PENDING at once, the final answer `delay` later
  pending_for_ever,  // STATUS_PENDING at once, and nothing after it (until a CANCEL)
  drop,              // carried out, never answered
  ignore,            // neither carried out nor answered
  silence,           // from now on this connection reads nothing and sends nothing
  close,             // the connection ends (FIN), instead of the answer
  reset,             // the connection ends (RST), instead of the answer
  close_within,      // FIN after `value` bytes of the answer
  reset_within,      // RST after `value` bytes of the answer
  shorten,           // READ: `value` bytes fewer than asked; WRITE: takes `value` bytes fewer
  lose_write,        // WRITE is answered with success and thrown away
  damage,            // one bit of the payload of a READ answer is turned (before it is protected)
  wrong_signature,   // the answer's signature is damaged
  unsigned_answer,   // sent without a signature where there should be one
  plain_answer,      // sent in the clear where it should be sealed
  wrong_tag,         // the AEAD tag is damaged
  replay_answer,     // the same bytes once more, right after
  set_header,        // `field` of the answer's header becomes `value`: credits, flags, message_id,
                     // session_id, tree_id, async_id, command, next_command, status, ...
  set_field,       // the `index`-th offset, length or count field of the answer's body (or a named
                   // one: `field`) becomes `value`: see field_map.h
  patch,           // `value` is stored little-endian in `width` bytes at `offset` of the answer
  truncate,        // the answer ends after `value` bytes; the frame says so
  trailing_bytes,  // `value` bytes of zeros behind the answer, inside of the frame
  frame_length,    // the 4 bytes in front of the frame say `value`
  raw_frame,       // `data` is sent as a frame instead of the answer
  raw_bytes,       // `data` is sent as it is instead of the answer
  credits,         // the answer grants `value` credits
  entry_name,      // QUERY_DIRECTORY: an entry with the name `data` (UTF-16LE) is put in front
  restart_node     // all connections and sessions of the node end; persistent opens stay
};

struct Fault {
  FaultKind kind{};
  NtStatus status{};
  std::chrono::milliseconds delay{};
  std::uint64_t value = 0;
  std::uint64_t offset = 0;
  std::uint32_t width = 4;
  std::uint32_t index = 0;
  std::string field;
  std::vector<std::byte> data;
  bool may_miss = false;  // says nothing where a message has no such field
};

// When: all that is given must hold.
struct FaultRule {
  std::optional<wire::Command> command;     // none: any
  std::uint32_t first = 1;                  // the first time that strikes, counted from 1
  std::uint32_t times = 1;                  // 0: for ever
  std::uint32_t every = 1;                  // of those, each n-th
  std::optional<std::uint32_t> connection;  // its number, from 1, in the order of arrival
  std::string path;         // ends so (open's or CREATE's path, "/" between); empty: any
  std::string information;  // QUERY_INFO, SET_INFO, IOCTL: the class or code, as a number
  Fault fault;
  // Counted up by FaultScript.
  std::uint32_t seen = 0;
};

// What a request is, as far as rules look at it.
struct FaultMoment {
  wire::Command command{};
  std::uint32_t connection = 0;
  std::string path;
  std::uint32_t information = 0;
};

// A connection that ends or falls silent after so many bytes or messages, whatever they are.
struct ConnectionFault {
  enum class What : std::uint8_t { close, reset, silence } what{};
  std::optional<std::uint32_t> connection;                  // its number; none: every one
  std::optional<std::uint64_t> received_bytes, sent_bytes;  // after so many
  std::optional<std::uint64_t> received_messages;
};

// Belongs to the server's thread.
class FaultScript {
 public:
  void add(FaultRule rule) { rules_.push_back(std::move(rule)); }
  void add(ConnectionFault fault) { connections_.push_back(fault); }
  // The faults that strike this request; counts it in every rule that it fits.
  std::vector<Fault> strike(const FaultMoment& moment);
  // Those of the connection with this number.
  std::vector<ConnectionFault> of_connection(std::uint32_t number) const;
  bool empty() const noexcept { return rules_.empty() && connections_.empty(); }

 private:
  std::vector<FaultRule> rules_;
  std::vector<ConnectionFault> connections_;
};

}  // namespace smb3::server
