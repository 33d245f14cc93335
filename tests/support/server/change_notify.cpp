// CHANGE_NOTIFY: [MS-SMB2] 3.3.5.19.
#include "wire/change_notify.h"

#include "support/server/change_watch.h"
#include "support/server/data_checks.h"
#include "support/server/handlers.h"
#include "support/server/names.h"

namespace smb3::server {

namespace {

NtStatus check(Request& request, const Open& open, const wire::ChangeNotifyRequest& notify) {
  if (notify.output_buffer_length > request.connection.negotiated.max_transact_bytes) {
    return NtStatus::invalid_parameter;
  }
  if (!open.is_directory) return NtStatus::invalid_parameter;
  if (!any(open.access, wire::AccessMask::list_directory)) return NtStatus::access_denied;
  return NtStatus::success;
}

Answer answer_changes(ChangeWatch& watch, std::uint32_t room) {
  const auto changes = watch.take();
  std::vector<wire::FileNotifyInformation> entries;
  if (changes) {
    for (const Change& change : *changes) entries.push_back({change.action, to_wire(change.path)});
  }
  ByteBuffer list;
  wire::encode_chain(entries, list, wire::file_notify_alignment);
  wire::ChangeNotifyResponse response;
  if (!changes || list.size() > room) return Answer::of(response, NtStatus::notify_enum_dir);
  response.output_buffer = list.bytes();
  return Answer::of(response);
}

}  // namespace

Task<Answer> change_notify(Request& request) {
  const auto message = decoded<wire::ChangeNotifyRequest>(request);
  if (!message) co_return Answer::refusal(message.error());
  auto found = open_of(request, message->file_id);
  if (!found) co_return Answer::refusal(found.error());
  const NtStatus status = check(request, **found, *message);
  if (status != NtStatus::success) co_return Answer::refusal(status);
  Open& open = **found;
  if (!open.watch) {
    const bool whole_tree = has(message->flags, wire::ChangeNotifyFlags::watch_tree);
    open.watch =
        request.tree->share->watches.add(open.path, whole_tree, message->completion_filter);
  }
  const std::shared_ptr<ChangeWatch> watch = open.watch->shared_from_this();
  // The open may end while this waits, and that must reach the watch.
  found->reset();
  request.chain.open.reset();

  Event& woken = *request.cancelled;
  watch->add_waiter(woken);
  while (!request.is_cancelled && !watch->ended() &&
         !(watch->has_changes() && watch->is_first(woken))) {
    go_async(request);
    co_await woken.wait();
  }
  Answer answer;
  if (request.is_cancelled) {
    answer = Answer::refusal(NtStatus::cancelled);
  } else if (watch->has_changes() && !watch->ended()) {
    answer = answer_changes(*watch, message->output_buffer_length);
  } else if (watch->ended() == NtStatus::notify_cleanup) {
    answer = Answer::of(wire::ChangeNotifyResponse{}, NtStatus::notify_cleanup);
  } else {
    answer = Answer::refusal(*watch->ended());
  }
  watch->remove_waiter(woken);
  co_return std::move(answer);
}

}  // namespace smb3::server
