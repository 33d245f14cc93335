// Leases: [MS-SMB2] 3.3.1.12, and who caches what of a file.
#pragma once

#include "support/server/open.h"

#include <chrono>

namespace smb3::server {

// How long a break waits for its acknowledgment ([MS-SMB2] 3.3.2.1, 3.3.2.5), as Windows does.
inline constexpr Duration break_timeout = std::chrono::seconds(35);
inline constexpr Duration persistent_break_timeout = std::chrono::seconds(60);

struct Lease {
  explicit Lease(Reactor& reactor) noexcept : timer(reactor) {}

  wire::Guid client_guid{};
  wire::Guid key{};
  std::optional<wire::Guid> parent_key{};
  std::uint8_t version = 1;
  std::u16string path;
  wire::LeaseState state = wire::LeaseState::none;
  bool breaking = false;
  wire::LeaseState break_to = wire::LeaseState::none;
  wire::LeaseState break_next = wire::LeaseState::none;  // has to go too, after this break
  bool break_goes_on = false;  // this break follows another one that was waited for
  std::uint16_t epoch = 0;
  bool file_delete_on_close = false;
  bool notification_unsent = false;
  std::vector<Open*> opens{};
  OpenTable* table = nullptr;
  Timer timer;  // of a break
};

// Whose caching an operation leaves alone: its own.
struct OplockKey {
  const Open* open = nullptr;
  wire::Guid client_guid{};
  std::optional<wire::Guid> lease_key{};
};
OplockKey key_of(const Open& open);
// [MS-FSA] 2.1.4.12: an open for nothing but attributes. It leaves others their caching.
constexpr bool only_looks(wire::AccessMask access) {
  using enum wire::AccessMask;
  constexpr auto harmless = read_attributes | write_attributes | read_control | synchronize;
  return (access & ~harmless) == none;
}

// Starts the breaks that are needed. True: the operation has to wait for one, then ask again.
enum class BreakScope : std::uint8_t {
  all,
  batch_oplocks,  // these go before sharing modes are looked at
  oplocks         // leases are left alone by more: an open for READ_CONTROL
};
bool start_breaks(OpenTable& table, const Node& node, const OplockKey& key, BreakCause cause,
                  BreakScope scope = BreakScope::all);

// What is granted at the end of a CREATE: sets the open's oplock or lease.
void grant_oplock(Open& open, wire::OplockLevel requested);
void grant_lease(Open& open, const wire::LeaseV2& requested, std::uint8_t version);
// The break's end, by acknowledgment or by time.
void end_break(Lease& lease, wire::LeaseState state);
void end_break(Open& open, wire::OplockLevel level);
// After a reclaim: a notification that could not be sent before.
void resend_break(Lease& lease);

}  // namespace smb3::server
