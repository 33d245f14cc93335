// SET_INFO: [MS-SMB2] 3.3.5.21.
#include "wire/set_info.h"

#include "support/server/handlers.h"
#include "support/server/query_answer.h"
#include "support/server/set_information.h"
#include "wire/file_information.h"

namespace smb3::server {

namespace {

using wire::FileInformationClass;

// Classes that could be set, but not here: [MS-FSCC] 2.4.
NtStatus refusal_of(std::uint8_t number) {
  constexpr std::uint8_t link = 11, full_ea = 15, mode = 16, pipe = 23, valid_data_length = 39;
  constexpr std::uint8_t short_name = 40, rename_ex = 65, case_sensitive = 71, link_ex = 72;
  switch (number) {
    case link:
    case full_ea:
    case mode:
    case pipe:
    case valid_data_length:
    case short_name:
    case rename_ex:
    case case_sensitive:
    case link_ex: return NtStatus::not_supported;
    default: return NtStatus::invalid_info_class;
  }
}

// Opens have no position: every READ and WRITE names its offset.
NtStatus set_position(Bytes buffer) {
  return buffer.size() < sizeof(std::uint64_t) ? NtStatus::info_length_mismatch : NtStatus::success;
}

Task<NtStatus> set_file(Request& request, Open& open, const wire::SetInfoRequest& set) {
  constexpr FileInformationClass position{14};
  if (on_read_only_share(request)) co_return NtStatus::media_write_protected;
  const FileInformationClass kind{set.file_info_class};
  if (kind == FileInformationClass::basic) co_return set_basic(request, open, set.buffer);
  if (kind == position) co_return set_position(set.buffer);
  if (kind == FileInformationClass::end_of_file) {
    co_return co_await set_end_of_file(request, open, set.buffer);
  }
  if (kind == FileInformationClass::allocation) {
    co_return co_await set_allocation(request, open, set.buffer);
  }
  if (kind == FileInformationClass::disposition) {
    co_return co_await set_disposition(request, open, set.buffer);
  }
  if (kind == FileInformationClass::disposition_ex) {
    co_return co_await set_disposition_ex(request, open, set.buffer);
  }
  if (kind == FileInformationClass::rename) co_return co_await rename(request, open, set.buffer);
  co_return refusal_of(set.file_info_class);
}

}  // namespace

Task<Answer> set_info(Request& request) {
  const auto message = decoded<wire::SetInfoRequest>(request);
  if (!message) co_return Answer::refusal(message.error());
  const auto found = open_of(request, message->file_id);
  if (!found) co_return Answer::refusal(found.error());
  Open& open = **found;
  const auto outstanding = check_channel_sequence(request, open);
  if (!outstanding) co_return Answer::refusal(outstanding.error());
  if (message->buffer.empty() ||
      message->buffer.size() > request.connection.negotiated.max_transact_bytes) {
    co_return Answer::refusal(NtStatus::invalid_parameter);
  }
  NtStatus status = NtStatus::invalid_parameter;
  switch (message->info_type) {
    case wire::InfoType::file: status = co_await set_file(request, open, *message); break;
    case wire::InfoType::security:
      status = set_security(open, message->additional_information);
      break;
    // Volumes are not set up over the network; there are no quotas.
    case wire::InfoType::filesystem: status = NtStatus::access_denied; break;
    case wire::InfoType::quota: status = NtStatus::not_supported; break;
  }
  if (status != NtStatus::success) co_return Answer::refusal(status);
  co_return Answer::of(wire::SetInfoResponse{});
}

}  // namespace smb3::server
