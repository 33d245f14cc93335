// CREATE: [MS-SMB2] 3.3.5.9.
#include "support/server/create.h"

#include "support/server/data_checks.h"
#include "support/server/durable.h"
#include "support/server/handlers.h"
#include "support/server/lease.h"
#include "support/server/names.h"
#include "support/server/session.h"

#include <algorithm>

namespace smb3::server {
namespace {

using wire::OplockLevel;

bool is_replay(const Request& request) {
  return has(request.header.flags, wire::HeaderFlags::replay_operation);
}

NtStatus check_replayed(const Request& request, const Creation& creation, const Open& open) {
  if (open.owner != request.session->logon.user) return NtStatus::access_denied;
  // Windows refuses a lease, too, where the first CREATE had none.
  const bool same_lease =
      open.lease ? creation.lease && creation.lease->lease_key == open.lease->key : !creation.lease;
  if (!same_lease) return NtStatus::access_denied;
  if (open.session.lock() != request.session) return NtStatus::duplicate_objectid;
  if (open.is_persistent &&
      !has(creation.durable_request_v2->flags, wire::DurableHandleFlags::persistent)) {
    return NtStatus::invalid_parameter;
  }
  return NtStatus::success;
}

// A persistent open whose connection is gone, asked for by the same CREATE once more.
NtStatus check_reclaimed(const Request& request, const wire::CreateRequest& message,
                         const Open& open) {
  if (!open.session.expired()) return NtStatus::file_not_available;
  if (open.owner != request.session->logon.user) return NtStatus::access_denied;
  const bool same = open.desired_options == message.create_options &&
                    open.desired_access == message.desired_access &&
                    open.desired_share_access == message.share_access;
  return same ? NtStatus::success : NtStatus::context_mismatch;
}

// [MS-SMB2] 3.3.5.9 "Create Context Validation" and 3.3.5.9.10: the open that is there already,
// none when this CREATE goes on, or why it does not.
StatusOr<std::shared_ptr<Open>> find_replayed(Request& request, const wire::CreateRequest& message,
                                              const Creation& creation) {
  const wire::DurableHandleRequestV2& asked = *creation.durable_request_v2;
  const wire::Guid client = request.connection.negotiated.client_guid;
  OpenTable& table = *request.tree->share->opens;
  const OpenTable::PendingCreate same{client, asked.create_guid};
  if (std::ranges::find(table.pending_creates, same) != table.pending_creates.end()) {
    return refuse(is_replay(request) ? NtStatus::file_not_available : NtStatus::duplicate_objectid);
  }
  auto open = table.find_if([&](const Open& candidate) {
    return candidate.is_replay_eligible && candidate.create_guid == asked.create_guid &&
           candidate.client_guid == client;
  });
  if (!is_replay(request)) {
    if (open) return refuse(NtStatus::duplicate_objectid);
    return nullptr;
  }
  if (open && !open->session.expired()) {
    const NtStatus status = check_replayed(request, creation, *open);
    if (status != NtStatus::success) return refuse(status);
    request.chain.open = open;
    return open;
  }
  if (!grants_persistent(request) || !has(asked.flags, wire::DurableHandleFlags::persistent)) {
    if (open) return refuse(NtStatus::duplicate_objectid);
    return nullptr;
  }
  open = table.find_if([&](const Open& candidate) {
    return candidate.is_persistent && candidate.create_guid == asked.create_guid;
  });
  if (!open) return nullptr;
  const NtStatus status = check_reclaimed(request, message, *open);
  if (status != NtStatus::success) return refuse(status);
  attach(request, open);
  return open;
}

// [MS-SMB2] 3.3.5.9.13
NtStatus end_other_instance(const Request& request, const Creation& creation) {
  if (!creation.app_instance_id) return NtStatus::success;
  OpenTable& table = *request.tree->share->opens;
  const wire::Guid client = request.connection.negotiated.client_guid;
  const auto open = table.find_if([&](const Open& candidate) {
    return candidate.app_instance_id == creation.app_instance_id &&
           candidate.client_guid != client && same_name(candidate.path, creation.path);
  });
  if (!open) return NtStatus::success;
  if (open->app_instance_version &&
      (!creation.app_instance_version ||
       *open->app_instance_version >= *creation.app_instance_version)) {
    return NtStatus::file_forced_closed;
  }
  table.close(*open);
  return NtStatus::success;
}

// What other opens and leases have against it, before the file is looked at.
NtStatus check_others(const Request& request, const Creation& creation) {
  const OpenTable& table = *request.tree->share->opens;
  const auto lost = table.find_if([&creation](const Open& open) {
    return open.is_persistent && open.session.expired() && same_name(open.path, creation.path);
  });
  if (lost) return NtStatus::file_not_available;
  if (creation.lease && creation.oplock_level == OplockLevel::lease) {
    const auto lease =
        table.find_lease(request.connection.negotiated.client_guid, creation.lease->lease_key);
    if (lease && !lease->file_delete_on_close && !same_name(lease->path, creation.path)) {
      return NtStatus::invalid_parameter;
    }
  }
  return end_other_instance(request, creation);
}

NtStatus prepare(Request& request, const wire::CreateRequest& message, Creation& creation) {
  const ShareSettings& share = request.tree->share->settings;
  if (const NtStatus contexts = read_contexts(message, creation); contexts != NtStatus::success) {
    return contexts;
  }
  creation.path = from_wire(message.name);
  creation.disposition = message.create_disposition;
  creation.share_access = message.share_access;
  creation.attributes = message.file_attributes;
  creation.oplock_level = message.requested_oplock_level;
  if (creation.oplock_level == OplockLevel::lease &&
      (!creation.lease || !request.server.settings().leasing)) {
    creation.oplock_level = OplockLevel::none;
  }
  if (creation.oplock_level != OplockLevel::lease && !creation.reconnects()) creation.lease.reset();
  if (creation.reconnects()) return NtStatus::success;

  if (has(share.flags, wire::ShareFlags::force_shared_delete)) {
    creation.share_access |= wire::ShareAccess::delete_access;
  }
  if (const NtStatus name = check_name(creation.path); name != NtStatus::success) return name;
  // No snapshots are kept ([MS-SMB2] 3.3.5.9.4).
  if (creation.timewarp) return NtStatus::object_name_not_found;
  if (share.type == wire::ShareType::pipe || !request.tree->share->store) {
    return message.impersonation_level == wire::ImpersonationLevel::delegate
               ? NtStatus::bad_impersonation_level
               : NtStatus::object_name_not_found;
  }
  return check_request(request, message, creation);
}

// [MS-SMB2] 3.3.5.9 "Successful Open Initialization"
std::shared_ptr<Open> make_open(Request& request, const wire::CreateRequest& message,
                                const Creation& creation) {
  auto open = std::make_shared<Open>();
  open->id.persistent = request.server.cluster().next_persistent_id++;
  open->node = creation.node;
  open->path = creation.path;
  open->access = creation.access;
  // [MS-SMB2] 3.3.5.9: what may be run may be read.
  if (has(open->access, wire::AccessMask::execute)) open->access |= wire::AccessMask::read_data;
  open->share_access = creation.share_access;
  open->options = creation.options;
  open->delete_on_close = has(creation.options, wire::CreateOptions::delete_on_close);
  open->is_directory = creation.is_directory;
  open->client_guid = request.connection.negotiated.client_guid;
  open->owner = request.session->logon.user;
  open->desired_access = message.desired_access;
  open->desired_share_access = message.share_access;
  open->desired_options = message.create_options;
  open->desired_attributes = message.file_attributes;
  open->action = creation.action;
  open->app_instance_id = creation.app_instance_id;
  if (creation.app_instance_id) open->app_instance_version = creation.app_instance_version;
  open->channel_sequence = request.header.channel_sequence();
  request.tree->share->opens->add(open);
  attach(request, open);
  return open;
}

void acquire_caching(const Request& request, const Creation& creation, Open& open) {
  const ShareSettings& share = request.tree->share->settings;
  const bool scaled_out = has(share.capabilities, wire::ShareCapabilities::scaleout);
  const bool level_ii_only = has(share.flags, wire::ShareFlags::force_levelii_oplock);
  if (creation.oplock_level == OplockLevel::lease) {
    wire::LeaseV2 lease = *creation.lease;
    if (level_ii_only) lease.lease_state &= ~wire::LeaseState::write_caching;
    if (scaled_out) lease.lease_state &= wire::LeaseState::read_caching;
    return grant_lease(open, lease, creation.lease_version);
  }
  const bool exclusive = creation.oplock_level == OplockLevel::batch ||
                         creation.oplock_level == OplockLevel::exclusive;
  const bool lowered = exclusive && (level_ii_only || scaled_out);
  grant_oplock(open, lowered ? OplockLevel::level_ii : creation.oplock_level);
}

// While a CREATE waits, its replay is told so.
class Pending {
 public:
  Pending(OpenTable& table, wire::Guid client, const Creation& creation) : table_(table) {
    if (!creation.durable_request_v2) return;
    entry_ = OpenTable::PendingCreate{client, creation.durable_request_v2->create_guid};
    table_.pending_creates.push_back(*entry_);
  }
  Pending(const Pending&) = delete;
  Pending& operator=(const Pending&) = delete;
  ~Pending() {
    if (entry_) std::erase(table_.pending_creates, *entry_);
  }

