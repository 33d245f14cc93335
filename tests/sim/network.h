// TCP connections of the simulation: bytes that travel, windows, ends, resets, and dead links.
#pragma once

#include "reactor/endpoint.h"
#include "reactor/reactor.h"
#include "sim/byte_queue.h"
#include "sim/chance.h"
#include "sim/link.h"

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <string>

namespace smb3::sim {

class SimReactor;
struct Flight;

// Sees what the two ends send, before the network has its way with it. Side 0 has connected.
class Tap {
 public:
  virtual ~Tap() = default;
  virtual void sent(std::uint32_t connection, int side, Bytes bytes) = 0;
};

class Network {
 public:
  Network(SimReactor& reactor, Chance chance) : reactor_(reactor), chance_(chance) {}

  // Far above the kernel's descriptors.
  static constexpr int first_socket = 1 << 24;
  static bool is_socket(int fd) noexcept { return fd >= first_socket; }

  // `link` is asked for each connection; `accepted` gets the new socket.
  void listen(const Endpoint& address, std::function<Link()> link,
              std::function<void(int fd)> accepted);
  void set_tap(Tap* tap) noexcept { tap_ = tap; }
  void reset_when_closed(int fd);
  std::size_t open_sockets() const noexcept { return sockets_.size(); }
  // What was done to connections so far: deaths and turned bits.
  std::uint64_t faults() const noexcept { return faults_; }

  // For the reactor.
  int open();
  void bind(int fd, const Endpoint& local);
  void start(Flight& flight);
  void cancel(Flight& flight);
  void shut_down(int fd);
  void close(int fd);
  SocketProgress progress_of(int fd) const;
  std::string address_of(int fd, bool remote) const;

 private:
  // One direction. Positions count from the first byte.
  struct Pipe {
    ByteQueue bytes;  // from `read` to `sent`
    std::uint64_t sent = 0, transmitted = 0, arrived = 0, read = 0;
    std::uint64_t acknowledged = 0;  // as the sender knows
    std::uint64_t window_end = 0;    // likewise
    std::uint64_t advertised = 0;    // what the reader has promised
    bool busy = false;               // a segment is leaving
    bool fin_wanted = false, fin_sent = false, fin_arrived = false;
    TimePoint last_arrival{};  // nothing overtakes
  };
  struct End {
    std::string local, remote;
    Flight* receive = nullptr;
    Flight* send = nullptr;
    int error = 0;  // to be told once
    bool broken = false;
    bool read_shut = false, write_shut = false;
    bool closed = false, reset_on_close = false;
  };
  struct Line {
    Link link;
    std::uint32_t number = 0;
    std::array<End, 2> ends;
    std::array<Pipe, 2> pipes;  // by the side that sends
    std::uint64_t moved_bytes = 0;
    bool is_dead = false;
  };
  using LinePointer = std::shared_ptr<Line>;
  struct Place {
    LinePointer line;
    int side = 0;
    std::string local;
  };
  struct Listener {
    std::function<Link()> link;
    std::function<void(int)> accepted;
  };

  void connect(Flight& flight);
  void established(const LinePointer& line, std::uint64_t flight);
  void accept(const LinePointer& line, const std::string& address);
  void receive(Flight& flight);
  void send(Flight& flight);
  void shut_writing(const LinePointer& line, int side);
  void end_soon(Flight& flight, int result);

  bool is_dead(Line& line);
  void travel(const LinePointer& line, int side, TimePoint leaves, std::function<void()> arrival);
  void arrive(const LinePointer& line, std::function<void()> arrival);
  void transmit(const LinePointer& line, int side);
  void tamper(Pipe& pipe, std::uint64_t count);
  void segment_arrived(const LinePointer& line, int side, std::uint64_t count);
  void acknowledge(const LinePointer& line, int side);
  void reset_other(const LinePointer& line, int side);
  void try_receive(const LinePointer& line, int side);
  void try_send(const LinePointer& line, int side);

  SimReactor& reactor_;
  Chance chance_;
  Tap* tap_ = nullptr;
  std::map<std::string, Listener> listeners_;
  std::map<int, Place> sockets_;
  int sockets_made_ = 0;
  std::uint32_t lines_made_ = 0;
  std::uint64_t faults_ = 0;
};

}  // namespace smb3::sim
