// One io_uring_enter a turn: it hands in what the turn has started and waits for what comes.
#include "reactor/uring_reactor.h"

#include "reactor/mailbox.h"
#include "reactor/memory_marks.h"
#include "reactor/socket_calls.h"
#include "reactor/uring_ring.h"
#include "reactor/worker_threads.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <cassert>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <thread>
#include <utility>

namespace smb3 {

namespace {

// user_data of what belongs to no operation; a slot's is index << 32 | sequence.
constexpr std::uint64_t tag_wake = 0xFFFFFFFF'00000001;
constexpr std::uint64_t tag_cancel = 0xFFFFFFFF'00000002;
// A chain of coroutines that make each other ready must not keep completions waiting for long.
constexpr int ready_rounds_max = 64;
constexpr Duration drain_time_max = std::chrono::seconds(10);

[[noreturn]] void die(const char* what, int error_number) {
  std::fprintf(stderr, "libsmbclient3: %s: %s\n", what, std::strerror(error_number));
  std::abort();
}

// Keeps one operation from its start to its end.
struct Slot {
  explicit Slot(Reactor& r) : reactor(r), deadline(r) {}
  Reactor& reactor;
  Operation* operation = nullptr;  // null: free
  std::uint32_t index = 0;
  std::uint32_t sequence = 0;  // so that a late cancel misses the slot's next operation
  bool submitted = false;
  bool cancelled = false;  // or expired
  bool polling = false;    // what is submitted waits until the file is ready
  Timer deadline;
  SendRest rest{};

  std::uint64_t user_data() const noexcept { return std::uint64_t{index} << 32 | sequence; }
};

class Engine final : public UringReactor {
 public:
  Engine(std::unique_ptr<UringRing> ring, int event)
      : ring_(std::move(ring)), mailbox_(std::make_shared<Mailbox>(event)), workers_(mailbox_) {}
  ~Engine() override;

  void run() override;
  void stop() override {
    const std::shared_ptr<Mailbox> mailbox = mailbox_;  // run() may return before wake() does
    stop_.store(true, std::memory_order_release);
    mailbox->wake();
  }

  TimePoint now() const noexcept override {
    return std::chrono::steady_clock::now().time_since_epoch();
  }
  void random(MutableBytes bytes) override;
  void start(Operation& operation) override;
  void cancel(Operation& operation) override;
  Result<int> open_socket(int family) override { return open_tcp_socket(family); }
  SocketProgress progress_of(int socket) override { return tcp_progress(socket); }
  std::string local_address_of(int socket) override { return text_of(local_endpoint(socket)); }
  std::string remote_address_of(int socket) override { return text_of(remote_endpoint(socket)); }
  Endpoint local_endpoint_of(int socket) override { return local_endpoint(socket); }
  Endpoint remote_endpoint_of(int socket) override { return remote_endpoint(socket); }
  std::vector<LocalInterface> interfaces() override { return kernel_interfaces(); }
  bool route_exists(const LocalInterface& local, const Endpoint& remote) override {
    return kernel_route_exists(local, remote);
  }
  void offload(std::function<void()> work, std::function<void()> done) override {
    workers_.run(std::move(work), std::move(done));
  }
  void post(std::function<void()> function) override { mailbox_->post(std::move(function)); }
  bool is_current() const noexcept override { return std::this_thread::get_id() == owner_; }
  std::int16_t register_memory(MutableBytes memory) override {
    assert(is_current());
    return ring_->register_memory(memory);
  }
  void unregister_memory(std::int16_t index) override { ring_->unregister_memory(index); }

 private:
  Slot& take_slot(Operation& operation);
  void submit(Slot& slot);
  void submit_cancel(std::uint64_t user_data);
  void submit_delayed();
  void hand_over(Slot& slot);
  void complete(Slot& slot, int result);
  void finish(Slot& slot, int result);
  void turn();
  void enter(bool wait);
  void reap();
  void arm_wake();
  void drain();

  const std::thread::id owner_ = std::this_thread::get_id();
  std::atomic<bool> stop_ = false;
  const std::unique_ptr<UringRing> ring_;
  const std::shared_ptr<Mailbox> mailbox_;
  WorkerThreads workers_;

