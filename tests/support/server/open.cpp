// The opens of requests and sessions: how they are found, counted and given up.
#include "support/server/open.h"

#include "support/server/durable.h"
#include "support/server/handlers.h"
#include "support/server/server.h"
#include "support/server/session.h"

namespace smb3::server {

namespace {

// [MS-SMB2] 3.3.5.2.10. False: the request is older than what the open has seen.
bool follow_channel_sequence(Open& open, std::uint16_t sequence) {
  constexpr std::uint16_t ahead_max = 0x7FFF;
  const auto ahead = static_cast<std::uint16_t>(sequence - open.channel_sequence);
  if (ahead > ahead_max) return false;
  if (ahead == 0) return true;
  open.outstanding_pre_requests += std::exchange(open.outstanding_requests, 0);
  open.channel_sequence = sequence;
  return true;
}

}  // namespace

StatusOr<std::shared_ptr<Open>> open_of(Request& request, const wire::FileId& id) {
  std::shared_ptr<Open> open;
  if (request.related && id == wire::no_file_id) {
    // [MS-SMB2] 3.3.5.2.7.2
    if (!request.chain.open) {
      return refuse(is_error(request.chain.status) ? request.chain.status
                                                   : NtStatus::invalid_handle);
    }
    open = request.chain.open;
    if (open->is_closed) return refuse(NtStatus::file_closed);
  } else {
    const auto found = request.session->opens.find(id.volatile_id);
    if (found == request.session->opens.end()) return refuse(NtStatus::file_closed);
    open = found->second;
    if (open->id.persistent != id.persistent) return refuse(NtStatus::file_closed);
  }
  request.chain.open = open;
  open->is_replay_eligible = false;
  // Any request tells of a lost channel; only some are refused for being late.
  follow_channel_sequence(*open, request.header.channel_sequence());
  return open;
}

OutstandingRequest::~OutstandingRequest() {
  if (!open_) return;
  std::uint32_t& count = channel_sequence_ == open_->channel_sequence
                             ? open_->outstanding_requests
                             : open_->outstanding_pre_requests;
  if (count > 0) --count;
}

StatusOr<OutstandingRequest> check_channel_sequence(const Request& request, Open& open) {
  const std::uint16_t sequence = request.header.channel_sequence();
  const bool replayed = has(request.header.flags, wire::HeaderFlags::replay_operation);
  if (!follow_channel_sequence(open, sequence)) return refuse(NtStatus::file_not_available);
  // What was sent before the channel was lost may still run, and would undo the replay.
  if (replayed && open.outstanding_pre_requests > 0) return refuse(NtStatus::file_not_available);
  ++open.outstanding_requests;
  return OutstandingRequest(open.shared_from_this(), sequence);
}

Task<void> wait_for_change(Request& request, OpenTable& table, std::shared_ptr<Node> node) {
  go_async(request);
  std::optional<Event> own;
  if (!request.cancelled) request.cancelled = &own.emplace(request.server.reactor());
  Event& event = *request.cancelled;
  table.add_waiter(*node, event);
  if (!request.is_cancelled) co_await event.wait();
  table.remove_waiter(event);
  if (own) request.cancelled = nullptr;
}

void end_opens(Session& session, const Tree* tree) {
  const auto opens = session.opens;
  for (const auto& [id, open] : opens) {
    if (tree && open->tree_id != tree->id) continue;
    if (!tree && survives(*open)) {
      detach(session, *open);
    } else if (open->table) {
      open->table->close(*open);
    }
  }
}

}  // namespace smb3::server
