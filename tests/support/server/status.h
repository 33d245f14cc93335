// Results whose error is what goes back to the client.
#pragma once

#include "base/nt_status.h"

#include <expected>

namespace smb3::server {

template <class T = void>
using StatusOr = std::expected<T, NtStatus>;

inline std::unexpected<NtStatus> refuse(NtStatus status) { return std::unexpected(status); }

}  // namespace smb3::server
