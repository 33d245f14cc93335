// Sockets: what the ends of a connection do.
#include "sim/network.h"

#include "sim/sim_reactor.h"

#include <sys/socket.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <utility>

namespace smb3::sim {
namespace {

constexpr Duration no_listener_answer = std::chrono::microseconds(100);
constexpr std::uint64_t call_time_max = 3'000;  // nanoseconds that a system call takes

int cancelled_result(const Operation& operation) {
  return operation.expired ? -ETIMEDOUT : -ECANCELED;
}

// `count` bytes of the message from `offset` on.
void gather(const msghdr& message, std::uint64_t offset, std::size_t count,
            std::vector<std::byte>& into) {
  into.clear();
  for (std::size_t i = 0; i < message.msg_iovlen && into.size() < count; ++i) {
    const iovec& part = message.msg_iov[i];
    if (offset >= part.iov_len) {
      offset -= part.iov_len;
      continue;
    }
    const auto* from = static_cast<const std::byte*>(part.iov_base) + offset;
    const std::size_t here = std::min<std::size_t>(part.iov_len - offset, count - into.size());
    into.insert(into.end(), from, from + here);
    offset = 0;
  }
}

}  // namespace

void Network::listen(const Endpoint& address, std::function<Link()> link,
                     std::function<void(int fd)> accepted) {
  listeners_[text_of(address)] = {std::move(link), std::move(accepted)};
}

int Network::open() {
  const int fd = first_socket + sockets_made_++;
  sockets_[fd].local = "10.0.0.1:" + std::to_string(32768 + sockets_made_ % 28000);
  return fd;
}

void Network::bind(int fd, const Endpoint& local) { sockets_.at(fd).local = text_of(local); }

void Network::reset_when_closed(int fd) {
  const Place& place = sockets_.at(fd);
  if (place.line) place.line->ends[place.side].reset_on_close = true;
}

SocketProgress Network::progress_of(int fd) const {
  const auto found = sockets_.find(fd);
  if (found == sockets_.end() || !found->second.line) return {};
  const auto& [line, side, local] = found->second;
  return {.received_bytes = line->pipes[1 - side].arrived,
          .acknowledged_bytes = line->pipes[side].acknowledged};
}

std::string Network::address_of(int fd, bool remote) const {
  const auto found = sockets_.find(fd);
  if (found == sockets_.end()) return "";
  const auto& [line, side, local] = found->second;
  if (!line) return remote ? "" : local;
  return remote ? line->ends[side].remote : line->ends[side].local;
}

// A call takes a moment, and sometimes a longer one: what ends first is not always what began
// first.
void Network::end_soon(Flight& flight, int result) {
  reactor_.end(flight, result, Duration(static_cast<Duration::rep>(chance_.below(call_time_max))));
}

void Network::start(Flight& flight) {
  Operation& op = *flight.operation;
  const auto found = sockets_.find(op.fd);
  if (found == sockets_.end()) return end_soon(flight, -EBADF);
  if (op.code == OperationCode::connect) return connect(flight);
  if (op.code == OperationCode::close) {
    close(op.fd);
    return end_soon(flight, 0);
  }
  if (!found->second.line) return end_soon(flight, -ENOTCONN);
  if (op.code == OperationCode::receive) return receive(flight);
  if (op.code == OperationCode::send) return send(flight);
  shut_writing(found->second.line, found->second.side);
  end_soon(flight, 0);
}

void Network::cancel(Flight& flight) {
  if (flight.ending) return;
  const Place& place = sockets_.at(flight.operation->fd);
  if (place.line) {
    End& end = place.line->ends[place.side];
    if (end.receive == &flight) end.receive = nullptr;
    if (end.send == &flight) end.send = nullptr;
  }
  end_soon(flight, cancelled_result(*flight.operation));
}

void Network::connect(Flight& flight) {
  const Operation& op = *flight.operation;
  const std::string address = text_of(
      make_endpoint(static_cast<const sockaddr*>(op.buffer), static_cast<socklen_t>(op.length)));
  const auto listener = listeners_.find(address);
  if (listener == listeners_.end()) {
    return reactor_.end(flight, -ECONNREFUSED, no_listener_answer);
  }
  auto line = std::make_shared<Line>();
  line->link = listener->second.link();
  line->number = ++lines_made_;
  for (int side = 0; side < 2; ++side) {
    Pipe& pipe = line->pipes[side];
    pipe.window_end = pipe.advertised = line->link.receive_buffer_bytes;
  }
  End& client = line->ends[0];
  client.local = sockets_.at(op.fd).local;
  client.remote = address;
  line->ends[1].local = address;
  line->ends[1].remote = client.local;
  reactor_.trace().note(reactor_.now(), "connect", line->number);
  travel(line, 0, reactor_.now(), [this, line, number = flight.number] {
    travel(line, 1, reactor_.now(), [this, line, number] { established(line, number); });
  });
}

void Network::established(const LinePointer& line, std::uint64_t number) {
  Flight* flight = reactor_.flight(number);
  if (!flight || flight->ending) return;  // nobody waits any longer
  Place& place = sockets_.at(flight->operation->fd);
  place.line = line;
  place.side = 0;
  end_soon(*flight, 0);
  travel(line, 0, reactor_.now(), [this, line] { accept(line, line->ends[1].local); });
}

void Network::accept(const LinePointer& line, const std::string& address) {
  const int fd = first_socket + sockets_made_++;
  sockets_[fd] = {.line = line, .side = 1, .local = {}};
  reactor_.trace().note(reactor_.now(), "accept", line->number);
  listeners_.at(address).accepted(fd);
}

void Network::receive(Flight& flight) {
  const auto& [line, side, local] = sockets_.at(flight.operation->fd);
  if (flight.operation->length == 0) return end_soon(flight, 0);
  End& end = line->ends[side];
  assert(!end.receive);
  end.receive = &flight;
  try_receive(line, side);
}

void Network::send(Flight& flight) {
  Operation& op = *flight.operation;
  const auto& message = *static_cast<const msghdr*>(op.buffer);
  op.length = 0;
  for (std::size_t i = 0; i < message.msg_iovlen; ++i) op.length += message.msg_iov[i].iov_len;
  const auto& [line, side, local] = sockets_.at(op.fd);
  if (op.done_bytes >= op.length) return end_soon(flight, static_cast<int>(op.done_bytes));
  End& end = line->ends[side];
  assert(!end.send);
  end.send = &flight;
  try_send(line, side);
}

void Network::shut_writing(const LinePointer& line, int side) {
  line->ends[side].write_shut = true;
  line->pipes[side].fin_wanted = true;
  transmit(line, side);
}

void Network::shut_down(int fd) {
  const auto found = sockets_.find(fd);
  if (found == sockets_.end() || !found->second.line) return;
  const LinePointer line = found->second.line;
  const int side = found->second.side;
  line->ends[side].read_shut = true;
  shut_writing(line, side);
  try_receive(line, side);
  try_send(line, side);
}

void Network::close(int fd) {
  const auto found = sockets_.find(fd);
  if (found == sockets_.end()) return;
  const LinePointer line = found->second.line;
  const int side = found->second.side;
  sockets_.erase(found);
  if (!line) return;
  End& end = line->ends[side];
  assert(!end.receive && !end.send);
  end.closed = true;
  reactor_.trace().note(reactor_.now(), "close", line->number, static_cast<unsigned>(side));
  const Pipe& in = line->pipes[1 - side];
  // As TCP does: whoever leaves bytes unread has lost them, and says so.
  if (end.reset_on_close || in.arrived > in.read) return reset_other(line, side);
  shut_writing(line, side);
}

void Network::try_receive(const LinePointer& line, int side) {
  End& end = line->ends[side];
  if (!end.receive) return;
  Flight& flight = *end.receive;
  Operation& op = *flight.operation;
  Pipe& pipe = line->pipes[1 - side];
  if (end.broken) {
    end.receive = nullptr;
    const int error = std::exchange(end.error, 0);
    return end_soon(flight, error != 0 ? -error : 0);
  }
  std::uint64_t count = std::min(pipe.arrived - pipe.read, op.length - op.done_bytes);
  if (count > 0) {
    if (!op.receive_all && !line->link.always_whole && chance_.one_in(4)) {
      count = chance_.between(1, count);
    }
    pipe.bytes.pop({static_cast<std::byte*>(op.buffer) + op.done_bytes, count});
    pipe.read += count;
    op.done_bytes += count;
    if (!op.receive_all || op.done_bytes == op.length) {
      end.receive = nullptr;
      end_soon(flight, static_cast<int>(op.done_bytes));
    }
    const std::uint64_t opened = pipe.read + line->link.receive_buffer_bytes - pipe.advertised;
    if (opened >= line->link.receive_buffer_bytes / 2) acknowledge(line, 1 - side);
  } else if (pipe.fin_arrived || end.read_shut) {
    end.receive = nullptr;
    end_soon(flight, static_cast<int>(op.done_bytes));
  }
}

void Network::try_send(const LinePointer& line, int side) {
  End& end = line->ends[side];
  if (!end.send) return;
  Flight& flight = *end.send;
  Operation& op = *flight.operation;
  if (end.broken || end.write_shut) {
    end.send = nullptr;
    const int error = std::exchange(end.error, 0);
    return end_soon(flight, error != 0 ? -error : -EPIPE);
  }
  Pipe& pipe = line->pipes[side];
  const std::uint64_t used = pipe.sent - pipe.acknowledged;
  const std::uint64_t space =
      line->link.send_buffer_bytes - std::min(line->link.send_buffer_bytes, used);
  std::uint64_t count = std::min(space, op.length - op.done_bytes);
  if (count == 0) return;  // until something is acknowledged
  if (!line->link.always_whole && chance_.one_in(4)) count = chance_.between(1, count);
  std::vector<std::byte> bytes;
  gather(*static_cast<const msghdr*>(op.buffer), op.done_bytes, count, bytes);
  if (tap_) tap_->sent(line->number, side, bytes);
  reactor_.trace().note_bytes(bytes.data(), bytes.size());
  pipe.bytes.push(bytes);
  pipe.sent += count;
  op.done_bytes += count;
  if (op.done_bytes == op.length) {
    end.send = nullptr;
    end_soon(flight, static_cast<int>(op.done_bytes));
  } else {
    const Duration rest(static_cast<Duration::rep>(chance_.below(call_time_max)));
    reactor_.at(reactor_.now() + rest, [this, line, side] { try_send(line, side); });
  }
  transmit(line, side);
}

}  // namespace smb3::sim
