// A reactor without a kernel's clock, network or chance: virtual time, one seed, one thread.
#pragma once

#include "reactor/reactor.h"
#include "sim/chance.h"
#include "sim/trace.h"

#include <functional>
#include <map>
#include <memory>
#include <vector>

namespace smb3::sim {

class Disk;
class SimReactor;
class Network;

// One operation between its start and its end.
struct Flight {
  explicit Flight(SimReactor& owner);
  SimReactor& reactor;
  Operation* operation = nullptr;
  std::uint64_t number = 0;
  Timer deadline;
  bool cancelled = false;
  bool ending = false;  // its result is known, and on its way
};

class SimReactor final : public Reactor {
 public:
  SimReactor(std::uint64_t seed, Trace& trace);
  ~SimReactor() override;

  // Runs until `over` says so, nothing is left to do, or the virtual time is up. False in the last
  // case.
  bool run(const std::function<bool()>& over, TimePoint until = never);

  Network& network() noexcept { return *network_; }
  Disk& disk() noexcept { return *disk_; }
  Trace& trace() noexcept { return trace_; }
  Chance& chance() noexcept { return chance_; }
  // Calls `function` then.
  void at(TimePoint when, std::function<void()> function);

  // Operations, timers, and functions that wait to be called: nothing of them may be left at an
  // end.
  std::size_t in_flight() const noexcept { return flights_.size(); }
  bool has_timer() const noexcept { return next_timer() != never; }
  bool has_work() const noexcept { return has_ready() || !posted_.empty(); }

  // For the network and the disk: the operation ends with `result`, a moment later. What it does
  // not reach (it was cancelled) is theirs to know.
  void end(Flight& flight, int result, Duration after);
  // Null when it has ended.
  Flight* flight(std::uint64_t number) noexcept;

  TimePoint now() const noexcept override { return now_; }
  void random(MutableBytes bytes) override { random_.fill(bytes); }
  void start(Operation& operation) override;
  void cancel(Operation& operation) override;
  Result<int> open_socket(int family) override;
  Result<void> bind_socket(int socket, const LocalInterface& local) override;
  SocketProgress progress_of(int socket) override;
  std::string local_address_of(int socket) override;
  std::string remote_address_of(int socket) override;
  void shutdown_now(int socket) noexcept override;
  void close_now(int fd) noexcept override;
  void offload(std::function<void()> work, std::function<void()> done) override;
  void post(std::function<void()> function) override { posted_.push_back(std::move(function)); }
  bool is_current() const noexcept override { return true; }
  std::int16_t register_memory(MutableBytes) override { return -1; }

 private:
  struct Event {
    TimePoint when;
    std::uint64_t order;
    std::function<void()> function;
    bool operator<(const Event& other) const noexcept {  // the earliest is on top
      return when != other.when ? when > other.when : order > other.order;
    }
  };

  bool turn(TimePoint until);
  void deliver_posted();
  void finish(std::uint64_t number, int result);

  Trace& trace_;
  Chance chance_;
  Chance random_;
  TimePoint now_ = std::chrono::seconds(1000);
  std::vector<Event> events_;  // a heap
  std::uint64_t events_made_ = 0;
  std::vector<std::function<void()>> posted_;
  std::map<std::uint64_t, std::unique_ptr<Flight>> flights_;
  std::uint64_t flights_made_ = 0;
  std::unique_ptr<Network> network_;
  std::unique_ptr<Disk> disk_;
};

inline Flight::Flight(SimReactor& owner) : reactor(owner), deadline(owner) {}

}  // namespace smb3::sim
