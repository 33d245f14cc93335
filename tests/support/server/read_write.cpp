// READ, WRITE and FLUSH: [MS-SMB2] 3.3.5.12, 3.3.5.13, 3.3.5.11.
#include "support/server/change_watch.h"
#include "support/server/data_checks.h"
#include "support/server/handlers.h"
#include "support/server/names.h"
#include "wire/flush.h"
#include "wire/read.h"
#include "wire/write.h"

namespace smb3::server {

namespace {

using wire::AccessMask;
using wire::CreateOptions;
using wire::WriteFlags;

constexpr std::uint64_t file_bytes_max = 0x7FFF'FFFF'FFFF'FFFF;
constexpr std::uint64_t sector_bytes = 512;
constexpr std::uint64_t at_end_of_file = ~std::uint64_t{0};
constexpr std::size_t read_channel_at = 36;
constexpr std::size_t write_data_offset_at = 2;
constexpr std::size_t write_channel_at = 32;
constexpr std::uint16_t write_data_offset_max = 0x100;

bool is_unaligned(const Request& request, const Open& open, std::uint64_t offset,
                  std::uint64_t length) {
  return request.server.settings().strict &&
         has(open.options, CreateOptions::no_intermediate_buffering) &&
         (offset % sector_bytes != 0 || length % sector_bytes != 0);
}

bool may_read(const Request& request, const Open& open) {
  AccessMask enough = AccessMask::read_data;
  // Well-known servers let a program be read that may only be run.
  if (!request.server.settings().strict) enough |= AccessMask::execute;
  return any(open.access, enough);
}

NtStatus check_read(Request& request, const Open& open, const wire::ReadRequest& read) {
  if (!may_read(request, open)) return NtStatus::access_denied;
  if (open.is_directory) return NtStatus::invalid_device_request;
  if (read.length > request.connection.negotiated.max_read_bytes ||
      raw_field<std::uint32_t>(request, read_channel_at) != 0 || read.offset > file_bytes_max ||
      read.length > file_bytes_max - read.offset ||
      is_unaligned(request, open, read.offset, read.length)) {
    return NtStatus::invalid_parameter;
  }
  return check_locks(request, open, read.offset, read.length, false);
}

// The bytes of a READ where they lie, or a copy.
StatusOr<ContentView> read_from(Node& node, std::uint64_t offset, std::size_t length) {
  ContentView view = node.view(offset, length);
  if (!view.bytes.empty()) return view;
  auto copy = std::make_shared_for_overwrite<std::byte[]>(length);
  const auto got = node.read(offset, {copy.get(), length});
  if (!got) return refuse(got.error());
  return ContentView{{copy.get(), *got}, std::move(copy)};
}

void turn_a_bit(ContentView& view, std::uint64_t which) {
  if (view.bytes.empty()) return;
  auto copy = std::make_shared_for_overwrite<std::byte[]>(view.bytes.size());
  std::ranges::copy(view.bytes, copy.get());
  const std::uint64_t bit = which % (view.bytes.size() * std::uint64_t{8});
  copy[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
  view.bytes = {copy.get(), view.bytes.size()};
  view.owner = std::move(copy);
}

// One byte is left: nothing at all would be no progress.
std::size_t shortened_by(const Fault& fault, std::size_t length) {
  return length == 0 ? 0
                     : static_cast<std::size_t>(std::min<std::uint64_t>(length - 1, fault.value));
}

Answer answer_read(Request& request, Open& open, const wire::ReadRequest& read) {
  std::size_t length = read.length;
  if (const Fault* fault = request.fault(FaultKind::shorten)) {
    length -= shortened_by(*fault, length);
  }
  ContentView content;
  if (length > 0) {
    auto got = read_from(*open.node, read.offset, length);
    if (!got) return Answer::refusal(got.error());
    content = std::move(*got);
    if (content.bytes.empty()) return Answer::refusal(NtStatus::end_of_file);
  }
  if (content.bytes.size() < read.minimum_count) return Answer::refusal(NtStatus::end_of_file);
  if (const Fault* fault = request.fault(FaultKind::damage)) turn_a_bit(content, fault->value);
  wire::ReadResponse response;
  response.data = content.bytes;
  Answer answer = Answer::of(response);
  answer.owner = std::move(content.owner);
  return answer;
}

bool may_write(const Request& request, const Open& open, std::uint64_t end) {
  constexpr AccessMask either = AccessMask::write_data | AccessMask::append_data;
  // CREATE takes FILE_APPEND_DATA away from an unbuffered open (3.3.5.9): there it says nothing.
  if (!request.server.settings().strict ||
      has(open.options, CreateOptions::no_intermediate_buffering)) {
    return any(open.access, either);
  }
  const auto status = open.node->status();
  const bool extends = !status || end > status->size_bytes;
  return any(open.access, extends ? AccessMask::append_data : AccessMask::write_data);
}

NtStatus check_write(Request& request, const Open& open, const wire::WriteRequest& write) {
  constexpr auto invalid = NtStatus::invalid_parameter;
  const std::uint64_t length = write.data.size();
  const bool append = write.offset == at_end_of_file;
  if (!append && (write.offset > file_bytes_max || length > file_bytes_max - write.offset)) {
    return invalid;
  }
  if (on_read_only_share(request)) return NtStatus::media_write_protected;
  if (!may_write(request, open, append ? at_end_of_file : write.offset + length)) {
    return NtStatus::access_denied;
  }
  if (open.is_directory) return NtStatus::invalid_device_request;
  if (length > request.connection.negotiated.max_write_bytes ||
      raw_field<std::uint32_t>(request, write_channel_at) != 0 ||
      raw_field<std::uint16_t>(request, write_data_offset_at) > write_data_offset_max) {
    return invalid;
  }
  if (request.server.settings().strict && has(write.flags, WriteFlags::write_through) &&
      !has(write.flags, WriteFlags::write_unbuffered) &&
      !has(open.options, CreateOptions::no_intermediate_buffering)) {
    return invalid;
  }
  if (is_unaligned(request, open, append ? 0 : write.offset, length)) return invalid;
  return NtStatus::success;
}

StatusOr<> write_to(Request& request, Open& open, std::uint64_t offset, Bytes data, bool through) {
  if (auto written = open.node->write(offset, data); !written) return written;
  if (auto restored = restore_kept_times(open); !restored) return restored;
  request.tree->share->watches.report(
      wire::FileAction::modified, wire::CompletionFilter::size | wire::CompletionFilter::last_write,
      open.path);
  if (!through) return {};
  return open.node->sync();
}

}  // namespace

Task<Answer> read(Request& request) {
  const auto message = decoded<wire::ReadRequest>(request);
  if (!message) co_return Answer::refusal(message.error());
  const auto open = open_of(request, message->file_id);
  if (!open) co_return Answer::refusal(open.error());
  const NtStatus status = check_read(request, **open, *message);
  if (status != NtStatus::success) co_return Answer::refusal(status);
  co_return answer_read(request, **open, *message);
}

Task<Answer> write(Request& request) {
  const auto message = decoded<wire::WriteRequest>(request);
  if (!message) co_return Answer::refusal(message.error());
  const auto found = open_of(request, message->file_id);
  if (!found) co_return Answer::refusal(found.error());
  Open& open = **found;
  const auto outstanding = check_channel_sequence(request, open);
  if (!outstanding) co_return Answer::refusal(outstanding.error());
  const NtStatus status = check_write(request, open, *message);
  if (status != NtStatus::success) co_return Answer::refusal(status);
  const NtStatus broken = co_await break_oplocks(request, open, BreakCause::write);
  if (broken != NtStatus::success) co_return Answer::refusal(broken);

  Bytes data = message->data;
  if (const Fault* fault = request.fault(FaultKind::shorten)) {
    data = data.first(data.size() - shortened_by(*fault, data.size()));
  }
  std::uint64_t offset = message->offset;
  if (offset == at_end_of_file) {
    const auto node = open.node->status();
    if (!node) co_return Answer::refusal(node.error());
    offset = node->size_bytes;
    if (data.size() > file_bytes_max - offset) co_return Answer::refusal(NtStatus::disk_full);
  }
  const NtStatus locked = check_locks(request, open, offset, data.size(), true);
  if (locked != NtStatus::success) co_return Answer::refusal(locked);
  if (!request.fault(FaultKind::lose_write) && !data.empty()) {
    const bool through = has(message->flags, WriteFlags::write_through) ||
                         has(open.options, CreateOptions::write_through);
    const auto written = write_to(request, open, offset, data, through);
    if (!written) co_return Answer::refusal(written.error());
  }
  wire::WriteResponse response;
  response.count = static_cast<std::uint32_t>(data.size());
  co_return Answer::of(response);
}

Task<Answer> flush(Request& request) {
  const auto message = decoded<wire::FlushRequest>(request);
  if (!message) co_return Answer::refusal(message.error());
  const auto open = open_of(request, message->file_id);
  if (!open) co_return Answer::refusal(open.error());
  // FILE_ADD_FILE and FILE_ADD_SUBDIRECTORY of a folder are the same bits.
  if (!any((*open)->access, AccessMask::write_data | AccessMask::append_data)) {
    co_return Answer::refusal(NtStatus::access_denied);
  }
  const auto synced = (*open)->node->sync();
  if (!synced) co_return Answer::refusal(synced.error());
  co_return Answer::of(wire::FlushResponse{});
}

}  // namespace smb3::server
