// Another name or folder: [MS-FSA] 2.1.5.15.12.
#include "support/server/names.h"
#include "support/server/set_information.h"
#include "wire/file_information.h"

namespace smb3::server {

namespace {

constexpr std::size_t root_directory_at = 8;
constexpr std::size_t rename_bytes_min = 24;

struct Rename {
  std::u16string to;
  bool replace = false;
};

StatusOr<Rename> rename_in(Bytes buffer) {
  if (buffer.size() < rename_bytes_min) return refuse(NtStatus::info_length_mismatch);
  const auto information = information_in<wire::FileRenameInformation>(buffer);
  if (!information) return refuse(information.error());
  const Bytes name = information->file_name;
  if (load_le<std::uint64_t>(buffer.data() + root_directory_at) != 0 || name.empty() ||
      name.size() % 2) {
    return refuse(NtStatus::invalid_parameter);
  }
  Rename rename{from_wire(name), information->replace_if_exists};
  if (rename.to.front() == u'\\') return refuse(NtStatus::invalid_parameter);
  // Streams are not kept, and so not renamed.
  if (rename.to.front() == u':') return refuse(NtStatus::not_supported);
  if (const auto valid = check_path(rename.to); !valid) return refuse(valid.error());
  return rename;
}

// May what has the new name already go?
NtStatus check_target(const Open& open, FileStore& store, const Rename& rename) {
  const auto target = store.open(rename.to);
  if (!target) {
    return target.error() == NtStatus::object_name_not_found ? NtStatus::success : target.error();
  }
  if (*target == open.node) return NtStatus::success;
  if (!rename.replace) return NtStatus::object_name_collision;
  if (open.table->is_delete_pending(**target)) return NtStatus::delete_pending;
  return open.table->file(**target) ? NtStatus::access_denied : NtStatus::success;
}

}  // namespace

Task<NtStatus> rename(Request& request, Open& open, Bytes buffer) {
  const auto wanted = rename_in(buffer);
  if (!wanted) co_return wanted.error();
  if (!any(open.access, wire::AccessMask::delete_access)) co_return NtStatus::access_denied;
  if (open.path.empty()) co_return NtStatus::access_denied;
  if (wanted->to == open.path) co_return NtStatus::success;
  const NtStatus broken = co_await break_oplocks(request, open, BreakCause::sharing);
  if (broken != NtStatus::success) co_return broken;
  // It may have been closed while others gave up what they cached.
  if (!open.table) co_return NtStatus::file_closed;
  OpenTable& table = *open.table;
  if (table.is_delete_pending(*open.node)) co_return NtStatus::access_denied;
  if (open.is_directory && table.has_opens_below(open.path)) co_return NtStatus::access_denied;
  FileStore& store = *request.tree->share->store;
  const NtStatus target = check_target(open, store, *wanted);
  if (target != NtStatus::success) co_return target;
  const std::u16string from = open.path;
  const auto renamed = store.rename(from, wanted->to, wanted->replace);
  if (!renamed) co_return renamed.error();
  table.renamed(from, wanted->to);
  request.tree->share->watches.report_rename(open.is_directory, from, wanted->to);
  co_return NtStatus::success;
}

}  // namespace smb3::server
