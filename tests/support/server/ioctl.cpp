// IOCTL: [MS-SMB2] 3.3.5.15.
#include "wire/ioctl.h"

#include "support/server/data_checks.h"
#include "support/server/file_controls.h"
#include "support/server/handlers.h"
#include "support/server/session.h"

namespace smb3::server {
namespace {

using wire::ControlCode;

constexpr std::size_t input_offset_at = 24;

// These are of the server or the share, and name no file.
bool needs_no_file(ControlCode code) {
  return code == ControlCode::dfs_get_referrals || code == ControlCode::dfs_get_referrals_ex ||
         code == ControlCode::query_network_interface_info ||
         code == ControlCode::validate_negotiate_info || code == ControlCode::pipe_wait;
}

NtStatus check(const Request& request, const wire::IoctlRequest& message) {
  if (message.flags != wire::IoctlFlags::is_fsctl) return NtStatus::not_supported;
  const std::uint64_t most = request.connection.negotiated.max_transact_bytes;
  if (message.input.size() > most || message.max_input_response > most ||
      message.max_output_response > most) {
    return NtStatus::invalid_parameter;
  }
  if (!message.input.empty() && raw_field<std::uint32_t>(request, input_offset_at) % 8 != 0) {
    return NtStatus::invalid_parameter;
  }
  return NtStatus::success;
}

// No DFS here, whatever a share says of itself.
NtStatus refer(const Request& request) {
  const auto capabilities = request.tree->share->settings.capabilities;
  return has(capabilities, wire::ShareCapabilities::dfs) ? NtStatus::not_found
                                                         : NtStatus::fs_driver_required;
}

ControlResult control_share(Request& request, const wire::IoctlRequest& message) {
  if (message.ctl_code == ControlCode::query_network_interface_info) {
    return query_interfaces(request, message);
  }
  // There are no pipes to wait for ([MS-SMB2] 3.3.5.15.10).
  if (message.ctl_code == ControlCode::pipe_wait) {
    return ControlResult::failed(NtStatus::object_name_not_found);
  }
  return ControlResult::failed(refer(request));
}

ControlResult control_file(Open& open, const wire::IoctlRequest& message) {
  switch (message.ctl_code) {
    case ControlCode::srv_request_resume_key: return request_resume_key(open, message);
    case ControlCode::set_sparse: return set_sparse(open, message);
    case ControlCode::query_allocated_ranges: return query_allocated_ranges(open, message);
    case ControlCode::srv_enumerate_snapshots: return enumerate_snapshots(message);
    case ControlCode::get_reparse_point:
      return ControlResult::failed(NtStatus::not_a_reparse_point);
    case ControlCode::pipe_transceive:
    case ControlCode::pipe_peek:
    case ControlCode::lmr_request_resiliency: return ControlResult::failed(NtStatus::not_supported);
    case ControlCode::srv_read_hash: return ControlResult::failed(NtStatus::hash_not_supported);
    default: return ControlResult::failed(NtStatus::invalid_device_request);
  }
}

Task<ControlResult> control(Request& request, std::shared_ptr<Open> open,
                            wire::IoctlRequest message) {
  if (message.ctl_code == ControlCode::srv_copychunk ||
      message.ctl_code == ControlCode::srv_copychunk_write) {
    return copy_chunks(request, std::move(open), message);
  }
  if (message.ctl_code == ControlCode::set_zero_data) {
    return set_zero_data(request, std::move(open), message.input);
  }
  return [](std::shared_ptr<Open> file, wire::IoctlRequest asked) -> Task<ControlResult> {
    co_return control_file(*file, asked);
  }(std::move(open), message);
}

Answer answer(const wire::IoctlRequest& message, const wire::FileId& id, ControlResult result) {
  if (is_error(result.status) && !result.with_body) return Answer::refusal(result.status);
  wire::IoctlResponse response;
  response.ctl_code = message.ctl_code;
  response.file_id = id;
  response.output = result.output->bytes();
  return Answer::of(response, result.status);
}

}  // namespace

Task<Answer> ioctl(Request& request) {
  const auto message = decoded<wire::IoctlRequest>(request);
  if (!message) co_return Answer::refusal(message.error());
  if (message->ctl_code == ControlCode::validate_negotiate_info) {
    // [MS-SMB2] 3.3.5.15.12: nobody asks that on 3.1.1.
    request.connection.abort();
    Answer nothing;
    nothing.none = true;
    co_return std::move(nothing);
  }
  const NtStatus status = check(request, *message);
  if (status != NtStatus::success) co_return Answer::refusal(status);
  if (needs_no_file(message->ctl_code)) {
    if (message->file_id != wire::no_file_id) {
      co_return Answer::refusal(NtStatus::invalid_parameter);
    }
    co_return answer(*message, wire::no_file_id, control_share(request, *message));
  }
  const auto found = open_of(request, message->file_id);
  if (!found) co_return Answer::refusal(found.error());
  const std::shared_ptr<Open> open = *found;
  const auto outstanding = check_channel_sequence(request, *open);
  if (!outstanding) co_return Answer::refusal(outstanding.error());
  ControlResult result = co_await control(request, open, *message);
  co_return answer(*message, open->id, std::move(result));
}

}  // namespace smb3::server
