// Breaks of oplocks and leases: [MS-SMB2] 3.3.4.6, 3.3.4.7, 3.3.6.1, 3.3.6.5.
#include "support/server/lease.h"
#include "support/server/session.h"
#include "wire/oplock_break.h"

#include <algorithm>

namespace smb3::server {
namespace {

using wire::LeaseState;
using wire::OplockLevel;

constexpr LeaseState read_caching = LeaseState::read_caching;
constexpr LeaseState handle_caching = LeaseState::handle_caching;
constexpr LeaseState write_caching = LeaseState::write_caching;

// What of a lease has to go.
LeaseState lost_by(LeaseState state, BreakCause cause) {
  switch (cause) {
    case BreakCause::open: return state & write_caching;
    case BreakCause::sharing: return state & handle_caching;
    case BreakCause::overwrite:
    case BreakCause::write: break;
  }
  return state;  // without READ there is nothing else
}

// READ and HANDLE caching may end later than what makes them wrong; WRITE caching may not.
bool has_to_wait(LeaseState state, BreakCause cause) {
  return cause == BreakCause::sharing || has(state, write_caching);
}

OplockLevel level_after(OplockLevel level, BreakCause cause) {
  if (level == OplockLevel::level_ii) {
    return cause == BreakCause::overwrite || cause == BreakCause::write ? OplockLevel::none : level;
  }
  if (cause == BreakCause::open) return OplockLevel::level_ii;
  if (cause == BreakCause::sharing && level == OplockLevel::exclusive) return level;
  return OplockLevel::none;
}

bool send(OpenTable& table, const Open& open, const auto& message) {
  const auto session = open.session.lock();
  return session && table.notify(*session, Answer::of(message));
}

bool send_break(Lease& lease) {
  wire::LeaseBreakNotification message;
  message.new_epoch = lease.version == 2 ? lease.epoch : std::uint16_t{0};
  message.lease_key = lease.key;
  message.current_lease_state = lease.state;
  message.new_lease_state = lease.break_to;
  if (lease.state != read_caching) message.flags = wire::LeaseBreakFlags::ack_required;
  return std::ranges::any_of(lease.opens,
                             [&](const Open* open) { return send(*lease.table, *open, message); });
}

void set_oplock_states(Lease& lease, OplockState state) {
  for (Open* open : lease.opens) open->oplock_state = state;
}

bool is_persistent(const Lease& lease) {
  return std::ranges::any_of(lease.opens, [](const Open* open) { return open->is_persistent; });
}

void start_timer(Lease& lease) {
  const Open& open = *lease.opens.front();
  lease.timer.set(
      open.reactor->now() + (open.is_persistent ? persistent_break_timeout : break_timeout),
      [](void* context) { end_break(*static_cast<Lease*>(context), LeaseState::none); }, &lease);
}

void close_all(const std::vector<Open*>& opens) {
  std::vector<std::shared_ptr<Open>> doomed;
  for (Open* open : opens) doomed.push_back(open->shared_from_this());
  for (const auto& open : doomed) {
    if (open->table) open->table->close(*open);
  }
}

// True: it waits for an acknowledgment.
bool start_break(Lease& lease, LeaseState to) {
  lease.break_to = to;
  if (lease.version == 2) ++lease.epoch;
  const bool sent = send_break(lease);
  if (lease.state == read_caching) {
    lease.state = to;
    return false;
  }
  if (!sent && !is_persistent(lease)) {
    // Its client is gone: nobody holds on to what it has cached.
    close_all(lease.opens);
    return false;
  }
  lease.breaking = true;
  lease.notification_unsent = !sent;
  set_oplock_states(lease, OplockState::breaking);
  start_timer(lease);
  return true;
}

bool start_break(Open& open, OplockLevel to) {
  wire::OplockBreakNotification message;
  message.oplock_level = to;
  message.file_id = open.id;
  const bool sent = send(*open.table, open, message);
  if (open.oplock_level == OplockLevel::level_ii) {
    open.oplock_level = to;
    open.oplock_state = OplockState::none;
    return false;
  }
  if (!sent) {
    open.table->close(open);
    return false;
  }
  open.oplock_state = OplockState::breaking;
  open.oplock_break_to = to;
  open.oplock_timer = std::make_unique<Timer>(*open.reactor);
  open.oplock_timer->set(
      open.reactor->now() + (open.is_persistent ? persistent_break_timeout : break_timeout),
      [](void* context) { end_break(*static_cast<Open*>(context), OplockLevel::none); }, &open);
  return true;
}

bool break_lease(Lease& lease, BreakCause cause) {
  // [MS-FSA] 2.1.5.19: who waited for the first of two breaks waits for the second.
  if (lease.breaking && lease.break_goes_on) return true;
  const LeaseState lost = lost_by(lease.state, cause);
  if (lost == LeaseState::none) return false;
  const bool waits = has_to_wait(lease.state, cause);
  if (lease.breaking) {
    lease.break_next |= lost;
    return waits;
  }
  return start_break(lease, lease.state & ~lost) && waits;
}

// [MS-FSA] 2.1.4.12: a write ends each level II oplock, the writer's too.
bool loses_own(const Open& open, BreakCause cause) {
  return cause == BreakCause::write && open.oplock_level == OplockLevel::level_ii;
}

bool break_oplock(Open& open, BreakCause cause) {
  const OplockLevel to = level_after(open.oplock_level, cause);
  if (to == open.oplock_level) return false;
  if (open.oplock_state == OplockState::breaking) return true;
  return start_break(open, to);
}

}  // namespace

bool start_breaks(OpenTable& table, const Node& node, const OplockKey& key, BreakCause cause,
                  BreakScope scope) {
  const OpenFile* const file = table.file(node);
  if (!file) return false;
  const auto opens = file->opens;
  bool waits = false;
  std::vector<const Lease*> seen;
  for (const auto& open : opens) {
    if (open->is_closed) continue;
    if (open->lease) {
      const std::shared_ptr<Lease> lease = open->lease;
      const bool own = key.lease_key == lease->key && key.client_guid == lease->client_guid;
      const bool done = std::ranges::find(seen, lease.get()) != seen.end();
      if (scope != BreakScope::all || own || done) continue;
      seen.push_back(lease.get());
      waits |= break_lease(*lease, cause);
    } else if ((open.get() != key.open || loses_own(*open, cause)) &&
               open->oplock_level != OplockLevel::none &&
               (scope != BreakScope::batch_oplocks || open->oplock_level == OplockLevel::batch)) {
      waits |= break_oplock(*open, cause);
    }
  }
  return waits;
}

void end_break(Lease& lease, LeaseState state) {
  lease.timer.clear();
  lease.breaking = false;
  lease.break_goes_on = false;
  lease.notification_unsent = false;
  lease.state = state;
  set_oplock_states(lease, OplockState::held);
  if (lease.opens.empty()) return;
  const std::shared_ptr<Node> node = lease.opens.front()->node;
  OpenTable& table = *lease.table;
  const LeaseState next = std::exchange(lease.break_next, LeaseState::none) & state;
  if (next != LeaseState::none) {
    // READ goes with all the rest.
    lease.break_goes_on =
        start_break(lease, has(next, read_caching) ? LeaseState::none : state & ~next);
  }
  table.wake(*node);
}

void end_break(Open& open, OplockLevel level) {
  if (open.oplock_timer) open.oplock_timer->clear();
  open.oplock_level = level;
  open.oplock_state = level == OplockLevel::none ? OplockState::none : OplockState::held;
  if (open.table) open.table->wake(*open.node);
}

void resend_break(Lease& lease) {
  if (!lease.breaking || !lease.notification_unsent || !send_break(lease)) return;
  lease.notification_unsent = false;
  start_timer(lease);
}

Task<NtStatus> break_oplocks(Request& request, Open& open, BreakCause cause) {
  const std::shared_ptr<Open> keep = open.shared_from_this();
  const std::shared_ptr<Node> node = open.node;
  while (keep->table && start_breaks(*keep->table, *node, key_of(*keep), cause)) {
    co_await wait_for_change(request, *keep->table, node);
    if (request.is_cancelled) co_return NtStatus::cancelled;
  }
  co_return keep->is_closed ? NtStatus::file_closed : NtStatus::success;
}

}  // namespace smb3::server
