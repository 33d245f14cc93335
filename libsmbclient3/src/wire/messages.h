// THE list of all messages and structures. Tests and fuzz targets follow from it: a new message is
// its file, one line here, and one vector in tests/vectors/.
#pragma once

#include "wire/cancel.h"
#include "wire/change_notify.h"
#include "wire/close.h"
#include "wire/copychunk.h"
#include "wire/create.h"
#include "wire/dfs_referral.h"
#include "wire/dfs_referral_entry.h"
#include "wire/directory_information.h"
#include "wire/echo.h"
#include "wire/error_response.h"
#include "wire/file_information.h"
#include "wire/file_system_information.h"
#include "wire/flush.h"
#include "wire/ioctl.h"
#include "wire/lock.h"
#include "wire/logoff.h"
#include "wire/negotiate.h"
#include "wire/network_interface.h"
#include "wire/oplock_break.h"
#include "wire/packet_header.h"
#include "wire/query_directory.h"
#include "wire/query_info.h"
#include "wire/read.h"
#include "wire/server_notification.h"
#include "wire/session_setup.h"
#include "wire/set_info.h"
#include "wire/transform_header.h"
#include "wire/tree_connect.h"
#include "wire/tree_disconnect.h"
#include "wire/write.h"

// clang-format off

// Bodies behind an SMB2 header.
#define SMB3_MESSAGES(message)         \
  message(ErrorResponse)               \
  message(NegotiateRequest)            \
  message(NegotiateResponse)           \
  message(SessionSetupRequest)         \
  message(SessionSetupResponse)        \
  message(LogoffRequest)               \
  message(LogoffResponse)              \
  message(TreeConnectRequest)          \
  message(TreeConnectResponse)         \
  message(TreeDisconnectRequest)       \
  message(TreeDisconnectResponse)      \
  message(CreateRequest)               \
  message(CreateResponse)              \
  message(CloseRequest)                \
  message(CloseResponse)               \
  message(FlushRequest)                \
  message(FlushResponse)               \
  message(ReadRequest)                 \
  message(ReadResponse)                \
  message(WriteRequest)                \
  message(WriteResponse)               \
  message(LockRequest)                 \
  message(LockResponse)                \
  message(IoctlRequest)                \
  message(IoctlResponse)               \
  message(CancelRequest)               \
  message(EchoRequest)                 \
  message(EchoResponse)                \
  message(QueryDirectoryRequest)       \
  message(QueryDirectoryResponse)      \
  message(ChangeNotifyRequest)         \
  message(ChangeNotifyResponse)        \
  message(QueryInfoRequest)            \
  message(QueryInfoResponse)           \
  message(SetInfoRequest)              \
  message(SetInfoResponse)             \
  message(OplockBreak)                 \
  message(LeaseBreakNotification)      \
  message(LeaseBreakAcknowledgment)    \
  message(ServerToClientNotification)

// What stands in front of bodies or inside of them.
#define SMB3_STRUCTURES(structure)          \
  structure(PacketHeader)                   \
  structure(TransformHeader)                \
  structure(ErrorContext)                   \
  structure(RequiredSizeError)              \
  structure(SymbolicLinkError)              \
  structure(MoveDstIpaddr)                  \
  structure(ShareRedirectError)             \
  structure(NegotiateContext)               \
  structure(PreauthIntegrityCapabilities)   \
  structure(EncryptionCapabilities)         \
  structure(CompressionCapabilities)        \
  structure(NetnameNegotiateContextId)      \
  structure(TransportCapabilities)          \
  structure(RdmaTransformCapabilities)      \
  structure(SigningCapabilities)            \
  structure(TreeConnectContext)             \
  structure(CreateContext)                  \
  structure(DurableHandleRequest)           \
  structure(DurableHandleResponse)          \
  structure(DurableHandleReconnect)         \
  structure(DurableHandleRequestV2)         \
  structure(DurableHandleResponseV2)        \
  structure(DurableHandleReconnectV2)       \
  structure(LeaseV1)                        \
  structure(LeaseV2)                        \
  structure(QueryMaximalAccessResponse)     \
  structure(QueryOnDiskIdResponse)          \
  structure(AllocationSize)                 \
  structure(TimewarpToken)                  \
  structure(AppInstanceId)                  \
  structure(AppInstanceVersion)             \
  structure(LockElement)                    \
  structure(NetworkInterfaceInfo)           \
  structure(SrvRequestResumeKeyResponse)    \
  structure(SrvCopychunk)                   \
  structure(SrvCopychunkCopy)               \
  structure(SrvCopychunkResponse)           \
  structure(DuplicateExtentsData)           \
  structure(FileIdBothDirectoryInformation) \
  structure(FileIdExtdDirectoryInformation) \
  structure(FileNamesInformation)           \
  structure(FileBasicInformation)           \
  structure(FileStandardInformation)        \
  structure(FileInternalInformation)        \
  structure(FileAllInformation)             \
  structure(FileEndOfFileInformation)       \
  structure(FileAllocationInformation)      \
  structure(FileDispositionInformation)     \
  structure(FileDispositionInformationEx)   \
  structure(FileRenameInformation)          \
  structure(FileNetworkOpenInformation)     \
  structure(FileAttributeTagInformation)    \
  structure(FileStreamInformation)          \
  structure(FileFsVolumeInformation)        \
  structure(FileFsAttributeInformation)     \
  structure(FileFsFullSizeInformation)      \
  structure(FileFsSectorSizeInformation)    \
  structure(FileNotifyInformation)          \
  structure(DfsReferralRequest)             \
  structure(DfsReferralHeader)              \
  structure(DfsReferralEntryStart)          \
  structure(DfsReferralV2)                  \
  structure(DfsReferralV3)                  \
  structure(DfsNameListReferralV3)

// clang-format on
