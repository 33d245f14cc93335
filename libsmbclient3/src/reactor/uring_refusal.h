// The words for a kernel that does not let us use io_uring.
#pragma once

#include <smbclient3/error.h>

namespace smb3 {

// For io_uring_setup() that has failed with this errno.
Error uring_refused(int error_number);
// For a kernel whose io_uring lacks what we need; `missing` lists it.
Error uring_too_old(std::string missing);

}  // namespace smb3
