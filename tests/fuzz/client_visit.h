// The client's whole stack at a server that the fuzzer plays, from the connection to a closed file.
#pragma once

#include "fuzz/server_script.h"
#include "reactor/buffer_pool.h"

#include <smbclient3/task.h>

#include <functional>

namespace smb3::fuzz {

struct Wishes {
  bool anonymous = false;
  bool sign = false;
  bool encrypt = false;
  bool negotiate_only = false;
};

struct Outcome {
  bool negotiated = false;
  bool logged_on = false;
  bool failed = false;  // the connection, and not by its end
};

// Connects, logs on, and does one of everything; what fails is passed over.
Task<void> visit(Reactor& reactor, BufferPool& pool, Wishes wishes, Outcome& outcome);

// Runs visit() until its end, which must come, with nothing left over.
Outcome run_visit(MemoryReactor& reactor, Wishes wishes);

// A visit to a ServerScript with this input. `look` sees the script at its end.
void visit_script(Bytes input, bool negotiate_only = false,
                  const std::function<void(const ServerScript&)>& look = {});

}  // namespace smb3::fuzz
