// Acknowledgments of breaks: [MS-SMB2] 3.3.5.22.
#include "support/server/connection.h"
#include "support/server/data_checks.h"
#include "support/server/handlers.h"
#include "support/server/lease.h"
#include "wire/oplock_break.h"

namespace smb3::server {
namespace {

using wire::OplockLevel;

constexpr NtStatus invalid_device_state{0xC0000184};

// [MS-SMB2] 3.3.5.22.1
NtStatus acknowledge(Open& open, OplockLevel level) {
  if (open.oplock_state != OplockState::breaking || open.lease) return invalid_device_state;
  if (level == OplockLevel::lease) {
    end_break(open, OplockLevel::none);
    return NtStatus::invalid_parameter;
  }
  const bool lower = level == OplockLevel::none || level == OplockLevel::level_ii ||
                     (level == OplockLevel::exclusive && open.oplock_level == OplockLevel::batch);
  if (!lower) {
    end_break(open, OplockLevel::none);
    return NtStatus::invalid_oplock_protocol;
  }
  // More than was offered counts as nothing.
  const bool offered =
      level == OplockLevel::level_ii && open.oplock_break_to == OplockLevel::level_ii;
  end_break(open, offered ? OplockLevel::level_ii : OplockLevel::none);
  return NtStatus::success;
}

Answer acknowledge_oplock(Request& request) {
  const auto message = decoded<wire::OplockBreakAcknowledgment>(request);
  if (!message) return Answer::refusal(message.error());
  const auto open = open_of(request, message->file_id);
  if (!open) return Answer::refusal(open.error());
  const NtStatus status = acknowledge(**open, message->oplock_level);
  if (status != NtStatus::success) return Answer::refusal(status);
  wire::OplockBreakResponse response;
  response.oplock_level = (*open)->oplock_level;
  response.file_id = (*open)->id;
  return Answer::of(response);
}

// [MS-SMB2] 3.3.5.22.2
Answer acknowledge_lease(Request& request) {
  const auto message = decoded<wire::LeaseBreakAcknowledgment>(request);
  if (!message) return Answer::refusal(message.error());
  const auto lease = request.tree->share->opens->find_lease(
      request.connection.negotiated.client_guid, message->lease_key);
  if (!lease) return Answer::refusal(NtStatus::object_name_not_found);
  for (Open* open : lease->opens) open->is_replay_eligible = false;
  if (!lease->breaking) return Answer::refusal(NtStatus::unsuccessful);
  if (!has(lease->break_to, message->lease_state)) {
    return Answer::refusal(NtStatus::request_not_accepted);
  }
  end_break(*lease, message->lease_state);
  wire::LeaseBreakResponse response;
  response.lease_key = message->lease_key;
  response.lease_state = message->lease_state;
  return Answer::of(response);
}

}  // namespace

Task<Answer> oplock_break(Request& request) {
  const bool is_lease =
      wire::structure_size_of(request.element) == wire::LeaseBreakAcknowledgment::structure_size;
  co_return is_lease ? acknowledge_lease(request) : acknowledge_oplock(request);
}

}  // namespace smb3::server
