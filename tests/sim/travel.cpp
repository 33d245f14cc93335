// What lies between the ends of a connection: segments, acknowledgements, and what becomes of them.
#include "sim/network.h"
#include "sim/sim_reactor.h"

#include <algorithm>
#include <cerrno>

namespace smb3::sim {

bool Network::is_dead(Line& line) {
  if (line.is_dead) return true;
  line.is_dead =
      reactor_.now() >= line.link.dies_at || line.moved_bytes > line.link.dies_after_bytes;
  if (line.is_dead) {
    ++faults_;
    reactor_.trace().note(reactor_.now(), "link dead", line.number);
  }
  return line.is_dead;
}

// From this side to the other one. What left first arrives first.
void Network::travel(const LinePointer& line, int side, TimePoint leaves,
                     std::function<void()> arrival) {
  const Link& link = line->link;
  const Duration jitter(static_cast<Duration::rep>(
      link.jitter.count() == 0 ? 0
                               : chance_.below(static_cast<std::uint64_t>(link.jitter.count()))));
  TimePoint& last = line->pipes[side].last_arrival;
  last = std::max(last, leaves + link.delay + jitter);
  reactor_.at(last, [this, line, arrival = std::move(arrival)] { arrive(line, arrival); });
}

void Network::arrive(const LinePointer& line, std::function<void()> arrival) {
  if (is_dead(*line)) return;
  const Link& link = line->link;
  if (reactor_.now() < link.outage_begin || reactor_.now() >= link.outage_end) return arrival();
  // It is sent again, and all behind it arrives behind it.
  reactor_.at(link.outage_end,
              [this, line, arrival = std::move(arrival)] { arrive(line, arrival); });
}

// One segment leaves, if the line is free, there is something to send, and room for it.
void Network::transmit(const LinePointer& line, int side) {
  Pipe& pipe = line->pipes[side];
  if (pipe.busy) return;
  const std::uint64_t available = pipe.sent - pipe.transmitted;
  if (available == 0) {
    if (!pipe.fin_wanted || pipe.fin_sent || line->ends[side].broken) return;
    pipe.fin_sent = true;
    travel(line, side, reactor_.now(), [this, line, side] {
      line->pipes[side].fin_arrived = true;
      reactor_.trace().note(reactor_.now(), "fin", line->number, static_cast<unsigned>(side));
      try_receive(line, 1 - side);
    });
    return;
  }
  const std::uint64_t window = pipe.window_end - std::min(pipe.window_end, pipe.transmitted);
  std::uint64_t count = std::min({available, window, line->link.segment_bytes_max});
  if (count == 0) return;  // until the reader makes room
  if (!line->link.always_whole && chance_.one_in(8)) count = chance_.between(1, count);
  if (chance_.one_in(line->link.tampering_one_in)) tamper(pipe, count);
  pipe.busy = true;
  pipe.transmitted += count;
  line->moved_bytes += count;
  const Duration time(static_cast<Duration::rep>(static_cast<double>(count) * 8e9 /
                                                 static_cast<double>(line->link.rate_bits)));
  const TimePoint leaves = reactor_.now() + time;
  reactor_.at(leaves, [this, line, side] {
    line->pipes[side].busy = false;
    transmit(line, side);
  });
  travel(line, side, leaves, [this, line, side, count] { segment_arrived(line, side, count); });
}

void Network::tamper(Pipe& pipe, std::uint64_t count) {
  const std::uint64_t at = pipe.transmitted - pipe.read + chance_.below(count);
  pipe.bytes.at(at) ^= std::byte{1} << chance_.below(8);
  ++faults_;
}

void Network::segment_arrived(const LinePointer& line, int side, std::uint64_t count) {
  Pipe& pipe = line->pipes[side];
  End& reader = line->ends[1 - side];
  reactor_.trace().note(reactor_.now(), side == 0 ? "request bytes" : "answer bytes", line->number,
                        pipe.arrived, count);
  if (reader.broken) return;
  if (reader.closed) return reset_other(line, 1 - side);
  pipe.arrived += count;
  acknowledge(line, side);
  try_receive(line, 1 - side);
}

// What has arrived on the pipe of `side`, and how much more may come.
void Network::acknowledge(const LinePointer& line, int side) {
  Pipe& pipe = line->pipes[side];
  pipe.advertised = pipe.read + line->link.receive_buffer_bytes;
  travel(line, 1 - side, reactor_.now(),
         [this, line, side, arrived = pipe.arrived, window_end = pipe.advertised] {
           Pipe& sent = line->pipes[side];
           sent.acknowledged = std::max(sent.acknowledged, arrived);
           sent.window_end = std::max(sent.window_end, window_end);
           try_send(line, side);
           transmit(line, side);
         });
}

// A reset from `side` to the other: what was not sent yet is not sent any more.
void Network::reset_other(const LinePointer& line, int side) {
  Pipe& pipe = line->pipes[side];
  pipe.bytes.cut_to(pipe.transmitted - pipe.read);
  pipe.sent = pipe.transmitted;
  travel(line, side, reactor_.now(), [this, line, side] {
    End& other = line->ends[1 - side];
    if (other.closed || other.broken) return;
    reactor_.trace().note(reactor_.now(), "reset", line->number, static_cast<unsigned>(side));
    other.broken = true;
    other.error = ECONNRESET;
    try_receive(line, 1 - side);
    try_send(line, 1 - side);
  });
}

}  // namespace smb3::sim
