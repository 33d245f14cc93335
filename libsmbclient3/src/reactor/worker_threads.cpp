// Detached threads around one queue.
#include "reactor/worker_threads.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <system_error>
#include <thread>

namespace smb3 {

struct WorkerThreads::Shared {
  struct Job {
    std::function<void()> work;
    std::function<void()> done;
  };
  explicit Shared(std::shared_ptr<Mailbox> m) : mailbox(std::move(m)) {}

  const std::shared_ptr<Mailbox> mailbox;
  std::mutex mutex;
  std::condition_variable more;
  std::deque<Job> jobs;  // under mutex, as all that follows
  std::size_t threads = 0;
  std::size_t idle = 0;
  bool closed = false;
};

WorkerThreads::WorkerThreads(std::shared_ptr<Mailbox> mailbox)
    : shared_(std::make_shared<Shared>(std::move(mailbox))) {}

WorkerThreads::~WorkerThreads() {
  std::deque<Shared::Job> dropped;
  {
    std::lock_guard lock(shared_->mutex);
    shared_->closed = true;
    dropped.swap(shared_->jobs);
  }
  shared_->more.notify_all();
}

void WorkerThreads::run(std::function<void()> work, std::function<void()> done) {
  bool start = false;
  {
    std::lock_guard lock(shared_->mutex);
    shared_->jobs.push_back({std::move(work), std::move(done)});
    start = shared_->idle < shared_->jobs.size() && shared_->threads < threads_max;
    if (start) ++shared_->threads;
  }
  if (!start) {
    shared_->more.notify_one();
    return;
  }
  try {
    std::thread([shared = shared_] { serve(shared); }).detach();
  } catch (const std::system_error&) {
    thread_refused();
  }
}

// The system gives us no thread. If we have one it will come to the job, else we block here: late
// is better than never.
void WorkerThreads::thread_refused() {
  std::unique_lock lock(shared_->mutex);
  if (--shared_->threads > 0 || shared_->jobs.empty()) return;
  Shared::Job job = std::move(shared_->jobs.back());
  shared_->jobs.pop_back();
  lock.unlock();
  job.work();
  shared_->mailbox->post(std::move(job.done));
}

void WorkerThreads::serve(const std::shared_ptr<Shared>& shared) {
  std::unique_lock lock(shared->mutex);
  for (;;) {
    ++shared->idle;
    shared->more.wait(lock, [&] { return shared->closed || !shared->jobs.empty(); });
    --shared->idle;
    if (shared->closed) return;
    Shared::Job job = std::move(shared->jobs.front());
    shared->jobs.pop_front();
    lock.unlock();
    job.work();
    shared->mailbox->post(std::move(job.done));
    job = {};
    lock.lock();
  }
}

}  // namespace smb3
