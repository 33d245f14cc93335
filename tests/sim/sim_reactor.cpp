#include "sim/sim_reactor.h"

#include "reactor/endpoint.h"
#include "sim/disk.h"
#include "sim/network.h"

#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <utility>

namespace smb3::sim {
namespace {

// As the real one: coroutines that make each other ready must not keep the rest waiting.
constexpr int ready_rounds_max = 64;

bool is_of_a_socket(OperationCode code) {
  return code == OperationCode::connect || code == OperationCode::receive ||
         code == OperationCode::send || code == OperationCode::shutdown;
}

}  // namespace

SimReactor::SimReactor(std::uint64_t seed, Trace& trace)
    : trace_(trace),
      chance_(seed),
      random_(chance_.fork()),
      network_(std::make_unique<Network>(*this, chance_.fork())),
      disk_(std::make_unique<Disk>(*this, chance_.fork())) {}

SimReactor::~SimReactor() {
  assert(flights_.empty());
  events_.clear();
}

void SimReactor::at(TimePoint when, std::function<void()> function) {
  events_.push_back({std::max(when, now_), ++events_made_, std::move(function)});
  std::push_heap(events_.begin(), events_.end());
}

bool SimReactor::run(const std::function<bool()>& over, TimePoint until) {
  while (!over()) {
    if (now_ > until) return false;
    if (!turn(until)) return now_ <= until;
  }
  return true;
}

// False: nothing is left to do, or not before `until`.
bool SimReactor::turn(TimePoint until) {
  deliver_posted();
  run_timers(now_);
  for (int i = 0; i < ready_rounds_max && run_ready(); ++i) {
  }
  if (has_work()) return true;
  const TimePoint event = events_.empty() ? never : events_.front().when;
  const TimePoint next = std::min(event, next_timer());
  if (next == never) return false;
  now_ = std::max(now_, next);
  if (now_ > until) return false;
  if (event > now_) return true;
  std::pop_heap(events_.begin(), events_.end());
  const std::function<void()> function = std::move(events_.back().function);
  events_.pop_back();
  function();
  return true;
}

void SimReactor::deliver_posted() {
  const auto posted = std::exchange(posted_, {});
  for (const auto& function : posted) function();
}

Flight* SimReactor::flight(std::uint64_t number) noexcept {
  const auto found = flights_.find(number);
  return found == flights_.end() ? nullptr : found->second.get();
}

void SimReactor::start(Operation& operation) {
  assert(!operation.in_flight);
  operation.expired = false;
  operation.done_bytes = operation.code == OperationCode::send ? operation.offset : 0;
  auto owned = std::make_unique<Flight>(*this);
  Flight& flight = *owned;
  flight.operation = &operation;
  flight.number = ++flights_made_;
  operation.engine = &flight;
  operation.in_flight = true;
  flights_.emplace(flight.number, std::move(owned));
  const bool is_close = operation.code == OperationCode::close;
  if (!is_close) {
    flight.deadline.set(
        operation.deadline,
        [](void* context) {
          auto& late = *static_cast<Flight*>(context);
          late.operation->expired = true;
          late.reactor.cancel(*late.operation);
        },
        &flight);
  }
  if (is_of_a_socket(operation.code) || (is_close && Network::is_socket(operation.fd))) {
    network_->start(flight);
  } else {
    disk_->start(flight);
  }
}

void SimReactor::cancel(Operation& operation) {
  if (!operation.in_flight || operation.code == OperationCode::close) return;
  Flight& flight = *static_cast<Flight*>(operation.engine);
  if (flight.cancelled) return;
  flight.cancelled = true;
  flight.deadline.clear();
  if (is_of_a_socket(operation.code)) {
    network_->cancel(flight);
  } else {
    disk_->cancel(flight);
  }
}

void SimReactor::end(Flight& flight, int result, Duration after) {
  assert(!flight.ending);
  flight.ending = true;
  at(now_ + after, [this, number = flight.number, result] { finish(number, result); });
}

void SimReactor::finish(std::uint64_t number, int result) {
  const auto found = flights_.find(number);
  assert(found != flights_.end());
  Operation& op = *found->second->operation;
  flights_.erase(found);
  trace_.note(now_, "end", number, static_cast<std::uint64_t>(op.code),
              static_cast<std::uint64_t>(
                  std::int64_t{op.code == OperationCode::open ? std::min(result, 0) : result}));
  op.engine = nullptr;
  op.in_flight = false;
  op.result = result;
  ready(op.waiter);
}

Result<int> SimReactor::open_socket(int) { return network_->open(); }

Result<void> SimReactor::bind_socket(int socket, const LocalInterface& local) {
  network_->bind(socket, local.address);
  return {};
}

SocketProgress SimReactor::progress_of(int socket) { return network_->progress_of(socket); }

std::string SimReactor::local_address_of(int socket) { return network_->address_of(socket, false); }

std::string SimReactor::remote_address_of(int socket) { return network_->address_of(socket, true); }

void SimReactor::shutdown_now(int socket) noexcept { network_->shut_down(socket); }

void SimReactor::close_now(int fd) noexcept {
  if (Network::is_socket(fd)) {
    network_->close(fd);
  } else {
    ::close(fd);
  }
}

void SimReactor::offload(std::function<void()> work, std::function<void()> done) {
  const Duration time(static_cast<Duration::rep>(chance_.scaled(0, 5'000'000)));
  at(now_ + time, [work = std::move(work), done = std::move(done)] {
    work();
    done();
  });
}

}  // namespace smb3::sim
