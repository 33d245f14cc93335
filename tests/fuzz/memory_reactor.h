// A Reactor without kernel, threads and waiting: time is a number, and sockets are queues of bytes
// whose other end the fuzzer plays.
#pragma once

#include "reactor/reactor.h"

#include <deque>
#include <functional>
#include <vector>

namespace smb3::fuzz {

class MemoryReactor final : public Reactor {
 public:
  // The other end of a socket.
  class Peer {
   public:
    virtual void sent(int socket, Bytes bytes) = 0;

   protected:
    ~Peer() = default;
  };

  // Of every socket.
  void set_peer(Peer& peer) noexcept { peer_ = &peer; }
  // What our side can read from here on, and that nothing follows.
  void feed(int socket, Bytes bytes);
  void end_stream(int socket);

  // Runs until `finished`, and then what is ready. False: that would take longer than `longest` on
  // our clock, or for ever.
  bool run(const std::function<bool()>& finished, Duration longest);
  // Runs what can run without time passing.
  void run_idle();
  std::size_t open_sockets() const noexcept;

  TimePoint now() const noexcept override { return now_; }
  void random(MutableBytes bytes) override;
  void start(Operation& operation) override;
  void cancel(Operation& operation) override;
  Result<int> open_socket(int family) override;
  Result<void> bind_socket(int, const LocalInterface&) override { return {}; }
  SocketProgress progress_of(int socket) override;
  std::string local_address_of(int) override { return "192.0.2.1:50000"; }
  std::string remote_address_of(int) override { return "192.0.2.2:445"; }
  void shutdown_now(int socket) noexcept override;
  void close_now(int fd) noexcept override;
  void offload(std::function<void()> work, std::function<void()> done) override;
  void post(std::function<void()> function) override { posted_.push_back(std::move(function)); }
  bool is_current() const noexcept override { return true; }
  std::int16_t register_memory(MutableBytes) override { return -1; }

 private:
  struct Stream {
    explicit Stream(Reactor& reactor) : deadline(reactor) {}
    bool open = true;
    bool ended = false;   // nothing more comes in
    bool broken = false;  // nothing more goes out
    std::vector<std::byte> incoming{};
    std::size_t taken = 0;
    Operation* receiving = nullptr;
    Timer deadline;
    SocketProgress progress{};
  };

  Stream& stream_of(int socket);
  void complete(Operation& operation, int result);
  void send(Operation& operation);
  void receive(Stream& stream);
  bool turn();

  Peer* peer_ = nullptr;
  TimePoint now_ = std::chrono::hours(1);
  std::uint64_t random_ = 0x9E3779B97F4A7C15;
  std::deque<Stream> streams_;
  std::vector<Operation*> started_;
  std::vector<std::function<void()>> posted_;
};

}  // namespace smb3::fuzz
