// LOCK, and locks against reads and writes: [MS-SMB2] 3.3.5.14, [MS-FSA] 2.1.4.10.
#include "wire/lock.h"

#include "support/server/data_checks.h"
#include "support/server/handlers.h"
#include "support/server/lease.h"

#include <algorithm>

namespace smb3::server {
namespace {

using wire::LockElement;
using wire::LockFlags;

constexpr NtStatus invalid_lock_range{0xC00001A1};

// A range without bytes lies between two bytes; {0, 0} meets nothing.
bool overlap(const ByteRangeLock& lock, std::uint64_t offset, std::uint64_t length) {
  if ((lock.offset == 0 && lock.length == 0) || (offset == 0 && length == 0)) return false;
  return offset <= lock.offset + lock.length - 1 && offset + length - 1 >= lock.offset;
}

// Against another lock: also one's own, where both want the range for themselves.
bool refuses_lock(const OpenFile& file, const Open& open, const LockElement& wanted) {
  const bool exclusive = has(wanted.flags, LockFlags::exclusive_lock);
  return std::ranges::any_of(file.locks, [&](const ByteRangeLock& lock) {
    if (!overlap(lock, wanted.offset, wanted.length)) return false;
    return lock.is_exclusive ? exclusive || lock.owner != &open : exclusive;
  });
}

bool is_valid(LockFlags flags, bool immediately) {
  const LockFlags kind = flags & ~LockFlags::fail_immediately;
  return (kind == LockFlags::shared_lock || kind == LockFlags::exclusive_lock) &&
         (!immediately || has(flags, LockFlags::fail_immediately));
}

NtStatus unlock(OpenFile& file, const Open& open, const wire::LockRequest& message) {
  for (const LockElement& element : message.locks) {
    if (element.flags != LockFlags::unlock) return NtStatus::invalid_parameter;
    const auto held = std::ranges::find_if(file.locks, [&](const ByteRangeLock& lock) {
      return lock.owner == &open && lock.offset == element.offset && lock.length == element.length;
    });
    if (held == file.locks.end()) return NtStatus::range_not_locked;
    file.locks.erase(held);
  }
  return NtStatus::success;
}

Task<NtStatus> wait_for_range(Request& request, std::shared_ptr<Open> open, LockElement element) {
  while (true) {
    // Its open was closed while it waited, and whatever it had locked is free.
    if (!open->table) co_return NtStatus::range_not_locked;
    OpenFile& file = *open->table->file(*open->node);
    if (!refuses_lock(file, *open, element)) {
      file.locks.push_back({open.get(), element.offset, element.length,
                            has(element.flags, LockFlags::exclusive_lock)});
      co_return NtStatus::success;
    }
    if (has(element.flags, LockFlags::fail_immediately)) co_return NtStatus::lock_not_granted;
    co_await wait_for_change(request, *open->table, open->node);
    if (request.is_cancelled) co_return NtStatus::cancelled;
  }
}

// [MS-SMB2] 3.3.5.14.2: those of this request that came before go again.
void give_back(const Open& open, std::size_t count) {
  if (!open.table) return;
  std::vector<ByteRangeLock>& locks = open.table->file(*open.node)->locks;
  for (auto lock = locks.end(); count > 0 && lock != locks.begin();) {
    --lock;
    if (lock->owner != &open) continue;
    lock = locks.erase(lock);
    --count;
  }
  open.table->wake(*open.node);
}

Task<NtStatus> take(Request& request, std::shared_ptr<Open> open,
                    std::vector<LockElement> elements) {
  for (const LockElement& element : elements) {
    if (!is_valid(element.flags, elements.size() > 1)) co_return NtStatus::invalid_parameter;
    if (element.length != 0 && element.offset + (element.length - 1) < element.offset) {
      co_return invalid_lock_range;
    }
  }
  const NtStatus broken = co_await break_oplocks(request, *open, BreakCause::write);
  if (broken != NtStatus::success) co_return broken;
  std::size_t taken = 0;
  for (const LockElement& element : elements) {
    const NtStatus status = co_await wait_for_range(request, open, element);
    if (status != NtStatus::success) {
      give_back(*open, taken);
      co_return status;
    }
    ++taken;
  }
  co_return NtStatus::success;
}

NtStatus check(const Open& open, const wire::LockRequest& message) {
  if (message.locks.empty() || open.is_directory) return NtStatus::invalid_parameter;
  constexpr auto enough =
      wire::AccessMask::read_data | wire::AccessMask::write_data | wire::AccessMask::append_data;
  return any(open.access, enough) ? NtStatus::success : NtStatus::access_denied;
}

// Where the request's LockSequence is remembered; none where it is not.
std::optional<std::uint8_t>* sequence_entry(const Request& request, Open& open,
                                            std::uint32_t lock_sequence) {
  const std::uint32_t index = lock_sequence >> 4;
  if (index == 0 || index >= open.lock_sequences.size()) return nullptr;
  if (!open.is_durable && !request.server.settings().multichannel) return nullptr;
  return &open.lock_sequences[index];
}

}  // namespace

NtStatus check_locks(const Request&, const Open& open, std::uint64_t offset, std::uint64_t length,
                     bool writes) {
  const OpenFile* const file = open.table ? open.table->file(*open.node) : nullptr;
  if (!file || length == 0) return NtStatus::success;
  const bool refused = std::ranges::any_of(file->locks, [&](const ByteRangeLock& lock) {
    return overlap(lock, offset, length) && (lock.is_exclusive ? lock.owner != &open : writes);
  });
  return refused ? NtStatus::file_lock_conflict : NtStatus::success;
}

Task<Answer> lock(Request& request) {
  const auto message = decoded<wire::LockRequest>(request);
  if (!message) co_return Answer::refusal(message.error());
  const auto found = open_of(request, message->file_id);
  if (!found) co_return Answer::refusal(found.error());
  const std::shared_ptr<Open> open = *found;
  const auto number = static_cast<std::uint8_t>(message->lock_sequence & 0xF);
  std::optional<std::uint8_t>* const entry = sequence_entry(request, *open, message->lock_sequence);
  if (entry && *entry == number) co_return Answer::of(wire::LockResponse{});
  if (entry) entry->reset();

  NtStatus status = check(*open, *message);
  if (status != NtStatus::success) co_return Answer::refusal(status);
  if (has(message->locks.front().flags, LockFlags::unlock)) {
    status = unlock(*open->table->file(*open->node), *open, *message);
    open->table->wake(*open->node);
  } else {
    status = co_await take(request, open, message->locks);
  }
  if (status != NtStatus::success) co_return Answer::refusal(status);
  if (entry) *entry = number;
  co_return Answer::of(wire::LockResponse{});
}

}  // namespace smb3::server
