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

bool others_have_it_open(const OpenFile& file, const Open& open) {
  const OplockKey key = key_of(open);
  return std::ranges::any_of(file.opens, [&](const auto& other) {
    return other.get() != &open && !same_key(key, *other);
  });
}

bool others_have_locks(const OpenFile& file, const Open& open) {
  return std::ranges::any_of(file.locks,
                             [&open](const ByteRangeLock& lock) { return lock.owner != &open; });
}

// The most of what is asked for that the file's other opens allow.
LeaseState grantable(const OpenFile& file, const Open& open, LeaseState asked) {
  if (open.is_directory || !is_grantable(asked) || others_have_locks(file, open)) {
    return LeaseState::none;
  }
  if (has(asked, write_caching) && others_have_it_open(file, open)) asked &= ~write_caching;
  return asked;
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
  OplockLevel level = requested;
  if (!file || open.is_directory || others_have_locks(*file, open)) level = OplockLevel::none;
  if ((level == OplockLevel::batch || level == OplockLevel::exclusive) &&
      others_have_it_open(*file, open)) {
    level = OplockLevel::level_ii;
  }
  if (level != OplockLevel::level_ii && level != OplockLevel::exclusive &&
      level != OplockLevel::batch) {
    level = OplockLevel::none;
  }
  open.oplock_level = level;
  open.oplock_state = level == OplockLevel::none ? OplockState::none : OplockState::held;
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
  lease.state = state;
  if (lease.version == 2) ++lease.epoch;
}

}  // namespace smb3::server
