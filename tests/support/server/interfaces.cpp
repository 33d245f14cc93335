// FSCTL_QUERY_NETWORK_INTERFACE_INFO: [MS-SMB2] 3.3.5.15.11.
#include "wire/network_interface.h"

#include "support/server/data_checks.h"
#include "support/server/file_controls.h"
#include "support/server/session.h"

namespace smb3::server {
namespace {

constexpr std::uint32_t multi_channel_capability = 0x8;

}  // namespace

ControlResult query_interfaces(const Request& request, const wire::IoctlRequest& message) {
  const ServerSettings& settings = request.server.settings();
  const bool authentic = request.sealed || request.verified;
  if (settings.strict && !authentic && request.session->keys) {
    return ControlResult::failed(NtStatus::access_denied);
  }
  const auto offered = request.connection.negotiated.client_capabilities;
  if (!settings.multichannel || (offered & multi_channel_capability) == 0) {
    return ControlResult::failed(NtStatus::not_supported);
  }
  std::vector<wire::NetworkInterfaceInfo> interfaces;
  for (const wire::NetworkInterfaceInfo& interface : settings.interfaces) {
    if (interface.if_index != 0) interfaces.push_back(interface);
  }
  ControlResult result;
  wire::encode_chain(interfaces, *result.output);
  if (result.output->size() > message.max_output_response) {
    return ControlResult::failed(NtStatus::buffer_too_small);
  }
  return result;
}

}  // namespace smb3::server
