// The wish of the program's user that everything end early.
#pragma once

#include <smbclient3/error.h>

namespace smb3 {

// Belongs to a client; looked at between chunks. One thread.
struct Interruption {
  bool requested = false;

  Error error() const { return Error(ErrorKind::cancelled, "interrupted"); }
};

}  // namespace smb3
