// QUERY_INFO: [MS-SMB2] 3.3.5.20.
#include "wire/query_info.h"

#include "support/server/handlers.h"
#include "support/server/query_answer.h"

namespace smb3::server {

Answer refusal_with_context(NtStatus status, Bytes data) {
  ByteBuffer contexts;
  wire::ErrorContext context;
  context.error_context_data = data;
  wire::encode_error_contexts({context}, contexts);
  wire::ErrorResponse response;
  response.error_context_count = 1;
  response.error_data = contexts.bytes();
  return Answer::refusal(status, response);
}

Answer answer_information(const Information& information, std::uint32_t room) {
  if (room == 0 || room < information.fixed_bytes) {
    return refusal_with_context(NtStatus::info_length_mismatch, {});
  }
  const Bytes whole = information.bytes.bytes();
  wire::QueryInfoResponse response;
  response.output_buffer = whole.first(std::min<std::size_t>(whole.size(), room));
  const bool is_cut = response.output_buffer.size() < whole.size();
  return Answer::of(response, is_cut ? NtStatus::buffer_overflow : NtStatus::success);
}

Task<Answer> query_info(Request& request) {
  const auto message = decoded<wire::QueryInfoRequest>(request);
  if (!message) co_return Answer::refusal(message.error());
  const auto open = open_of(request, message->file_id);
  if (!open) co_return Answer::refusal(open.error());
  if (message->output_buffer_length > request.connection.negotiated.max_transact_bytes) {
    co_return Answer::refusal(NtStatus::invalid_parameter);
  }
  Information information;
  NtStatus status = NtStatus::invalid_parameter;
  switch (message->info_type) {
    case wire::InfoType::file:
      status = query_file(request, **open, message->file_info_class, information);
      break;
    case wire::InfoType::filesystem:
      status = query_file_system(request, message->file_info_class, information);
      break;
    case wire::InfoType::security: co_return query_security(**open, *message);
    case wire::InfoType::quota: status = NtStatus::not_supported; break;
  }
  if (status != NtStatus::success) co_return Answer::refusal(status);
  co_return answer_information(information, message->output_buffer_length);
}

}  // namespace smb3::server
