// A thread that runs a reactor.
#pragma once

#include "reactor/uring_reactor.h"

#include <memory>
#include <thread>

namespace smb3 {

// Destroying it stops the reactor and joins the thread: whoever has coroutines there has waited for
// their end before.
class ReactorThread {
 public:
  // Fails as UringReactor::create() does, which runs on the new thread.
  static Result<std::unique_ptr<ReactorThread>> start(UringOptions options = {});
  ReactorThread(const ReactorThread&) = delete;
  ReactorThread& operator=(const ReactorThread&) = delete;
  ~ReactorThread();

  UringReactor& reactor() noexcept { return *reactor_; }

 private:
  ReactorThread() = default;
  UringReactor* reactor_ = nullptr;  // lives on the thread's stack
  std::thread thread_;
};

}  // namespace smb3
