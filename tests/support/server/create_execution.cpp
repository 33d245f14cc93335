// Opening and making the file of a CREATE: [MS-SMB2] 3.3.5.9 "Open Execution", [MS-FSA] 2.1.5.1.
#include "support/server/create.h"
#include "support/server/connection.h"
#include "support/server/lease.h"
#include "support/server/server.h"
#include "support/server/session.h"

namespace smb3::server {
namespace {

using wire::AccessMask;
using wire::CreateAction;
using wire::CreateDisposition;
using wire::CreateOptions;
using wire::FileAttributes;

// What a CREATE may set; the rest is the store's.
constexpr FileAttributes settable_attributes = FileAttributes::readonly | FileAttributes::hidden |
                                               FileAttributes::system | FileAttributes::archive |
                                               FileAttributes::temporary | FileAttributes::offline |
                                               FileAttributes::not_content_indexed;

bool overwrites(CreateDisposition disposition) {
  return disposition == CreateDisposition::supersede ||
         disposition == CreateDisposition::overwrite ||
         disposition == CreateDisposition::overwrite_if;
}

bool is_root(const Creation& creation) { return creation.path.empty(); }

// Opens that only look at attributes leave the caching of others alone.
bool disturbs(const Creation& creation) {
  return overwrites(creation.disposition) || !only_looks(creation.access) ||
         has(creation.access, AccessMask::read_control);
}

NtStatus make(const Request& request, Creation& creation) {
  const ShareSettings& settings = request.tree->share->settings;
  FileStore& store = *request.tree->share->store;
  if (creation.disposition == CreateDisposition::open ||
      creation.disposition == CreateDisposition::overwrite) {
    return NtStatus::object_name_not_found;
  }
  if (settings.read_only) {
    return creation.disposition == CreateDisposition::open_if ? NtStatus::access_denied
                                                              : NtStatus::media_write_protected;
  }
  creation.is_directory = has(creation.options, CreateOptions::directory_file);
  const AccessMask needed =
      creation.is_directory ? AccessMask::add_subdirectory : AccessMask::add_file;
  if (!has(request.tree->maximal_access, needed)) return NtStatus::access_denied;
  if (has(creation.attributes, FileAttributes::readonly) &&
      has(creation.options, CreateOptions::delete_on_close)) {
    return NtStatus::cannot_delete;
  }
  if (creation.allocation_size > store.free_bytes()) return NtStatus::disk_full;
  FileAttributes attributes = creation.attributes & settable_attributes;
  if (!creation.is_directory) attributes |= FileAttributes::archive;
  auto made = store.create(creation.path, creation.is_directory, attributes);
  if (!made) return made.error();
  creation.node = std::move(*made);
  creation.action = CreateAction::created;
  return NtStatus::success;
}

NtStatus check_folder(const Creation& creation) {
  if (creation.disposition == CreateDisposition::create) return NtStatus::object_name_collision;
  if (has(creation.options, CreateOptions::non_directory_file)) {
    return NtStatus::file_is_a_directory;
  }
  if (overwrites(creation.disposition)) {
    return is_root(creation) ? NtStatus::access_denied : NtStatus::object_name_collision;
  }
  return NtStatus::success;
}

// [MS-FSA] 2.1.5.1.2 and 2.1.5.1.2.1
NtStatus check_existing(const Request& request, Creation& creation, const NodeStatus& status) {
  if (request.tree->share->opens->is_delete_pending(*creation.node)) {
    return NtStatus::delete_pending;
  }
  creation.is_directory = status.is_directory;
  if (status.reparse_tag == wire::ReparseTag::symlink &&
      !has(creation.options, CreateOptions::open_reparse_point)) {
    return NtStatus::io_reparse_tag_not_handled;
  }
  if (status.is_directory) {
    const NtStatus folder = check_folder(creation);
    if (folder != NtStatus::success) return folder;
  } else {
    if (creation.disposition == CreateDisposition::create) return NtStatus::object_name_collision;
    if (has(creation.options, CreateOptions::directory_file)) return NtStatus::not_a_directory;
  }
  const bool read_only = has(status.attributes, FileAttributes::readonly);
  const bool on_read_only = request.tree->share->settings.read_only;
  if ((read_only || on_read_only) && has(creation.options, CreateOptions::delete_on_close)) {
    return NtStatus::cannot_delete;
  }
  if (overwrites(creation.disposition)) {
    if (on_read_only) return NtStatus::media_write_protected;
    constexpr FileAttributes kept = FileAttributes::hidden | FileAttributes::system;
    if (read_only || (status.attributes & kept & ~creation.attributes) != FileAttributes::none) {
      return NtStatus::access_denied;
    }
    const AccessMask needed = creation.disposition == CreateDisposition::supersede
                                  ? AccessMask::delete_access
                                  : AccessMask::write_data;
    if (!has(request.tree->maximal_access, needed)) return NtStatus::access_denied;
  }
  if (read_only && !status.is_directory) {
    constexpr AccessMask writes = AccessMask::write_data | AccessMask::append_data;
    if (has(creation.desired_access, AccessMask::maximum_allowed)) {
      creation.access &= ~writes | (creation.desired_access & writes);
    }
    if ((creation.access & writes) != AccessMask::none) return NtStatus::access_denied;
  }
  return NtStatus::success;
}

// Breaks what stands in the way. Success: nothing does; pending: wait, then look again.
NtStatus break_others(OpenTable& table, const Creation& creation, const OplockKey& key) {
  const BreakCause cause =
      overwrites(creation.disposition) ? BreakCause::overwrite : BreakCause::open;
  const bool breaks = disturbs(creation);
  if (breaks && start_breaks(table, *creation.node, key, cause, BreakScope::batch_oplocks))
    return NtStatus::pending;
  AccessMask access = creation.access;
  if (creation.disposition == CreateDisposition::supersede) access |= AccessMask::delete_access;
  if (overwrites(creation.disposition)) access |= AccessMask::write_data;
  if (table.violates_sharing(*creation.node, access, creation.share_access)) {
    if (start_breaks(table, *creation.node, key, BreakCause::sharing)) return NtStatus::pending;
    return NtStatus::sharing_violation;
  }
  if (!breaks) return NtStatus::success;
  const BreakScope scope = only_looks(access) ? BreakScope::oplocks : BreakScope::all;
  return start_breaks(table, *creation.node, key, cause, scope) ? NtStatus::pending
                                                                : NtStatus::success;
}

// Retry: opens whose client is gone have been closed for this one, and their file perhaps removed.
NtStatus make_room(OpenTable& table, const Creation& creation, const OplockKey& key) {
  const std::uint64_t closed = table.closed_count();
  const NtStatus status = break_others(table, creation, key);
  return table.closed_count() == closed ? status : NtStatus::retry;
}

NtStatus overwrite(Creation& creation) {
  if (const auto cut = creation.node->set_size(0); !cut) return cut.error();
  NodeChange change;
  change.attributes = (creation.attributes & settable_attributes) | FileAttributes::archive;
  if (const auto changed = creation.node->change(change); !changed) return changed.error();
  creation.action = creation.disposition == CreateDisposition::supersede
                        ? CreateAction::superseded
                        : CreateAction::overwritten;
  return NtStatus::success;
}

NtStatus attempt_once(const Request& request, Creation& creation, const OplockKey& key) {
  Share& share = *request.tree->share;
  creation.node.reset();
  creation.action = CreateAction::opened;
  auto found = share.store->open(creation.path);
  if (!found) {
    return found.error() == NtStatus::object_name_not_found ? make(request, creation)
                                                            : found.error();
  }
  creation.node = std::move(*found);
  const auto status = creation.node->status();
  if (!status) return status.error();
  NtStatus result = check_existing(request, creation, *status);
  if (result == NtStatus::success) result = make_room(*share.opens, creation, key);
  if (result != NtStatus::success || !overwrites(creation.disposition)) return result;
  return overwrite(creation);
}

}  // namespace

Task<NtStatus> execute(Request& request, Creation& creation) {
  OplockKey key;
  key.client_guid = request.connection.negotiated.client_guid;
  if (creation.lease && creation.oplock_level == wire::OplockLevel::lease) {
    key.lease_key = creation.lease->lease_key;
  }
  const wire::AccessMask access = creation.access;
  while (true) {
    creation.access = access;
    const NtStatus status = attempt_once(request, creation, key);
    if (status == NtStatus::retry) continue;
    if (status != NtStatus::pending) co_return status;
    co_await wait_for_change(request, *request.tree->share->opens, creation.node);
    if (request.is_cancelled) co_return NtStatus::cancelled;
  }
}

}  // namespace smb3::server
