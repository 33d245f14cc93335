// The small FSCTLs of files: [MS-SMB2] 3.3.5.15.1, 3.3.5.15.5, [MS-FSCC] 2.3.51, 2.3.83, 2.3.85.
#include "support/server/file_controls.h"

#include "support/server/data_checks.h"
#include "wire/copychunk.h"

#include <array>

namespace smb3::server {
namespace {

using wire::AccessMask;
using wire::FileAttributes;

constexpr std::size_t resume_key_bytes = 32;
constexpr std::size_t resume_key_bytes_min = 28;
constexpr std::uint64_t file_bytes_max = 0x7FFF'FFFF'FFFF'FFFF;
// Zeros are written, so there is an end to what one request may ask for.
constexpr std::uint64_t zeroed_bytes_max = std::uint64_t{1} << 30;
constexpr std::array<std::byte, 65536> zeros{};

NtStatus write_zeros(Node& node, std::uint64_t begin, std::uint64_t end) {
  if (end - begin > zeroed_bytes_max) return NtStatus::insufficient_resources;
  while (begin < end) {
    const auto step = static_cast<std::size_t>(std::min<std::uint64_t>(end - begin, zeros.size()));
    const auto written = node.write(begin, Bytes(zeros).first(step));
    if (!written) return written.error();
    begin += step;
  }
  return NtStatus::success;
}

// Up to the end of the file there is a way that makes a hole.
NtStatus cut_and_extend(Node& node, std::uint64_t begin, std::uint64_t size) {
  if (const auto cut = node.set_size(begin); !cut) return cut.error();
  const auto extended = node.set_size(size);
  return extended ? NtStatus::success : extended.error();
}

}  // namespace

ControlResult request_resume_key(Open& open, const wire::IoctlRequest& message) {
  if (message.max_output_response < resume_key_bytes_min) {
    return ControlResult::failed(NtStatus::invalid_parameter);
  }
  open.has_resume_key = true;
  wire::SrvRequestResumeKeyResponse response;
  store_le(response.resume_key.data(), open.id.persistent);
  ControlResult result;
  wire::encode(response, *result.output);
  const auto bytes = std::min<std::size_t>(resume_key_bytes, message.max_output_response);
  result.output->extend(bytes - result.output->size());
  return result;
}

// Holes are the store's business; this is the attribute.
ControlResult set_sparse(const Open& open, const wire::IoctlRequest& message) {
  if (open.is_directory) return ControlResult::failed(NtStatus::invalid_parameter);
  constexpr auto enough =
      AccessMask::write_data | AccessMask::append_data | AccessMask::write_attributes;
  if (!any(open.access, enough)) return ControlResult::failed(NtStatus::access_denied);
  const auto status = open.node->status();
  if (!status) return ControlResult::failed(status.error());
  const bool sparse = message.input.empty() || message.input[0] != std::byte{0};
  NodeChange change;
  change.attributes = status->attributes & ~FileAttributes::sparse_file;
  if (sparse) change.attributes |= FileAttributes::sparse_file;
  if (change.attributes == FileAttributes::none) change.attributes = FileAttributes::normal;
  const auto changed = open.node->change(change);
  return ControlResult::failed(changed ? NtStatus::success : changed.error());
}

Task<ControlResult> set_zero_data(Request& request, std::shared_ptr<Open> open, Bytes input) {
  if (open->is_directory || input.size() < 16) {
    co_return ControlResult::failed(NtStatus::invalid_parameter);
  }
  const auto begin = load_le<std::uint64_t>(input.data());
  const auto end = load_le<std::uint64_t>(input.data() + 8);
  if (begin > end || end > file_bytes_max) {
    co_return ControlResult::failed(NtStatus::invalid_parameter);
  }
  if (!any(open->access, AccessMask::write_data)) {
    co_return ControlResult::failed(NtStatus::access_denied);
  }
  const NtStatus broken = co_await break_oplocks(request, *open, BreakCause::write);
  if (broken != NtStatus::success) co_return ControlResult::failed(broken);
  const NtStatus locked = check_locks(request, *open, begin, end - begin, true);
  if (locked != NtStatus::success) co_return ControlResult::failed(locked);
  const auto status = open->node->status();
  if (!status) co_return ControlResult::failed(status.error());
  const std::uint64_t size = status->size_bytes;
  if (begin >= size) co_return ControlResult{};
  co_return ControlResult::failed(end >= size ? cut_and_extend(*open->node, begin, size)
                                              : write_zeros(*open->node, begin, end));
}

ControlResult query_allocated_ranges(const Open& open, const wire::IoctlRequest& message) {
  constexpr std::size_t range_bytes = 16;
  if (open.is_directory || message.input.size() < range_bytes) {
    return ControlResult::failed(NtStatus::invalid_parameter);
  }
  const auto offset = load_le<std::uint64_t>(message.input.data());
  const auto length = load_le<std::uint64_t>(message.input.data() + 8);
  if (offset > file_bytes_max || length > file_bytes_max - offset) {
    return ControlResult::failed(NtStatus::invalid_parameter);
  }
  if (!any(open.access, AccessMask::read_data)) {
    return ControlResult::failed(NtStatus::access_denied);
  }
  const auto status = open.node->status();
  if (!status) return ControlResult::failed(status.error());
  const std::uint64_t end = std::min(offset + length, status->size_bytes);
  ControlResult result;
  if (end <= offset) return result;
  if (message.max_output_response < range_bytes) {
    return ControlResult::failed(NtStatus::buffer_too_small);
  }
  std::byte* const range = result.output->extend(range_bytes);
  store_le(range, offset);
  store_le(range + 8, end - offset);
  return result;
}

ControlResult enumerate_snapshots(const wire::IoctlRequest& message) {
  constexpr std::size_t array_bytes = 16;
  if (message.max_output_response < array_bytes) {
    return ControlResult::failed(NtStatus::invalid_parameter);
  }
  ControlResult result;
  std::byte* const array = result.output->extend(array_bytes);
  store_le(array + 8, std::uint32_t{2});  // an empty list still has its end
  return result;
}

}  // namespace smb3::server
