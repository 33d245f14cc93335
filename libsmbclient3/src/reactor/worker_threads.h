// A few threads for calls that may block: name service, GSSAPI.
#pragma once

#include "reactor/mailbox.h"

#include <cstddef>
#include <functional>
#include <memory>

namespace smb3 {

// Threads start when they are needed. Destroying this waits for those that can end; a thread that
// still blocks ends by itself later, and touches then only what it shares ownership of.
class WorkerThreads {
 public:
  static constexpr std::size_t threads_max = 4;

  explicit WorkerThreads(std::shared_ptr<Mailbox> mailbox);
  WorkerThreads(const WorkerThreads&) = delete;
  WorkerThreads& operator=(const WorkerThreads&) = delete;
  ~WorkerThreads();

  // Whether a thread of any such object was left behind because it blocked, and may run still.
  static bool left_behind() noexcept;

  // Calls `work` on a thread of ours, then posts `done`.
  void run(std::function<void()> work, std::function<void()> done);

 private:
  struct Shared;
  void thread_refused();
  static void serve(const std::shared_ptr<Shared>& shared, bool& busy);
  std::shared_ptr<Shared> shared_;
};

}  // namespace smb3
