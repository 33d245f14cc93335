#include "support/server/durable.h"

#include "support/server/connection.h"
#include "support/server/lease.h"
#include "support/server/names.h"
#include "support/server/server.h"
#include "support/server/session.h"

#include <algorithm>

namespace smb3::server {
namespace {

using wire::LeaseState;
using wire::OplockLevel;

constexpr std::uint32_t persistent_handles_capability = 0x10;
// What Windows takes where the client names no time, and at most ([MS-SMB2] 3.3.5.9.6, .10).
constexpr std::uint32_t first_version_timeout_ms = 120'000;
constexpr std::uint32_t default_timeout_ms = 60'000;
constexpr std::uint32_t timeout_max_ms = 300'000;

constexpr auto not_found = NtStatus::object_name_not_found;

bool keeps_handle(const Open& open) {
  return open.oplock_level == OplockLevel::batch ||
         (open.lease && has(open.lease->state, LeaseState::handle_caching));
}

// What DHnC and DH2C check alike of the lease that comes with them.
NtStatus check_lease(const Creation& creation, const Open& open) {
  if (open.lease.operator bool() != creation.lease.has_value()) return not_found;
  if (open.is_durable && !open.is_persistent && !keeps_handle(open)) return not_found;
  if (!open.lease) return NtStatus::success;
  if (creation.lease->lease_key != open.lease->key ||
      creation.lease_version != open.lease->version) {
    return not_found;
  }
  return NtStatus::success;
}

bool names_other_file(const Creation& creation, const Open& open) {
  return open.lease && !open.lease->file_delete_on_close &&
         !same_name(open.lease->path, creation.path);
}

// [MS-SMB2] 3.3.5.9.7
NtStatus check_first_version(const Request& request, const Creation& creation, const Open& open) {
  if (open.lease && open.client_guid != request.connection.negotiated.client_guid) {
    return not_found;
  }
  if (!open.is_durable || !open.session.expired()) return not_found;
  const NtStatus lease = check_lease(creation, open);
  if (lease != NtStatus::success) return lease;
  return names_other_file(creation, open) ? NtStatus::invalid_parameter : NtStatus::success;
}

// [MS-SMB2] 3.3.5.9.12
NtStatus check_second_version(const Request& request, const Creation& creation, const Open& open) {
  const wire::DurableHandleReconnectV2& asked = *creation.durable_reconnect_v2;
  const bool persistent = has(asked.flags, wire::DurableHandleFlags::persistent);
  if (open.lease && open.client_guid != request.connection.negotiated.client_guid) {
    return not_found;
  }
  if (open.is_persistent && !persistent) return not_found;
  // A handle of the first version has none, and is asked for with none.
  if (open.create_guid.value_or(wire::Guid{}) != asked.create_guid || !open.is_durable ||
      !open.session.expired()) {
    return not_found;
  }
  if (const NtStatus lease = check_lease(creation, open); lease != NtStatus::success) return lease;
  if (names_other_file(creation, open) || (!open.is_persistent && persistent)) {
    return NtStatus::invalid_parameter;
  }
  return NtStatus::success;
}

std::shared_ptr<Open> find_reclaimed(const Request& request, const Creation& creation) {
  const OpenTable& table = *request.tree->share->opens;
  if (creation.durable_reconnect) {
    return table.find(creation.durable_reconnect->file_id.persistent);
  }
  const wire::DurableHandleReconnectV2& asked = *creation.durable_reconnect_v2;
  auto open = table.find(asked.file_id.persistent);
  if (!open && has(asked.flags, wire::DurableHandleFlags::persistent) &&
      grants_persistent(request)) {
    open = table.find_if(
        [&asked](const Open& candidate) { return candidate.create_guid == asked.create_guid; });
  }
  return open;
}

void scavenge(void* context) {
  Open& open = *static_cast<Open*>(context);
  if (open.table) open.table->close(open);
}

}  // namespace

bool grants_persistent(const Request& request) {
  const ShareSettings& share = request.tree->share->settings;
  return request.server.settings().persistent_handles && share.type == wire::ShareType::disk &&
         has(share.capabilities, wire::ShareCapabilities::continuous_availability) &&
         (request.connection.negotiated.client_capabilities & persistent_handles_capability) != 0;
}

bool survives(const Open& open) {
  if (open.is_persistent) return true;
  return open.is_durable && open.oplock_state == OplockState::held && keeps_handle(open);
}

void detach(Session& session, Open& open) {
  session.opens.erase(open.id.volatile_id);
  open.session.reset();
  open.tree_id = 0;
  // What the old connection had outstanding has ended with it.
  open.watch.reset();
  open.scavenger = std::make_unique<Timer>(*open.reactor);
  open.scavenger->set(open.reactor->now() + std::chrono::milliseconds(open.durable_timeout_ms),
                      &scavenge, &open);
}

void attach(Request& request, const std::shared_ptr<Open>& open) {
  open->scavenger.reset();
  open->reactor = &request.server.reactor();
  open->session = request.session;
  open->tree_id = request.tree->id;
  open->id.volatile_id = request.server.cluster().next_persistent_id++;
  request.session->opens[open->id.volatile_id] = open;
  request.chain.open = open;
}

StatusOr<std::shared_ptr<Open>> reclaim(Request& request, const Creation& creation) {
  const auto open = find_reclaimed(request, creation);
  if (!open) return refuse(not_found);
  const NtStatus status = creation.durable_reconnect
                              ? check_first_version(request, creation, *open)
                              : check_second_version(request, creation, *open);
  if (status != NtStatus::success) return refuse(status);
  if (open->owner != request.session->logon.user) return refuse(NtStatus::access_denied);
  attach(request, open);
  open->action = wire::CreateAction::opened;
  if (open->lease) resend_break(*open->lease);
  return open;
}

void make_durable(const Request& request, const Creation& creation, Open& open) {
  const auto& second = creation.durable_request_v2;
  if (second) {
    constexpr auto replayable = wire::AccessMask::read_data | wire::AccessMask::execute |
                                wire::AccessMask::write_data | wire::AccessMask::append_data |
                                wire::AccessMask::delete_access;
    open.create_guid = second->create_guid;
    open.is_replay_eligible =
        !open.is_directory && (open.access & replayable) != wire::AccessMask::none;
  }
  if (open.is_directory || (!second && !creation.durable_request)) return;
  const bool persistent = second && grants_persistent(request) &&
                          has(second->flags, wire::DurableHandleFlags::persistent);
  if (!persistent && !keeps_handle(open)) return;
  open.is_durable = true;
  open.is_persistent = persistent;
  open.is_replay_eligible = open.is_replay_eligible || persistent;
  open.durable_timeout_ms = first_version_timeout_ms;
  if (second) {
    open.durable_timeout_ms =
        second->timeout == 0 ? default_timeout_ms : std::min(second->timeout, timeout_max_ms);
  }
}

}  // namespace smb3::server
