// Who may cache what: what is granted, and when it ends ([MS-FSA] 2.1.4.12, 2.1.5.18).
#include "support/server/lease.h"

#include "support/server/session.h"

#include <algorithm>

namespace smb3::server {
namespace {

using wire::LeaseState;
using wire::OplockLevel;

constexpr LeaseState read_caching = LeaseState::read_caching;
constexpr LeaseState handle_caching = LeaseState::handle_caching;
constexpr LeaseState write_caching = LeaseState::write_caching;

bool is_grantable(LeaseState state) {
  return state == LeaseState::none || (has(state, read_caching) && state <= LeaseState{7});
}

bool same_key(const OplockKey& key, const Open& open) {
  if (open.lease) {
    return key.lease_key == open.lease->key && key.client_guid == open.lease->client_guid;
  }
  return key.open == &open;
}

// What those with other keys have of the file: [MS-FSA] 2.1.5.18.1, 2.1.5.18.2.
struct Others {
  bool open = false;       // for more than a look, or with caching of its own
  bool exclusive = false;  // an exclusive or batch oplock, or WRITE caching
  bool handles = false;    // HANDLE caching
  bool level_ii = false;
  bool locks = false;
};

Others others_of(const OpenFile& file, const Open& open) {
  Others others;
  const OplockKey key = key_of(open);
  for (const auto& other : file.opens) {
    if (other.get() == &open || same_key(key, *other)) continue;
    others.open |= !only_looks(other->access) || other->oplock_level != OplockLevel::none;
    const LeaseState state = other->lease ? other->lease->state : LeaseState::none;
    const OplockLevel level = other->oplock_level;
    others.exclusive |=
        has(state, write_caching) || level == OplockLevel::batch || level == OplockLevel::exclusive;
    others.handles |= has(state, handle_caching);
    others.level_ii |= level == OplockLevel::level_ii;
  }
  others.locks = std::ranges::any_of(
      file.locks, [&open](const ByteRangeLock& lock) { return lock.owner != &open; });
  return others;
}

// The most of what is asked for that the file's other opens allow.
LeaseState grantable(const OpenFile& file, const Open& open, LeaseState asked) {
  const Others others = others_of(file, open);
  if (!is_grantable(asked) || others.locks || others.exclusive) return LeaseState::none;
  if (others.open) asked &= ~write_caching;
  if (others.level_ii || file.delete_pending) asked &= ~handle_caching;
  if (others.level_ii) asked &= ~write_caching;
  return asked;
}

OplockLevel grantable(const OpenFile& file, const Open& open, OplockLevel asked) {
  const bool known = asked == OplockLevel::level_ii || asked == OplockLevel::exclusive ||
                     asked == OplockLevel::batch;
  const Others others = others_of(file, open);
  if (!known || open.is_directory || others.locks || others.exclusive) return OplockLevel::none;
  if (asked != OplockLevel::level_ii && !others.open && !others.level_ii) return asked;
  return others.handles ? OplockLevel::none : OplockLevel::level_ii;
}

std::shared_ptr<Lease> lease_for(Open& open, const wire::LeaseV2& asked, std::uint8_t version) {
  OpenTable& table = *open.table;
  if (auto known = table.find_lease(open.client_guid, asked.lease_key)) return known;
  auto lease = std::make_shared<Lease>(*open.reactor);
  lease->client_guid = open.client_guid;
  lease->key = asked.lease_key;
  lease->version = version;
  lease->path = open.path;
  lease->table = &table;
  if (version == 2) {
    // Windows goes on from the client's own number.
    lease->epoch = asked.epoch;
    if (has(asked.flags, wire::LeaseFlags::parent_lease_key_set)) {
      lease->parent_key = asked.parent_lease_key;
    }
  }
  table.add_lease(lease);
  return lease;
}

}  // namespace

OplockKey key_of(const Open& open) {
  OplockKey key;
  key.open = &open;
  key.client_guid = open.client_guid;
  if (open.lease) key.lease_key = open.lease->key;
  return key;
}

std::shared_ptr<Lease> OpenTable::find_lease(const wire::Guid& client,
                                             const wire::Guid& key) const {
  const auto found = std::ranges::find_if(leases_, [&](const auto& lease) {
    return lease->client_guid == client && lease->key == key;
  });
  return found == leases_.end() ? nullptr : *found;
}

void OpenTable::leave_lease(Open& open) {
  const std::shared_ptr<Lease> lease = std::exchange(open.lease, nullptr);
  if (!lease) return;
  std::erase(lease->opens, &open);
  if (!lease->opens.empty()) return;
  lease->timer.clear();
  lease->breaking = false;
  lease->state = LeaseState::none;
  lease->table = nullptr;
  std::erase(leases_, lease);
}

void grant_oplock(Open& open, OplockLevel requested) {
  const OpenFile* const file = open.table->file(*open.node);
  open.oplock_level = file ? grantable(*file, open, requested) : OplockLevel::none;
  open.oplock_state =
      open.oplock_level == OplockLevel::none ? OplockState::none : OplockState::held;
}

// [MS-SMB2] 3.3.5.9.8, 3.3.5.9.11
void grant_lease(Open& open, const wire::LeaseV2& requested, std::uint8_t version) {
  const OpenFile* const file = open.table->file(*open.node);
  if (!file || open.is_directory) return;
  open.lease = lease_for(open, requested, version);
  Lease& lease = *open.lease;
  lease.opens.push_back(&open);
  if (open.delete_on_close) lease.file_delete_on_close = true;
  open.oplock_level = OplockLevel::lease;
  open.oplock_state = lease.breaking ? OplockState::breaking : OplockState::held;
  if (lease.breaking || !has(requested.lease_state, lease.state)) return;
  const LeaseState state = grantable(*file, open, requested.lease_state);
  if (state == lease.state || !has(state, lease.state)) return;
  // Windows grants less than was asked for to a new lease only.
  if (lease.state != LeaseState::none && state != requested.lease_state) return;
  lease.state = state;
  if (lease.version == 2) ++lease.epoch;
}

}  // namespace smb3::server
