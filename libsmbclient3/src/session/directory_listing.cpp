#include "session/directory_listing.h"

#include "base/utf16.h"
#include "wire/directory_information.h"
#include "wire/query_directory.h"

namespace smb3 {
namespace {

using Information = wire::FileIdBothDirectoryInformation;

// What interoperates everywhere, and costs one credit.
constexpr std::uint32_t page_bytes = 65536;

Error changed_meanwhile() {
  return Error(ErrorKind::failed, "the directory changed while its listing was interrupted")
      .advise("list it again");
}

DirectoryEntry entry_of(const Information& information) {
  DirectoryEntry entry{.name = from_utf16le(information.file_name),
                       .status = status_of(information)};
  entry.reparse_tag = static_cast<std::uint32_t>(information.reparse_tag());
  return entry;
}

}  // namespace

Task<std::unique_ptr<DirectoryListing>> DirectoryListing::open(TreeConnect& tree,
                                                               std::string path) {
  CreateParameters parameters;
  parameters.desired_access = wire::AccessMask::list_directory | wire::AccessMask::read_attributes |
                              wire::AccessMask::synchronize;
  parameters.share_access = share_everything;
  parameters.options = wire::CreateOptions::directory_file;
  auto open = co_await Open::create(tree, std::move(path), parameters);
  co_return std::unique_ptr<DirectoryListing>(new DirectoryListing(std::move(open)));
}

Task<std::vector<DirectoryEntry>> DirectoryListing::next() {
  std::vector<DirectoryEntry> entries;
  // A page may hold "." and ".." alone.
  while (entries.empty() && !at_end_) {
    auto more = co_await attempt(page());
    if (!more && restart_after(more.error())) continue;
    if (!more) co_return std::move(more).error().during("QUERY_DIRECTORY").on(open_->display());
    entries = std::move(*more);
  }
  co_return std::move(entries);
}

// The server may have moved on without us, so the listing begins anew: [MS-SMB2] 3.2.4.17.
bool DirectoryListing::restart_after(const Error& error) {
  const bool may = is_loss(error) && restarts_left_ != 0;
  if (!may || open_->tree().session().usable_channels() == 0) return false;
  begin_anew();
  return true;
}

void DirectoryListing::begin_anew() {
  restarts_ = true;
  --restarts_left_;
  // What was to be skipped before is still to be.
  entries_to_skip_ += entries_seen_;
  entries_seen_ = 0;
}

// Whether an entry was not yet given. After a restart the same ones come first, or nobody knows
// which are missing.
Result<bool> DirectoryListing::is_new(const DirectoryEntry& entry) {
  std::string name = entry.name ? *entry.name : std::string();
  ++entries_seen_;
  if (entries_to_skip_ == 0) {
    last_seen_ = std::move(name);
    return true;
  }
  if (--entries_to_skip_ == 0 && name != last_seen_) return std::unexpected(changed_meanwhile());
  return false;
}

Task<std::vector<DirectoryEntry>> DirectoryListing::page() {
  Connection& connection = open_->connection();
  std::vector<DirectoryEntry> entries;
  constexpr std::byte star[] = {std::byte{'*'}, std::byte{0}};
  wire::QueryDirectoryRequest message;
  message.file_id = open_->file_id();
  message.output_buffer_length = page_bytes;
  message.file_name = star;
  if (restarts_) message.flags = wire::QueryDirectoryFlags::restart_scans;
  Request request;
  request.set(message);
  open_->tree().prepare(request);
  Exchange exchange(request);
  exchange.reservation = co_await connection.pool().reserve();
  auto answered = co_await attempt(open_->tree().session().transact(exchange));
  co_await std::move(answered);
  restarts_ = false;
  const NtStatus status = request.status();
  if (status == NtStatus::no_more_files || status == NtStatus::no_such_file) {
    at_end_ = true;
    if (entries_to_skip_ != 0) co_return changed_meanwhile();
    co_return std::move(entries);
  }
  // The session was renewed meanwhile.
  if (status == NtStatus::network_session_expired && restarts_left_ != 0) {
    begin_anew();
    co_return std::move(entries);
  }
  if (status != NtStatus::success) co_return status_error(status, "QUERY_DIRECTORY");

  auto decoded = wire::decode<wire::QueryDirectoryResponse>(request.reply->message);
  const wire::QueryDirectoryResponse response = co_await std::move(decoded);
  if (response.output_buffer.size() > page_bytes || response.output_buffer.empty()) {
    co_return Error(ErrorKind::protocol, "the server sent a page of an impossible size");
  }
  wire::DirectoryCursor<Information> cursor(response.output_buffer);
  while (auto information = cursor.next()) {
    if (cursor.broken()) co_return std::move(*information).error();
    DirectoryEntry entry;
    if (*information) {
      entry = entry_of(**information);
    } else {
      entry.name = std::unexpected(std::move(*information).error());
    }
    auto first_time = is_new(entry);
    if (!first_time) co_return std::move(first_time).error();
    if (!*first_time) continue;
    if (!entry.name || (*entry.name != "." && *entry.name != "..")) {
      entries.push_back(std::move(entry));
    }
  }
  co_return std::move(entries);
}

Task<void> DirectoryListing::close() {
  auto closed = co_await attempt(open_->close());
  static_cast<void>(closed);  // nothing was written
}

}  // namespace smb3
