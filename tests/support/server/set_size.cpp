// The size of a file and the room for it: [MS-FSA] 2.1.5.15.5 and 2.1.5.15.1.
#include "support/server/set_information.h"
#include "wire/file_information.h"

namespace smb3::server {

namespace {

constexpr std::uint64_t file_bytes_max = 0x7FFF'FFFF'FFFF'FFFF;
constexpr std::uint64_t cluster_bytes = 4_KiB;

NtStatus check(const Open& open, std::uint64_t bytes) {
  if (open.is_directory || bytes > file_bytes_max) return NtStatus::invalid_parameter;
  if (!any(open.access, wire::AccessMask::write_data)) return NtStatus::access_denied;
  return NtStatus::success;
}

NtStatus resize(Request& request, Open& open, std::uint64_t bytes) {
  if (const auto set = open.node->set_size(bytes); !set) return set.error();
  if (const auto restored = restore_kept_times(open); !restored) return restored.error();
  request.tree->share->watches.report(wire::FileAction::modified, wire::CompletionFilter::size,
                                      open.path);
  return NtStatus::success;
}

}  // namespace

Task<NtStatus> set_end_of_file(Request& request, Open& open, Bytes buffer) {
  const auto information = information_in<wire::FileEndOfFileInformation>(buffer);
  if (!information) co_return information.error();
  const std::uint64_t bytes = information->end_of_file;
  if (const NtStatus status = check(open, bytes); status != NtStatus::success) co_return status;
  const NtStatus broken = co_await break_oplocks(request, open, BreakCause::write);
  if (broken != NtStatus::success) co_return broken;
  co_return resize(request, open, bytes);
}

Task<NtStatus> set_allocation(Request& request, Open& open, Bytes buffer) {
  const auto information = information_in<wire::FileAllocationInformation>(buffer);
  if (!information) co_return information.error();
  const std::uint64_t bytes = information->allocation_size;
  if (const NtStatus status = check(open, bytes); status != NtStatus::success) co_return status;
  const NtStatus broken = co_await break_oplocks(request, open, BreakCause::write);
  if (broken != NtStatus::success) co_return broken;
  const auto now = open.node->status();
  if (!now) co_return now.error();
  const std::uint64_t wanted = align_up(bytes, cluster_bytes);
  if (wanted < now->size_bytes) co_return resize(request, open, wanted);
  // Nothing is reserved: it is only said whether it could be.
  const std::uint64_t free = request.tree->share->store->free_bytes();
  const bool fits = wanted <= now->allocated_bytes || wanted - now->allocated_bytes <= free;
  co_return fits ? NtStatus::success : NtStatus::disk_full;
}

}  // namespace smb3::server
