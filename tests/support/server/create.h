// What a CREATE asks for, taken apart, and what has come of it so far.
#pragma once

#include "support/server/open.h"
#include "wire/create.h"

#include <optional>
#include <string>

namespace smb3::server {

struct Creation {
  std::u16string path;
  wire::CreateDisposition disposition{};
  wire::CreateOptions options{};
  wire::AccessMask desired_access{};  // as asked
  wire::AccessMask access{};          // to be granted
  wire::ShareAccess share_access{};
  wire::FileAttributes attributes{};
  wire::OplockLevel oplock_level{};

  // Contexts: [MS-SMB2] 2.2.13.2.
  bool durable_request = false;
  std::optional<wire::DurableHandleReconnect> durable_reconnect{};
  std::optional<wire::DurableHandleRequestV2> durable_request_v2{};
  std::optional<wire::DurableHandleReconnectV2> durable_reconnect_v2{};
  std::optional<wire::LeaseV2> lease{};
  std::uint8_t lease_version = 0;  // 1 or 2 with `lease`
  bool query_maximal_access = false;
  std::optional<wire::FileTime> maximal_access_timestamp{};
  bool query_on_disk_id = false;
  std::uint64_t allocation_size = 0;
  bool timewarp = false;
  std::optional<wire::Guid> app_instance_id{};
  std::optional<AppInstanceVersion> app_instance_version{};

  std::shared_ptr<Node> node{};
  bool is_directory = false;
  wire::CreateAction action = wire::CreateAction::opened;

  bool reconnects() const noexcept { return durable_reconnect || durable_reconnect_v2; }
};

// create_contexts.cpp: fills in what the contexts say.
NtStatus read_contexts(const wire::CreateRequest& message, Creation& creation);
// create_checks.cpp: what is wrong with a request whatever lies in the store.
NtStatus check_name(std::u16string_view path);
NtStatus check_request(const Request& request, const wire::CreateRequest& message,
                       Creation& creation);
// Generic bits and MAXIMUM_ALLOWED resolved.
wire::AccessMask granted_access(wire::AccessMask desired, wire::AccessMask maximal);

// create_execution.cpp: opens or makes the file, once nobody's caching or sharing stands against
// it.
Task<NtStatus> execute(Request& request, Creation& creation);
// create_answer.cpp
Answer create_answer(const Request& request, const Creation& creation, const Open& open);

// Is the persistent half of handles on offer here?
bool grants_persistent(const Request& request);

}  // namespace smb3::server
