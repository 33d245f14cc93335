#include "support/server/connection.h"
#include "support/server/lease.h"
#include "support/server/names.h"
#include "support/server/session.h"

#include <algorithm>

namespace smb3::server {
namespace {

using wire::AccessMask;
using wire::ShareAccess;

constexpr AccessMask reads = AccessMask::read_data | AccessMask::execute;
constexpr AccessMask writes = AccessMask::write_data | AccessMask::append_data;
constexpr AccessMask deletes = AccessMask::delete_access;

bool any(AccessMask access, AccessMask of) { return (access & of) != AccessMask::none; }

// What the one does and the other does not share.
bool is_against(AccessMask access, ShareAccess shared) {
  return (any(access, reads) && !has(shared, ShareAccess::read)) ||
         (any(access, writes) && !has(shared, ShareAccess::write)) ||
         (any(access, deletes) && !has(shared, ShareAccess::delete_access));
}

// [MS-SMB2] 3.3.4.1.6
bool send_break(Session& session, Answer message) {
  for (const auto& [key, channel] : session.channels) {
    if (!channel.connection) continue;
    channel.connection->notify(session, nullptr, std::move(message), wire::Command::oplock_break);
    return true;
  }
  return false;
}

}  // namespace

OpenTable::OpenTable(FileStore* store) : notify(&send_break), store_(store) {}

OpenTable::~OpenTable() {
  for (const auto& file : files_) {
    for (const auto& open : file->opens) open->table = nullptr;
  }
}

void OpenTable::add(const std::shared_ptr<Open>& open) {
  open->table = this;
  OpenFile* known = file(*open->node);
  if (!known) {
    auto fresh = std::make_unique<OpenFile>();
    fresh->node = open->node;
    known = fresh.get();
    files_.push_back(std::move(fresh));
  }
  known->opens.push_back(open);
}

OpenFile* OpenTable::file(const Node& node) {
  for (const auto& file : files_) {
    if (file->node.get() == &node) return file.get();
  }
  return nullptr;
}

std::shared_ptr<Open> OpenTable::find_if(const std::function<bool(const Open&)>& fits) const {
  for (const auto& file : files_) {
    for (const auto& open : file->opens) {
      if (fits(*open)) return open;
    }
  }
  return nullptr;
}

std::shared_ptr<Open> OpenTable::find(std::uint64_t persistent_id) const {
  return find_if([persistent_id](const Open& open) { return open.id.persistent == persistent_id; });
}

// [MS-FSA] 2.1.5.1.2.2
bool OpenTable::violates_sharing(const Node& node, AccessMask access, ShareAccess share_access,
                                 const Open* but) const {
  constexpr AccessMask all = reads | writes | deletes;
  if (!any(access, all)) return false;
  for (const auto& file : files_) {
    if (file->node.get() != &node) continue;
    for (const auto& open : file->opens) {
      if (open.get() == but || !any(open->access, all)) continue;
      if (is_against(access, open->share_access) || is_against(open->access, share_access)) {
        return true;
      }
    }
  }
  return false;
}

bool OpenTable::is_delete_pending(const Node& node) const {
  return std::ranges::any_of(files_, [&node](const auto& file) {
    return file->node.get() == &node && file->delete_pending;
  });
}

void OpenTable::set_delete_pending(const Node& node, bool pending) {
  if (OpenFile* const known = file(node)) known->delete_pending = pending;
}

bool OpenTable::has_opens_below(std::u16string_view folder) const {
  return find_if([folder](const Open& open) { return lies_below(open.path, folder); }) != nullptr;
}

void OpenTable::renamed(std::u16string_view from, std::u16string_view to) {
  const auto move = [from, to](std::u16string& path) {
    if (same_name(path, from)) {
      path = to;
    } else if (lies_below(path, from)) {
      path = std::u16string(to) + path.substr(from.size());
    }
  };
  for (const auto& file : files_) {
    for (const auto& open : file->opens) move(open->path);
  }
  for (const auto& lease : leases_) move(lease->path);
}

void OpenTable::close(Open& open) {
  const std::shared_ptr<Open> keep = open.shared_from_this();
  if (open.is_closed) return;
  open.is_closed = true;
  ++closed_count_;
  open.table = nullptr;
  open.scavenger.reset();
  open.oplock_timer.reset();
  open.watch.reset();
  if (const auto session = open.session.lock()) session->opens.erase(open.id.volatile_id);
  open.session.reset();
  const OplockKey key = key_of(open);
  leave_lease(open);
  const auto found =
      std::ranges::find_if(files_, [&open](const auto& file) { return file->node == open.node; });
  if (found == files_.end()) return;
  OpenFile& known = **found;
  if (open.delete_on_close) known.delete_pending = true;
  std::erase(known.opens, keep);
  std::erase_if(known.locks, [&open](const ByteRangeLock& lock) { return lock.owner == &open; });
  if (known.opens.empty()) {
    const bool remove = known.delete_pending;
    files_.erase(found);
    // Nobody is left to be told when it fails: a folder that has been filled since stays.
    if (remove && store_ && store_->remove(open.path) && removed) removed(open);
  } else if (open.delete_on_close) {
    // Who keeps a handle without using it lets go, so that the file can go.
    start_breaks(*this, *open.node, key, BreakCause::sharing);
  }
  wake(*open.node);
}

void OpenTable::wake(const Node& node) {
  for (const WaitingEvent& waiter : waiters_) {
    if (waiter.node == &node) waiter.event->set();
  }
}

void OpenTable::remove_waiter(const Event& event) {
  std::erase_if(waiters_, [&event](const WaitingEvent& w) { return w.event == &event; });
}

}  // namespace smb3::server
