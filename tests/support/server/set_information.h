// What SET_INFO does to a file or folder, by class: [MS-SMB2] 3.3.5.21.1, [MS-FSA] 2.1.5.15.
#pragma once

#include "support/server/data_checks.h"

#include <smbclient3/task.h>

namespace smb3::server {

// Each gets the buffer of the request and returns success or why not.

// set_basic.cpp
NtStatus set_basic(Request& request, Open& open, Bytes buffer);
// set_size.cpp
Task<NtStatus> set_end_of_file(Request& request, Open& open, Bytes buffer);
Task<NtStatus> set_allocation(Request& request, Open& open, Bytes buffer);
// disposition.cpp
Task<NtStatus> set_disposition(Request& request, Open& open, Bytes buffer);
Task<NtStatus> set_disposition_ex(Request& request, Open& open, Bytes buffer);
// rename.cpp
Task<NtStatus> rename(Request& request, Open& open, Bytes buffer);

// A structure at the front of the buffer; shorter ones are refused.
template <wire::Structure S>
StatusOr<S> information_in(Bytes buffer) {
  if (buffer.size() < wire::fixed_size<S>()) return refuse(NtStatus::info_length_mismatch);
  auto information = wire::decode<S>(buffer);
  if (!information) return refuse(NtStatus::invalid_parameter);
  return std::move(*information);
}

}  // namespace smb3::server
