// CLOSE: [MS-SMB2] 3.3.5.10.
#include "wire/close.h"

#include "support/server/data_checks.h"
#include "support/server/handlers.h"

namespace smb3::server {

Task<Answer> close(Request& request) {
  const auto message = decoded<wire::CloseRequest>(request);
  if (!message) co_return Answer::refusal(message.error());
  const auto open = open_of(request, message->file_id);
  if (!open) co_return Answer::refusal(open.error());
  wire::CloseResponse response;
  if (has(message->flags, wire::CloseFlags::postquery_attrib)) {
    if (const auto status = (*open)->node->status()) {
      response.flags = wire::CloseFlags::postquery_attrib;
      response.creation_time = status->creation_time;
      response.last_access_time = status->last_access_time;
      response.last_write_time = status->last_write_time;
      response.change_time = status->change_time;
      response.allocation_size = status->allocated_bytes;
      response.end_of_file = status->size_bytes;
      response.file_attributes = status->attributes;
    }
  }
  if ((*open)->table) (*open)->table->close(**open);
  co_return Answer::of(response);
}

}  // namespace smb3::server
