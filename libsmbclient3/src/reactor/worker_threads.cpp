// Threads around one queue.
#include "reactor/worker_threads.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace smb3 {
namespace {

// For jobs whose answers have been taken already, and which are only cleaning up.
constexpr std::chrono::milliseconds time_to_finish{200};

std::atomic<bool> any_left_behind = false;

}  // namespace

struct WorkerThreads::Shared {
  struct Job {
    std::function<void()> work;
    std::function<void()> done;
  };
  struct Member {
    std::thread thread;
    bool busy = false;
  };
  explicit Shared(std::shared_ptr<Mailbox> m) : mailbox(std::move(m)) {}

  const std::shared_ptr<Mailbox> mailbox;
  std::mutex mutex;
  std::condition_variable more;
  std::condition_variable finished;  // a job, and nothing of it is left
  std::deque<Job> jobs;              // under mutex, as all that follows
  std::vector<std::unique_ptr<Member>> members;
  std::size_t idle = 0;
  bool closed = false;
};

WorkerThreads::WorkerThreads(std::shared_ptr<Mailbox> mailbox)
    : shared_(std::make_shared<Shared>(std::move(mailbox))) {}

// A thread that ends while the process exits meets the libraries' own cleaning up (krb5 keeps data
// of each thread), so those that can end are waited for; one that blocks stays behind.
WorkerThreads::~WorkerThreads() {
  std::deque<Shared::Job> dropped;
  std::vector<std::unique_ptr<Shared::Member>> members;
  {
    std::unique_lock lock(shared_->mutex);
    shared_->closed = true;
    dropped.swap(shared_->jobs);
    shared_->finished.wait_for(lock, time_to_finish, [this] {
      return std::ranges::none_of(shared_->members, [](const auto& m) { return m->busy; });
    });
    for (auto& member : shared_->members) {
      if (!member->busy) {
        members.push_back(std::move(member));
        continue;
      }
      any_left_behind = true;
      member->thread.detach();
    }
    std::erase(shared_->members, nullptr);  // who is still busy keeps its place until it ends
  }
  shared_->more.notify_all();
  for (auto& member : members) member->thread.join();
}

bool WorkerThreads::left_behind() noexcept { return any_left_behind; }

void WorkerThreads::run(std::function<void()> work, std::function<void()> done) {
  std::unique_lock lock(shared_->mutex);
  shared_->jobs.push_back({std::move(work), std::move(done)});
  const bool start = shared_->idle < shared_->jobs.size() && shared_->members.size() < threads_max;
  if (!start) {
    lock.unlock();
    shared_->more.notify_one();
    return;
  }
  auto& member = *shared_->members.emplace_back(std::make_unique<Shared::Member>());
  try {
    member.thread = std::thread([shared = shared_, &member] { serve(shared, member.busy); });
  } catch (const std::system_error&) {
    shared_->members.pop_back();
    lock.unlock();
    thread_refused();
  }
}

// The system gives us no thread. If we have one it will come to the job, else we block here: late
// is better than never.
void WorkerThreads::thread_refused() {
  std::unique_lock lock(shared_->mutex);
  if (!shared_->members.empty() || shared_->jobs.empty()) return;
  Shared::Job job = std::move(shared_->jobs.back());
  shared_->jobs.pop_back();
  lock.unlock();
  job.work();
  shared_->mailbox->post(std::move(job.done));
}

void WorkerThreads::serve(const std::shared_ptr<Shared>& shared, bool& busy) {
  std::unique_lock lock(shared->mutex);
  for (;;) {
    ++shared->idle;
    shared->more.wait(lock, [&] { return shared->closed || !shared->jobs.empty(); });
    --shared->idle;
    if (shared->closed) return;
    Shared::Job job = std::move(shared->jobs.front());
    shared->jobs.pop_front();
    busy = true;
    lock.unlock();
    job.work();
    shared->mailbox->post(std::move(job.done));
    job = {};
    lock.lock();
    busy = false;
    shared->finished.notify_all();
  }
}

}  // namespace smb3