 private:
  OpenTable& table_;
  std::optional<OpenTable::PendingCreate> entry_;
};

void report(const Request& request, const Creation& creation) {
  using Filter = wire::CompletionFilter;
  ChangeWatches& watches = request.tree->share->watches;
  if (creation.action == wire::CreateAction::created) {
    watches.report_name(wire::FileAction::added, creation.is_directory, creation.path);
  } else if (creation.action != wire::CreateAction::opened) {
    watches.report(wire::FileAction::modified,
                   Filter::size | Filter::last_write | Filter::attributes, creation.path);
  }
}

}  // namespace

Task<Answer> create(Request& request) {
  const auto message = decoded<wire::CreateRequest>(request);
  if (!message) co_return Answer::refusal(message.error());
  Creation creation;
  const NtStatus prepared = prepare(request, *message, creation);
  if (prepared != NtStatus::success) co_return Answer::refusal(prepared);
  if (creation.reconnects()) {
    const auto open = reclaim(request, creation);
    if (!open) co_return Answer::refusal(open.error());
    co_return create_answer(request, creation, **open);
  }
  if (creation.durable_request_v2) {
    const auto open = find_replayed(request, *message, creation);
    if (!open) co_return Answer::refusal(open.error());
    if (*open) co_return create_answer(request, creation, **open);
  }
  const NtStatus others = check_others(request, creation);
  if (others != NtStatus::success) co_return Answer::refusal(others);

  const Pending pending(*request.tree->share->opens, request.connection.negotiated.client_guid,
                        creation);
  const NtStatus executed = co_await execute(request, creation);
  if (executed != NtStatus::success) co_return Answer::refusal(executed);
  const auto open = make_open(request, *message, creation);
  acquire_caching(request, creation, *open);
  make_durable(request, creation, *open);
  report(request, creation);
  co_return create_answer(request, creation, *open);
}

}  // namespace smb3::server
