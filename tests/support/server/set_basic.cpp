// Times and attributes: [MS-FSA] 2.1.5.15.2.
#include "support/server/set_information.h"
#include "wire/file_information.h"

namespace smb3::server {

namespace {

using wire::FileAttributes;
using wire::FileTime;

// From now on operations on this open leave the time alone, or no longer.
constexpr FileTime keep{~std::uint64_t{0}};
constexpr FileTime keep_no_longer{~std::uint64_t{0} - 1};
constexpr std::uint64_t time_max = 0x7FFF'FFFF'FFFF'FFFF;

constexpr FileAttributes settable = FileAttributes::readonly | FileAttributes::hidden |
                                    FileAttributes::system | FileAttributes::archive |
                                    FileAttributes::temporary | FileAttributes::offline |
                                    FileAttributes::not_content_indexed;

bool is_valid(FileTime time) {
  return std::to_underlying(time) <= time_max || time == keep || time == keep_no_longer;
}

NtStatus check(const Open& open, const wire::FileBasicInformation& basic) {
  if (!any(open.access, wire::AccessMask::write_attributes)) return NtStatus::access_denied;
  const FileAttributes attributes = basic.file_attributes;
  const bool fits =
      !has(attributes, open.is_directory ? FileAttributes::temporary : FileAttributes::directory);
  if (!fits || !is_valid(basic.creation_time) || !is_valid(basic.last_access_time) ||
      !is_valid(basic.last_write_time) || !is_valid(basic.change_time)) {
    return NtStatus::invalid_parameter;
  }
  return NtStatus::success;
}

// What the file's time becomes; `kept` is what later operations restore.
FileTime apply(FileTime wanted, FileTime now, FileTime& kept) {
  if (wanted == FileTime::unset) return kept;
  if (wanted == keep_no_longer) {
    kept = FileTime::unset;
    return FileTime::unset;
  }
  kept = wanted == keep ? now : wanted;
  return kept;
}

FileAttributes apply(FileAttributes wanted) {
  if (wanted == FileAttributes::none) return FileAttributes::none;
  const FileAttributes masked = wanted & settable;
  return masked == FileAttributes::none ? FileAttributes::normal : masked;
}

}  // namespace

NtStatus set_basic(Request& request, Open& open, Bytes buffer) {
  const auto basic = information_in<wire::FileBasicInformation>(buffer);
  if (!basic) return basic.error();
  if (const NtStatus status = check(open, *basic); status != NtStatus::success) return status;
  const auto now = open.node->status();
  if (!now) return now.error();
  KeptTimes& kept = open.kept_times;
  NodeChange change;
  if (is_valid(basic->creation_time) && basic->creation_time < keep_no_longer) {
    change.creation_time = basic->creation_time;
  }
  change.last_access_time =
      apply(basic->last_access_time, now->last_access_time, kept.last_access_time);
  change.last_write_time =
      apply(basic->last_write_time, now->last_write_time, kept.last_write_time);
  change.change_time = apply(basic->change_time, now->change_time, kept.change_time);
  change.attributes = apply(basic->file_attributes);
  if (const auto changed = open.node->change(change); !changed) return changed.error();
  request.tree->share->watches.report(
      wire::FileAction::modified,
      wire::CompletionFilter::attributes | wire::CompletionFilter::last_write |
          wire::CompletionFilter::creation | wire::CompletionFilter::last_access,
      open.path);
  return NtStatus::success;
}

}  // namespace smb3::server
