// Which declaration of the wire layer a message, a context or a buffer has.
#pragma once

#include "wire/messages.h"

#include <type_traits>

namespace smb3::server {

template <class T>
using TypeOf = std::type_identity<T>;

// Calls `visit(TypeOf<M>{})` with the message's type. False: there is none.
template <class Visit>
bool visit_message(wire::Command command, bool response, Bytes element, Visit&& visit) {
  using namespace wire;
  const auto either = [&](auto request, auto answer) {
    response ? visit(answer) : visit(request);
    return true;
  };
  switch (command) {
    case Command::negotiate: return either(TypeOf<NegotiateRequest>{}, TypeOf<NegotiateResponse>{});
    case Command::session_setup:
      return either(TypeOf<SessionSetupRequest>{}, TypeOf<SessionSetupResponse>{});
    case Command::logoff: return either(TypeOf<LogoffRequest>{}, TypeOf<LogoffResponse>{});
    case Command::tree_connect:
      return either(TypeOf<TreeConnectRequest>{}, TypeOf<TreeConnectResponse>{});
    case Command::tree_disconnect:
      return either(TypeOf<TreeDisconnectRequest>{}, TypeOf<TreeDisconnectResponse>{});
    case Command::create: return either(TypeOf<CreateRequest>{}, TypeOf<CreateResponse>{});
    case Command::close: return either(TypeOf<CloseRequest>{}, TypeOf<CloseResponse>{});
    case Command::flush: return either(TypeOf<FlushRequest>{}, TypeOf<FlushResponse>{});
    case Command::read: return either(TypeOf<ReadRequest>{}, TypeOf<ReadResponse>{});
    case Command::write: return either(TypeOf<WriteRequest>{}, TypeOf<WriteResponse>{});
    case Command::lock: return either(TypeOf<LockRequest>{}, TypeOf<LockResponse>{});
    case Command::ioctl: return either(TypeOf<IoctlRequest>{}, TypeOf<IoctlResponse>{});
    case Command::cancel: visit(TypeOf<CancelRequest>{}); return true;
    case Command::echo: return either(TypeOf<EchoRequest>{}, TypeOf<EchoResponse>{});
    case Command::query_directory:
      return either(TypeOf<QueryDirectoryRequest>{}, TypeOf<QueryDirectoryResponse>{});
    case Command::change_notify:
      return either(TypeOf<ChangeNotifyRequest>{}, TypeOf<ChangeNotifyResponse>{});
    case Command::query_info:
      return either(TypeOf<QueryInfoRequest>{}, TypeOf<QueryInfoResponse>{});
    case Command::set_info: return either(TypeOf<SetInfoRequest>{}, TypeOf<SetInfoResponse>{});
    case Command::oplock_break:
      switch (structure_size_of(element)) {
        case OplockBreak::structure_size: visit(TypeOf<OplockBreak>{}); return true;
        case LeaseBreakNotification::structure_size:
          visit(TypeOf<LeaseBreakNotification>{});
          return true;
        case LeaseBreakAcknowledgment::structure_size:
          visit(TypeOf<LeaseBreakAcknowledgment>{});
          return true;
        default: return false;
      }
    case Command::server_to_client_notification:
      visit(TypeOf<ServerToClientNotification>{});
      return true;
  }
  return false;
}

// The data of a context of NEGOTIATE.
template <class Visit>
bool visit_negotiate_context(wire::NegotiateContextType type, Visit&& visit) {
  using namespace wire;
  switch (type) {
#define SMB3_CONTEXT(T) \
  case T::context_type: visit(TypeOf<T>{}); return true;
    SMB3_CONTEXT(PreauthIntegrityCapabilities)
    SMB3_CONTEXT(EncryptionCapabilities)
    SMB3_CONTEXT(CompressionCapabilities)
    SMB3_CONTEXT(NetnameNegotiateContextId)
    SMB3_CONTEXT(TransportCapabilities)
    SMB3_CONTEXT(RdmaTransformCapabilities)
    SMB3_CONTEXT(SigningCapabilities)
#undef SMB3_CONTEXT
    default: return false;
  }
}

// The data of a context of CREATE.
template <class Visit>
bool visit_create_context(const wire::CreateContext& context, bool response, Visit&& visit) {
  using namespace wire;
  const std::string_view name(reinterpret_cast<const char*>(context.name.data()),
                              context.name.size());
  const auto is = [&](std::string_view wanted, auto type) {
    if (name != wanted) return false;
    visit(type);
    return true;
  };
  if (name == create_context::lease && context.data.size() < fixed_size<LeaseV2>()) {
    return is(create_context::lease, TypeOf<LeaseV1>{});
  }
  if (is(create_context::lease, TypeOf<LeaseV2>{})) return true;
  if (response) {
    return is(create_context::durable_handle_request, TypeOf<DurableHandleResponse>{}) ||
           is(create_context::durable_handle_request_v2, TypeOf<DurableHandleResponseV2>{}) ||
           is(create_context::query_maximal_access, TypeOf<QueryMaximalAccessResponse>{}) ||
           is(create_context::query_on_disk_id, TypeOf<QueryOnDiskIdResponse>{});
  }
  return is(create_context::durable_handle_request, TypeOf<DurableHandleRequest>{}) ||
         is(create_context::durable_handle_reconnect, TypeOf<DurableHandleReconnect>{}) ||
         is(create_context::durable_handle_request_v2, TypeOf<DurableHandleRequestV2>{}) ||
         is(create_context::durable_handle_reconnect_v2, TypeOf<DurableHandleReconnectV2>{}) ||
         is(create_context::allocation_size, TypeOf<AllocationSize>{}) ||
         is(create_context::timewarp_token, TypeOf<TimewarpToken>{}) ||
         is(create_context::app_instance_id, TypeOf<AppInstanceId>{}) ||
         is(create_context::app_instance_version, TypeOf<AppInstanceVersion>{});
}

// A buffer of information about a file. Chains are visited as their entries.
template <class Visit>
bool visit_file_information(wire::FileInformationClass information, Visit&& visit) {
  using namespace wire;
  switch (information) {
#define SMB3_CLASS(T) \
  case T::information_class: visit(TypeOf<T>{}); return true;
    SMB3_CLASS(FileBasicInformation)
    SMB3_CLASS(FileStandardInformation)
    SMB3_CLASS(FileInternalInformation)
    SMB3_CLASS(FileAllInformation)
    SMB3_CLASS(FileEndOfFileInformation)
    SMB3_CLASS(FileAllocationInformation)
    SMB3_CLASS(FileDispositionInformation)
    SMB3_CLASS(FileDispositionInformationEx)
    SMB3_CLASS(FileRenameInformation)
    SMB3_CLASS(FileNetworkOpenInformation)
    SMB3_CLASS(FileAttributeTagInformation)
    SMB3_CLASS(FileStreamInformation)
    default: return false;
  }
}

template <class Visit>
bool visit_file_system_information(wire::FileSystemInformationClass information, Visit&& visit) {
  using namespace wire;
  switch (information) {
    SMB3_CLASS(FileFsVolumeInformation)
    SMB3_CLASS(FileFsAttributeInformation)
    SMB3_CLASS(FileFsFullSizeInformation)
    SMB3_CLASS(FileFsSectorSizeInformation)
#undef SMB3_CLASS
    default: return false;
  }
}

// The input of a request, the output of an answer.
template <class Visit>
bool visit_ioctl(wire::ControlCode code, bool response, Visit&& visit) {
  using namespace wire;
  const auto only = [&](bool wanted, auto type) {
    if (wanted) visit(type);
    return wanted;
  };
  switch (code) {
    case ControlCode::srv_copychunk:
    case ControlCode::srv_copychunk_write:
      response ? visit(TypeOf<SrvCopychunkResponse>{}) : visit(TypeOf<SrvCopychunkCopy>{});
      return true;
    case ControlCode::srv_request_resume_key:
      return only(response, TypeOf<SrvRequestResumeKeyResponse>{});
    case ControlCode::query_network_interface_info:
      return only(response, TypeOf<NetworkInterfaceInfo>{});
    case ControlCode::duplicate_extents_to_file:
      return only(!response, TypeOf<DuplicateExtentsData>{});
    case ControlCode::dfs_get_referrals:
      response ? visit(TypeOf<DfsReferralHeader>{}) : visit(TypeOf<DfsReferralRequest>{});
      return true;
    default: return false;
  }
}

// Entries of a chain begin with the distance to the next.
template <class T>
inline constexpr bool is_chained = false;
template <>
inline constexpr bool is_chained<wire::FileStreamInformation> = true;
template <>
inline constexpr bool is_chained<wire::NetworkInterfaceInfo> = true;
template <>
inline constexpr bool is_chained<wire::FileNotifyInformation> = true;
template <>
inline constexpr bool is_chained<wire::FileIdBothDirectoryInformation> = true;
template <>
inline constexpr bool is_chained<wire::FileIdExtdDirectoryInformation> = true;
template <>
inline constexpr bool is_chained<wire::FileNamesInformation> = true;

}  // namespace smb3::server
