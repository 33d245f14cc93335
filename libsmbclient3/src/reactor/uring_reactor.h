// The reactor on io_uring, for Linux 6.1 and newer (older ones as far as they have the operations).
#pragma once

#include "reactor/reactor.h"

#include <memory>

namespace smb3 {

struct UringOptions {
  unsigned entries = 256;  // of the submission queue: operations that one system call can start
  unsigned completions = 1024;  // of the completion queue; more than that wait in the kernel
  bool modern = true;           // try SINGLE_ISSUER, DEFER_TASKRUN and COOP_TASKRUN
};

class UringReactor : public Reactor {
 public:
  // Belongs to the calling thread: only that one may call run() and everything else but post()
  // and stop(). Where io_uring is missing or forbidden the Error tells what to change.
  static Result<std::unique_ptr<UringReactor>> create(UringOptions options = {});

  // Runs until stop(). What is in flight then is cancelled and waited for; what its coroutines
  // start meanwhile, but for closes, ends with -ECANCELED.
  virtual void run() = 0;
  // From any thread; also before run(), which then ends after its first turn.
  virtual void stop() = 0;
};

}  // namespace smb3
