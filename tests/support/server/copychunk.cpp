// Copying on the server: [MS-SMB2] 3.3.5.15.6.
#include "wire/copychunk.h"

#include "support/server/data_checks.h"
#include "support/server/file_controls.h"
#include "support/server/session.h"

#include <algorithm>

namespace smb3::server {
namespace {

using wire::AccessMask;

constexpr NtStatus invalid_view_size{0xC000001F};
constexpr std::uint32_t chunks_max = 256;
constexpr std::uint32_t chunk_bytes_max = 1 << 20;
constexpr std::uint32_t total_bytes_max = 16 << 20;
constexpr std::uint64_t file_bytes_max = 0x7FFF'FFFF'FFFF'FFFF;
constexpr std::size_t piece_bytes = 65536;

ControlResult answered(NtStatus status, const wire::SrvCopychunkResponse& response) {
  ControlResult result;
  result.status = status;
  result.with_body = true;
  wire::encode(response, *result.output);
  return result;
}

// [MS-SMB2] 3.3.5.15.6.2
ControlResult limits() {
  wire::SrvCopychunkResponse response;
  response.chunks_written = chunks_max;
  response.chunk_bytes_written = chunk_bytes_max;
  response.total_bytes_written = total_bytes_max;
  return answered(NtStatus::invalid_parameter, response);
}

std::shared_ptr<Open> find_source(const Request& request, const wire::ResumeKey& key) {
  const auto id = load_le<std::uint64_t>(key.data());
  const bool rest_is_ours = std::all_of(key.begin() + sizeof id, key.end(),
                                        [](std::byte b) { return b == std::byte{0}; });
  if (!rest_is_ours) return nullptr;
  for (const auto& [volatile_id, open] : request.session->opens) {
    if (open->has_resume_key && open->id.persistent == id) return open;
  }
  return nullptr;
}

bool is_within_limits(const wire::SrvCopychunkCopy& copy) {
  if (copy.chunks.size() > chunks_max) return false;
  std::uint64_t total = 0;
  for (const wire::SrvCopychunk& chunk : copy.chunks) {
    if (chunk.length == 0 || chunk.length > chunk_bytes_max) return false;
    total += chunk.length;
    const std::uint64_t offset_max = file_bytes_max - chunk.length;
    if (chunk.source_offset > offset_max || chunk.target_offset > offset_max) return false;
  }
  return total <= total_bytes_max;
}

NtStatus check_access(const Open& source, const Open& target, wire::ControlCode code) {
  const bool reads_target =
      code == wire::ControlCode::srv_copychunk_write || has(target.access, AccessMask::read_data);
  if (!has(source.access, AccessMask::read_data) || !reads_target ||
      !any(target.access, AccessMask::write_data | AccessMask::append_data)) {
    return NtStatus::access_denied;
  }
  if (source.is_directory || target.is_directory) return NtStatus::invalid_device_request;
  return NtStatus::success;
}

NtStatus check_range_locks(const Request& request, const Open& source, const Open& target,
                           const wire::SrvCopychunkCopy& copy) {
  for (const wire::SrvCopychunk& chunk : copy.chunks) {
    NtStatus status = check_locks(request, source, chunk.source_offset, chunk.length, false);
    if (status == NtStatus::success) {
      status = check_locks(request, target, chunk.target_offset, chunk.length, true);
    }
    if (status != NtStatus::success) return status;
  }
  return NtStatus::success;
}

NtStatus copy_chunk(Node& source, Node& target, const wire::SrvCopychunk& chunk,
                    std::uint32_t& done) {
  const auto status = source.status();
  if (!status) return status.error();
  // What reaches behind the end of the source is not begun.
  if (chunk.source_offset + chunk.length > status->size_bytes) return invalid_view_size;
  std::vector<std::byte> piece(std::min<std::size_t>(piece_bytes, chunk.length));
  while (done < chunk.length) {
    const std::size_t wanted = std::min<std::size_t>(piece.size(), chunk.length - done);
    const auto got = source.read(chunk.source_offset + done, MutableBytes(piece).first(wanted));
    if (!got) return got.error();
    const auto written = target.write(chunk.target_offset + done, Bytes(piece).first(*got));
    if (!written) return written.error();
    done += static_cast<std::uint32_t>(*got);
    if (*got < wanted) return invalid_view_size;  // the source ends there
  }
  return NtStatus::success;
}

ControlResult copy_all(Node& source, Node& target, const wire::SrvCopychunkCopy& copy) {
  wire::SrvCopychunkResponse response;
  for (const wire::SrvCopychunk& chunk : copy.chunks) {
    std::uint32_t done = 0;
    const NtStatus status = copy_chunk(source, target, chunk, done);
    response.total_bytes_written += done;
    if (status != NtStatus::success) {
      response.chunk_bytes_written = done;
      return answered(status, response);
    }
    ++response.chunks_written;
  }
  return answered(NtStatus::success, response);
}

}  // namespace

Task<ControlResult> copy_chunks(Request& request, std::shared_ptr<Open> target,
                                wire::IoctlRequest message) {
  if (message.max_output_response < wire::fixed_size<wire::SrvCopychunkResponse>()) {
    co_return ControlResult::failed(NtStatus::invalid_parameter);
  }
  if (message.input.size() < wire::fixed_size<wire::SrvCopychunkCopy>()) co_return limits();
  const auto copy = wire::decode<wire::SrvCopychunkCopy>(message.input);
  if (!copy) co_return limits();
  const std::shared_ptr<Open> source = find_source(request, copy->source_key);
  if (!source) co_return ControlResult::failed(NtStatus::object_name_not_found);
  if (!is_within_limits(*copy)) co_return limits();
  const NtStatus allowed = check_access(*source, *target, message.ctl_code);
  if (allowed != NtStatus::success) co_return ControlResult::failed(allowed);
  const NtStatus broken = co_await break_oplocks(request, *target, BreakCause::write);
  if (broken != NtStatus::success) co_return ControlResult::failed(broken);
  const NtStatus locked = check_range_locks(request, *source, *target, *copy);
  if (locked != NtStatus::success) co_return answered(locked, {});
  co_return copy_all(*source->node, *target->node, *copy);
}

}  // namespace smb3::server
