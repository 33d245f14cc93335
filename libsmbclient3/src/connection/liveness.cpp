// The silence deadline: a peer that moves no byte for too long is given up, a slow one is not.
#include "connection/connection.h"

#include "wire/echo.h"

namespace smb3 {
namespace {

// How often within the longest silence we look.
constexpr int looks_per_timeout = 8;
// A server that has said "pending" and answers ECHO may take this many times as long.
constexpr int patience_for_pending = 4;

}  // namespace

// What an ECHO moves shows that the server lives, not that it works for us.
SocketProgress Connection::progress() {
  SocketProgress progress = reactor_.progress_of(socket_.fd());
  progress.received_bytes -= std::min(echo_bytes_received_, progress.received_bytes);
  progress.acknowledged_bytes -= std::min(echo_bytes_sent_, progress.acknowledged_bytes);
  return progress;
}

Task<void> Connection::echo() {
  Request request;
  request.set(wire::EchoRequest{});
  echo_bytes_sent_ += sizeof(std::uint32_t) + request.message.size();
  Exchange exchange(request);
  auto answered = co_await transact(exchange);
  if (answered) {
    last_echo_at_ = reactor_.now();
    echo_bytes_received_ += sizeof(std::uint32_t) + request.reply->message.size();
  }
  echo_outstanding_ = false;
}

void Connection::watch() {
  if (watch_timer_.is_set() || failure_) return;
  last_progress_ = progress();
  last_progress_at_ = reactor_.now();
  set_watch();
}

void Connection::set_watch() {
  watch_timer_.set(
      reactor_.now() + patience_ / looks_per_timeout,
      [](void* self) { static_cast<Connection*>(self)->check_silence(); }, this);
}

void Connection::set_patience(Duration longest_silence) {
  if (std::exchange(patience_, longest_silence) == longest_silence) return;
  if (watch_timer_.is_set()) set_watch();
}

void Connection::check_silence() {
  const bool idle = table_.size() == 0 && !queue_first_ && batch_.empty();
  if (idle || failure_) return;  // the next request sets the watch again

  const SocketProgress seen = progress();
  const TimePoint now = reactor_.now();
  if (seen.received_bytes > last_progress_.received_bytes ||
      seen.acknowledged_bytes > last_progress_.acknowledged_bytes) {
    last_progress_ = seen;
    last_progress_at_ = now;
  }
  const Duration silence = now - last_progress_at_;
  bool all_pending = true;
  table_.for_each([&all_pending](const Request& request) {
    if (!request.interim_seen && request.command != wire::Command::echo) all_pending = false;
  });
  const bool patient = all_pending && !queue_first_ && now - last_echo_at_ <= patience_;
  if (silence >= patience_ * (patient ? patience_for_pending : 1)) {
    fail(Error(ErrorKind::timed_out, "the server was silent for too long")
             .during(negotiated_ ? "waiting for a response" : "NEGOTIATE")
             .on(options_.server_label));
    return;
  }
  // Set before the probe is queued, which otherwise would begin the silence anew.
  set_watch();
  if (negotiated_ && !echo_outstanding_ && silence >= patience_ / 2) {
    echo_outstanding_ = true;
    tasks_.start(echo());
  }
}

}  // namespace smb3
