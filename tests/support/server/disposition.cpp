// Whether a file goes with its last open: [MS-FSA] 2.1.5.15.3 and 2.1.5.15.4.
#include "support/server/set_information.h"
#include "wire/file_information.h"

namespace smb3::server {

namespace {

using wire::DispositionFlags;

NtStatus check_deletable(const Open& open, bool ignore_read_only) {
  if (open.path.empty()) return NtStatus::cannot_delete;
  const auto status = open.node->status();
  if (!status) return status.error();
  if (has(status->attributes, wire::FileAttributes::readonly) && !ignore_read_only) {
    return NtStatus::cannot_delete;
  }
  if (!open.is_directory) return NtStatus::success;
  const auto entries = open.node->list();
  if (!entries) return entries.error();
  return entries->empty() ? NtStatus::success : NtStatus::directory_not_empty;
}

// Nobody is told of changes in a folder that goes.
void end_watches(OpenFile& file) {
  for (const auto& open : file.opens) {
    if (open->watch) open->watch->end(NtStatus::delete_pending);
  }
}

Task<NtStatus> set(Request& request, Open& open, bool pending, bool ignore_read_only) {
  if (!any(open.access, wire::AccessMask::delete_access)) co_return NtStatus::access_denied;
  if (pending) {
    const NtStatus status = check_deletable(open, ignore_read_only);
    if (status != NtStatus::success) co_return status;
    const NtStatus broken = co_await break_oplocks(request, open, BreakCause::sharing);
    if (broken != NtStatus::success) co_return broken;
  }
  // It may have been closed while others gave up what they cached.
  OpenFile* const file = open.table ? open.table->file(*open.node) : nullptr;
  if (!file) co_return NtStatus::file_closed;
  open.table->set_delete_pending(*open.node, pending);
  if (pending && open.is_directory) end_watches(*file);
  co_return NtStatus::success;
}

}  // namespace

Task<NtStatus> set_disposition(Request& request, Open& open, Bytes buffer) {
  const auto information = information_in<wire::FileDispositionInformation>(buffer);
  if (!information) co_return information.error();
  co_return co_await set(request, open, information->delete_pending, false);
}

Task<NtStatus> set_disposition_ex(Request& request, Open& open, Bytes buffer) {
  const auto information = information_in<wire::FileDispositionInformationEx>(buffer);
  if (!information) co_return information.error();
  constexpr DispositionFlags known =
      DispositionFlags::delete_file | DispositionFlags::posix_semantics |
      DispositionFlags::force_image_section_check | DispositionFlags::on_close |
      DispositionFlags::ignore_readonly_attribute;
  const DispositionFlags flags = information->flags;
  if ((flags & ~known) != DispositionFlags::none) co_return NtStatus::not_supported;
  const bool pending = has(flags, DispositionFlags::delete_file);
  if (has(flags, DispositionFlags::on_close)) {
    // It changes an open that was made with DELETE_ON_CLOSE, and makes none so.
    if (pending && !open.delete_on_close) co_return NtStatus::not_supported;
    open.delete_on_close = pending;
    co_return NtStatus::success;
  }
  const bool ignore_read_only = has(flags, DispositionFlags::ignore_readonly_attribute) &&
                                any(open.access, wire::AccessMask::write_attributes);
  co_return co_await set(request, open, pending, ignore_read_only);
}

}  // namespace smb3::server