  std::vector<Completion> completions_;
  std::deque<Slot> slots_;
  std::vector<Slot*> free_slots_;
  std::size_t in_flight_ = 0;  // operations that have not ended
  // What found the submission queue full.
  std::deque<Slot*> delayed_;
  std::vector<std::uint64_t> delayed_cancels_;
  std::uint64_t wake_value_ = 0;
  bool wake_armed_ = false;
  bool draining_ = false;
  TimePoint wait_until_ = never;
};

Engine::~Engine() {
  mailbox_->close();
  assert(in_flight_ == 0);
}

void Engine::random(MutableBytes bytes) {
  while (!bytes.empty()) {
    const ssize_t got = getrandom(bytes.data(), bytes.size(), 0);
    if (got > 0) {
      bytes = bytes.subspan(static_cast<std::size_t>(got));
    } else if (errno != EINTR) {
      die("getrandom", errno);  // keys and nonces without chance would be worse than an end
    }
  }
}

Slot& Engine::take_slot(Operation& operation) {
  if (free_slots_.empty()) {
    Slot& added = slots_.emplace_back(*this);
    added.index = static_cast<std::uint32_t>(slots_.size() - 1);
    free_slots_.push_back(&added);
  }
  Slot& slot = *free_slots_.back();
  free_slots_.pop_back();
  slot.operation = &operation;
  ++slot.sequence;
  slot.submitted = slot.cancelled = slot.polling = false;
  return slot;
}

void Engine::start(Operation& operation) {
  assert(is_current() && !operation.in_flight);
  const bool is_close = operation.code == OperationCode::close;
  operation.expired = false;
  operation.done_bytes = operation.code == OperationCode::send ? operation.offset : 0;
  if (draining_ && !is_close) {
    operation.result = -ECANCELED;
    ready(operation.waiter);
    return;
  }
  if (operation.code == OperationCode::send) {
    const auto& message = *static_cast<const msghdr*>(operation.buffer);
    operation.length = 0;
    for (std::size_t i = 0; i < message.msg_iovlen; ++i) {
      operation.length += message.msg_iov[i].iov_len;
    }
  }
  assert(operation.length <= INT_MAX || operation.code == OperationCode::allocate);
  Slot& slot = take_slot(operation);
  operation.engine = &slot;
  operation.in_flight = true;
  ++in_flight_;
  if (!is_close) {
    slot.deadline.set(
        operation.deadline,
        [](void* context) {
          auto& due = *static_cast<Slot*>(context);
          due.operation->expired = true;
          due.reactor.cancel(*due.operation);
        },
        &slot);
  }
  submit(slot);
}

void Engine::cancel(Operation& operation) {
  assert(is_current());
  // A close that is cancelled might leave its file open.
  if (!operation.in_flight || operation.code == OperationCode::close) return;
  Slot& slot = *static_cast<Slot*>(operation.engine);
  if (slot.cancelled) return;
  slot.cancelled = true;
  slot.deadline.clear();
  if (slot.submitted) submit_cancel(slot.user_data());
}

void Engine::submit(Slot& slot) {
  if (delayed_.empty() && !ring_->is_full()) {
    hand_over(slot);
  } else {
    delayed_.push_back(&slot);
  }
}

void Engine::hand_over(Slot& slot) {
  const Operation& op = *slot.operation;
  slot.submitted = true;
  if (slot.polling) {
    const bool out = op.code == OperationCode::send || op.code == OperationCode::write;
    ring_->submit_poll(op.fd, out ? POLLOUT : POLLIN, slot.user_data());
  } else {
    ring_->submit(op, slot.rest, slot.user_data());
  }
}

void Engine::submit_cancel(std::uint64_t user_data) {
  if (ring_->is_full()) {
    delayed_cancels_.push_back(user_data);
  } else {
    ring_->submit_cancel(user_data, tag_cancel);
  }
}

// Moves what found the queue full into what is free of it now.
void Engine::submit_delayed() {
  while (!delayed_cancels_.empty() && !ring_->is_full()) {
    const std::uint64_t user_data = delayed_cancels_.back();
    delayed_cancels_.pop_back();
    submit_cancel(user_data);
  }
  while (!delayed_.empty()) {
    Slot& slot = *delayed_.front();
    if (!slot.cancelled && ring_->is_full()) break;
    delayed_.pop_front();
    if (slot.cancelled) {
      complete(slot, -ECANCELED);
    } else {
      hand_over(slot);
    }
  }
}

void Engine::complete(Slot& slot, int result) {
  Operation& op = *slot.operation;
  const bool was_polling = std::exchange(slot.polling, false);
  slot.submitted = false;
  if (was_polling) {
    if (result >= 0) result = -EINTR;  // the file is ready: once more
  } else if (result > 0) {
    if (op.code == OperationCode::receive || op.code == OperationCode::read) {
      mark_defined(static_cast<std::byte*>(op.buffer) + op.done_bytes,
                   static_cast<std::size_t>(result));
    }
    op.done_bytes += static_cast<unsigned>(result);
  }
  if (op.code == OperationCode::status && result == 0) {
    mark_defined(op.buffer, sizeof(struct statx));
  }
  const bool whole = op.code == OperationCode::send || op.receive_all;
  if (whole && result > 0 && op.done_bytes < op.length) result = -EINTR;
  if (op.code == OperationCode::send && result == 0 && op.length > 0) result = -EPIPE;
  if (whole && result >= 0) result = static_cast<int>(op.done_bytes);

  const bool may_wait = op.code == OperationCode::receive || op.code == OperationCode::send ||
                        op.code == OperationCode::read || op.code == OperationCode::write;
  if (result == -EINTR || (result == -EAGAIN && may_wait) || result == -ECANCELED) {
    if (slot.cancelled) {
      result = op.expired ? -ETIMEDOUT : -ECANCELED;
    } else if (result == -EAGAIN || (result == -EINTR && op.code != OperationCode::connect)) {
      slot.polling = result == -EAGAIN;
      submit(slot);
      return;
    }
  }
  finish(slot, result);
}

void Engine::finish(Slot& slot, int result) {
  Operation& op = *std::exchange(slot.operation, nullptr);
  slot.deadline.clear();
  free_slots_.push_back(&slot);
  --in_flight_;
  op.engine = nullptr;
  op.in_flight = false;
  op.result = result;
  ready(op.waiter);
}

void Engine::run() {
  assert(is_current());
  while (!stop_.load(std::memory_order_acquire)) turn();
  drain();
  stop_ = false;
}

void Engine::turn() {
  if (!wake_armed_) arm_wake();
  mailbox_->deliver();
  if (next_timer() != never) run_timers(now());
  for (int i = 0; i < ready_rounds_max && run_ready(); ++i) {
  }
  submit_delayed();
  const bool is_over = draining_ && in_flight_ == 0;
  const bool wait = wake_armed_ && !is_over && !has_ready() && delayed_.empty() &&
                    delayed_cancels_.empty() && mailbox_->fall_asleep();
  enter(wait);
  if (wait) mailbox_->awake();
  reap();
}

void Engine::enter(bool wait) {
  const TimePoint until = std::min(next_timer(), wait_until_);
  if (!wait) {
    ring_->enter(Duration::zero());
  } else {
    ring_->enter(until == never ? never : until - now());
  }
}

void Engine::reap() {
  completions_.clear();
  ring_->reap(completions_);
  for (const Completion& completion : completions_) {
    if (completion.user_data == tag_cancel) continue;
    if (completion.user_data == tag_wake) {
      wake_armed_ = false;
      continue;
    }
    Slot& slot = slots_[completion.user_data >> 32];
    assert(slot.operation && slot.user_data() == completion.user_data);
    complete(slot, completion.result);
  }
}

// A queue that is full stays without: then the turn does not sleep.
void Engine::arm_wake() {
  if (ring_->is_full()) return;
  ring_->submit_read(mailbox_->event(), wake_value_, tag_wake);
  wake_armed_ = true;
}

// Ends all that is in flight: the kernel would write into frames that are gone.
void Engine::drain() {
  const TimePoint give_up = now() + drain_time_max;
  draining_ = true;
  wait_until_ = give_up;
  for (Slot& slot : slots_) {
    if (slot.operation) cancel(*slot.operation);
  }
  mailbox_->wake();
  while (turn(), in_flight_ > 0 || has_ready() || mailbox_->has_mail()) {
    if (now() > give_up) die("operations do not end", ETIMEDOUT);
  }
  if (wake_armed_) submit_cancel(tag_wake);
  while (wake_armed_) {
    submit_delayed();
    enter(true);
    reap();
  }
  wait_until_ = never;
  draining_ = false;
}

}  // namespace

Result<std::unique_ptr<UringReactor>> UringReactor::create(UringOptions options) {
  auto ring = UringRing::create(options);
  if (!ring) return std::unexpected(std::move(ring).error());
  const int event = eventfd(0, EFD_CLOEXEC);
  if (event < 0) return std::unexpected(system_error(errno, "eventfd"));
  return std::make_unique<Engine>(std::move(*ring), event);
}

}  // namespace smb3
