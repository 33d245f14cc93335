// What the FSCTLs of IOCTL do, each in a function: [MS-SMB2] 3.3.5.15, [MS-FSCC] 2.3.
#pragma once

#include "support/server/open.h"
#include "wire/ioctl.h"

#include <memory>
#include <vector>

namespace smb3::server {

struct ControlResult {
  NtStatus status = NtStatus::success;
  std::unique_ptr<ByteBuffer> output = std::make_unique<ByteBuffer>();
  bool with_body = false;  // although the status is a failure

  static ControlResult failed(NtStatus status) {
    ControlResult result;
    result.status = status;
    return result;
  }
};

// file_controls.cpp
ControlResult request_resume_key(Open& open, const wire::IoctlRequest& message);
ControlResult set_sparse(const Open& open, const wire::IoctlRequest& message);
Task<ControlResult> set_zero_data(Request& request, std::shared_ptr<Open> open, Bytes input);
ControlResult query_allocated_ranges(const Open& open, const wire::IoctlRequest& message);
ControlResult enumerate_snapshots(const wire::IoctlRequest& message);
// interfaces.cpp
ControlResult query_interfaces(const Request& request, const wire::IoctlRequest& message);
// copychunk.cpp
Task<ControlResult> copy_chunks(Request& request, std::shared_ptr<Open> target,
                                wire::IoctlRequest message);

}  // namespace smb3::server
