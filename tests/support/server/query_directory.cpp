// QUERY_DIRECTORY: [MS-SMB2] 3.3.5.18.
#include "wire/query_directory.h"

#include "support/server/data_checks.h"
#include "support/server/directory_scan.h"
#include "support/server/handlers.h"
#include "support/server/name_pattern.h"
#include "support/server/names.h"
#include "wire/directory_information.h"

namespace smb3::server {

namespace {

using wire::DirectoryInformationClass;
using wire::FileAttributes;
using wire::QueryDirectoryFlags;

template <class Entry>
Entry entry_of(const NodeStatus& status, Bytes name) {
  Entry entry;
  entry.creation_time = status.creation_time;
  entry.last_access_time = status.last_access_time;
  entry.last_write_time = status.last_write_time;
  entry.change_time = status.change_time;
  entry.end_of_file = status.size_bytes;
  entry.allocation_size = status.allocated_bytes;
  entry.file_attributes = status.attributes;
  entry.file_name = name;
  return entry;
}

void encode_entry(DirectoryInformationClass kind, const NodeStatus& status, Bytes name,
                  ByteBuffer& out) {
  const auto tag = std::to_underlying(status.reparse_tag);
  if (kind == DirectoryInformationClass::file_id_both_directory_information) {
    auto entry = entry_of<wire::FileIdBothDirectoryInformation>(status, name);
    entry.ea_size = tag;
    entry.file_id = status.file_index;
    wire::encode(entry, out);
  } else if (kind == DirectoryInformationClass::file_id_extd_directory_information) {
    auto entry = entry_of<wire::FileIdExtdDirectoryInformation>(status, name);
    entry.reparse_point_tag = tag;
    store_le(entry.file_id.data(), status.file_index);
    wire::encode(entry, out);
  } else {
    wire::FileNamesInformation entry;
    entry.file_name = name;
    wire::encode(entry, out);
  }
}

// The bytes in front of a name; 0: a class that this server does not have.
std::size_t fixed_bytes(DirectoryInformationClass kind) {
  switch (kind) {
    case DirectoryInformationClass::file_id_both_directory_information:
      return wire::fixed_size<wire::FileIdBothDirectoryInformation>();
    case DirectoryInformationClass::file_id_extd_directory_information:
      return wire::fixed_size<wire::FileIdExtdDirectoryInformation>();
    case DirectoryInformationClass::file_names_information:
      return wire::fixed_size<wire::FileNamesInformation>();
    default: return 0;
  }
}

// Entries one behind the other, as far as they fit.
class Page {
 public:
  Page(DirectoryInformationClass kind, std::uint32_t room) : kind_(kind), room_(room) {}

  bool add(const NodeStatus& status, Bytes name) {
    const std::size_t at = align_up(bytes_.size(), entry_alignment);
    if (at + fixed_bytes(kind_) + name.size() > room_) return false;
    if (!bytes_.bytes().empty()) {
      bytes_.pad(entry_alignment);
      store_le(bytes_.data() + last_, static_cast<std::uint32_t>(at - last_));
    }
    encode_entry(kind_, status, name, bytes_);
    last_ = at;
    return true;
  }
  bool empty() const { return bytes_.size() == 0; }
  Bytes bytes() const { return bytes_.bytes(); }

 private:
  static constexpr std::size_t entry_alignment = 8;
  DirectoryInformationClass kind_;
  std::size_t room_;
  std::size_t last_ = 0;
  ByteBuffer bytes_;
};

// What a script puts in front: the name as it is, however wrong.
void add_scripted(const Request& request, Page& page) {
  for (const Fault& fault : request.faults) {
    if (fault.kind != FaultKind::entry_name) continue;
    NodeStatus status;
    status.size_bytes = status.allocated_bytes = fault.value;
    status.attributes = FileAttributes::normal;
    if (fault.field == "directory") status.attributes = FileAttributes::directory;
    if (fault.field == "reparse") {
      status.attributes = FileAttributes::directory | FileAttributes::reparse_point;
      status.reparse_tag = wire::ReparseTag::symlink;
    }
    status.creation_time = status.last_access_time = request.server.file_time();
    status.last_write_time = status.change_time = request.server.file_time();
    page.add(status, fault.data);
  }
}

NtStatus check(const Request& request, const Open& open, const wire::QueryDirectoryRequest& query) {
  if (!open.is_directory) return NtStatus::invalid_parameter;
  if (query.output_buffer_length > request.connection.negotiated.max_transact_bytes) {
    return NtStatus::invalid_parameter;
  }
  if (!any(open.access, wire::AccessMask::list_directory)) return NtStatus::access_denied;
  switch (query.file_information_class) {
    case DirectoryInformationClass::file_directory_information:
    case DirectoryInformationClass::file_full_directory_information:
    case DirectoryInformationClass::file_both_directory_information:
    case DirectoryInformationClass::file_id_full_directory_information:
      return NtStatus::not_supported;
    default: break;
  }
  const std::size_t fixed = fixed_bytes(query.file_information_class);
  if (fixed == 0) return NtStatus::invalid_info_class;
  if (query.output_buffer_length < fixed) return NtStatus::info_length_mismatch;
  return NtStatus::success;
}

// Begins a scan where the request or the open demands it.
StatusOr<> prepare_scan(Request& request, Open& open, const wire::QueryDirectoryRequest& query) {
  const bool reopen = has(query.flags, QueryDirectoryFlags::reopen);
  const bool restart = reopen || has(query.flags, QueryDirectoryFlags::restart_scans);
  if (open.scan && !restart) return {};
  std::u16string pattern = from_wire(query.file_name);
  if (pattern.empty()) pattern = open.scan ? open.scan->pattern : u"*";
  if (query.file_name.size() % 2 || !is_valid_pattern(pattern)) {
    return refuse(NtStatus::object_name_invalid);
  }
  auto scan =
      scan_directory(*request.tree->share->store, *open.node, open.path, std::move(pattern));
  if (!scan) return refuse(scan.error());
  scan->is_first = !open.scan || reopen;
  open.scan = std::make_shared<DirectoryScan>(std::move(*scan));
  return {};
}

}  // namespace

Task<Answer> query_directory(Request& request) {
  const auto message = decoded<wire::QueryDirectoryRequest>(request);
  if (!message) co_return Answer::refusal(message.error());
  const auto found = open_of(request, message->file_id);
  if (!found) co_return Answer::refusal(found.error());
  Open& open = **found;
  const NtStatus status = check(request, open, *message);
  if (status != NtStatus::success) co_return Answer::refusal(status);
  const auto prepared = prepare_scan(request, open, *message);
  if (!prepared) co_return Answer::refusal(prepared.error());

  DirectoryScan& scan = *open.scan;
  Page page(message->file_information_class, message->output_buffer_length);
  add_scripted(request, page);
  const bool single = has(message->flags, QueryDirectoryFlags::return_single_entry);
  while (scan.next < scan.entries.size() && !(single && !page.empty())) {
    const StoreEntry& entry = scan.entries[scan.next];
    if (!page.add(entry.status, to_wire(entry.name))) break;
    ++scan.next;
  }
  if (!page.empty()) {
    scan.is_first = false;
    wire::QueryDirectoryResponse response;
    response.output_buffer = page.bytes();
    co_return Answer::of(response);
  }
  if (scan.next < scan.entries.size()) co_return Answer::refusal(NtStatus::buffer_overflow);
  const bool is_first = std::exchange(scan.is_first, false);
  co_return Answer::refusal(is_first ? NtStatus::no_such_file : NtStatus::no_more_files);
}

}  // namespace smb3::server
