// The life of a connection, and the way in: whole frames out of the stream.
#include "support/server/connection.h"

#include "support/server/json_text.h"
#include "support/server/server.h"

#include <algorithm>
#include <cstring>

namespace smb3::server {
namespace {

constexpr std::size_t input_bytes = 16_KiB;
// With more than that on its way out nothing more is read.
constexpr std::size_t queued_bytes_max = 64_MiB;
constexpr std::size_t first_frame_bytes_max = 64_KiB;
// Besides its payload, what a frame may have: headers, names, other elements of a compound.
constexpr std::size_t frame_overhead_bytes_max = 64_KiB;
// For a client to see the end of the stream and to close its side.
constexpr Duration drain_time = std::chrono::seconds(2);

}  // namespace

Connection::Connection(Server& server, Socket socket, std::uint32_t number)
    : server_(server),
      socket_(std::move(socket)),
      number_(number),
      faults_(server.faults().of_connection(number)),
      input_(input_bytes),
      sendable_(server.reactor()),
      drained_(server.reactor()),
      woken_(server.reactor()) {}

Connection::~Connection() = default;

Task<void> Connection::run() {
  const std::string peer = socket_.peer();
  tasks_.start(send_loop());
  auto received = co_await attempt(receive_loop());
  static_cast<void>(received);
  ended_ = true;
  for (Request* request : requests_) {
    request->is_cancelled = true;
    request->cancelled->set();
  }
  if (how_ended_ == FrameEnd::reset) {
    if (sending_) server_.reactor().cancel(*sending_);
  } else {
    socket_.abort();
  }
  sendable_.set();
  co_await tasks_.below(1);
  if (how_ended_ == FrameEnd::reset) server_.reset_when_closed(server_.reactor(), socket_);
  auto closed = co_await attempt(socket_.close());
  static_cast<void>(closed);
  leave_sessions();
  server_.note_end(why_ended_);
  if (server_.log().wanted()) {
    server_.log().write_line(JsonText()
                                 .add("event", "connection_end")
                                 .add("connection", number_)
                                 .add("time_us", server_.time_us())
                                 .add("peer", peer)
                                 .add("why", why_ended_)
                                 .object());
  }
}

void Connection::abort() noexcept {
  end(FrameEnd::none, "ended by the server");
  if (socket_.is_open()) socket_.abort();
}

void Connection::end(FrameEnd how, std::string why) {
  if (ended_) return;
  ended_ = true;
  how_ended_ = how;
  why_ended_ = std::move(why);
  if (receiving_) server_.reactor().cancel(*receiving_);
  woken_.set();
  drained_.set();
  sendable_.set();
}

void Connection::fall_silent() {
  silent_ = true;
  if (receiving_) server_.reactor().cancel(*receiving_);
  sendable_.set();
}

Task<void> Connection::receive_loop() {
  while (!ended_ && !draining_) {
    if (silent_) {
      co_await woken_.wait();
    } else if (queued_bytes_ > queued_bytes_max) {
      co_await drained_.wait();
    } else {
      auto received = co_await attempt(receive_frame());
      if (!received && !silent_ && !draining_) end(FrameEnd::none, describe(received.error()));
    }
  }
  if (ended_) co_return;
  auto drained = co_await attempt(drain());
  static_cast<void>(drained);
  end(FrameEnd::close, "closed by a fault");
}

// Closing while bytes lie unread would make the kernel send a reset.
Task<void> Connection::drain() {
  const TimePoint deadline = server_.reactor().now() + drain_time;
  std::size_t received = 1;
  while (received > 0 && !ended_) {
    received = co_await socket_.receive_some(input_, deadline);
  }
}

Task<void> Connection::receive_frame() {
  co_await fill(4);
  const std::byte* const prefix = input_.data() + input_begin_;
  const std::size_t length = load_be<std::uint32_t>(prefix);
  if (prefix[0] != std::byte{0}) co_await Error(ErrorKind::protocol, "no frame begins like this");
  const std::size_t payload_max = std::max(
      {negotiated.max_transact_bytes, negotiated.max_read_bytes, negotiated.max_write_bytes});
  const std::size_t most =
      negotiated.done ? payload_max + frame_overhead_bytes_max : first_frame_bytes_max;
  if (length < wire::header_bytes || length > most) {
    co_await Error(ErrorKind::protocol, "a frame of " + std::to_string(length) + " bytes");
  }
  input_begin_ += 4;
  Frame frame = memory_.take(length);
  const std::size_t here = std::min(length, input_end_ - input_begin_);
  std::memcpy(frame.memory.get(), input_.data() + input_begin_, here);
  input_begin_ += here;
  for (std::size_t done = here; done < length;) {
    done += co_await receive(frame.bytes().subspan(done), true);
  }
  tasks_.start(serve_frame(std::move(frame)));
}

// At least so many bytes lie in the buffer.
Task<void> Connection::fill(std::size_t bytes) {
  while (input_end_ - input_begin_ < bytes) {
    std::memmove(input_.data(), input_.data() + input_begin_, input_end_ - input_begin_);
    input_end_ -= input_begin_;
    input_begin_ = 0;
    input_end_ += co_await receive(MutableBytes(input_).subspan(input_end_), false);
  }
}

Task<std::size_t> Connection::receive(MutableBytes into, bool all) {
  const std::uint64_t most = receivable();
  if (most < into.size()) into = into.first(static_cast<std::size_t>(most));
  Operation operation{.code = OperationCode::receive,
                      .receive_all = all,
                      .fd = socket_.fd(),
                      .buffer = into.data(),
                      .length = into.size()};
  receiving_ = &operation;
  const int result = co_await perform(server_.reactor(), operation);
  receiving_ = nullptr;
  if (result < 0) co_await system_error(-result, "recv");
  if (result == 0) co_await Error(ErrorKind::disconnected, "closed by the client");
  received_bytes_ += static_cast<unsigned>(result);
  check_connection_faults();
  if (ended_ || silent_) co_await Error(ErrorKind::disconnected, "a fault of the connection");
  co_return static_cast<std::size_t>(result);
}

// Up to the next byte at which something happens.
std::uint64_t Connection::receivable() const noexcept {
  std::uint64_t most = ~std::uint64_t{0};
  for (const ConnectionFault& fault : faults_) {
    if (fault.received_bytes && *fault.received_bytes > received_bytes_) {
      most = std::min(most, *fault.received_bytes - received_bytes_);
    }
  }
  return most;
}

void Connection::check_connection_faults() {
  for (const ConnectionFault& fault : faults_) {
    const bool due = (fault.received_bytes && received_bytes_ >= *fault.received_bytes) ||
                     (fault.received_messages && received_messages_ >= *fault.received_messages) ||
                     (fault.sent_bytes && sent_bytes_ >= *fault.sent_bytes);
    if (due) strike(fault.what);
  }
}

void Connection::strike(ConnectionFault::What what) {
  if (ended_ || silent_ || draining_) return;
  if (what == ConnectionFault::What::silence) return fall_silent();
  if (what == ConnectionFault::What::reset) return end(FrameEnd::reset, "reset by a fault");
  clear_queue();
  enqueue_end(FrameEnd::close);
}

std::shared_ptr<Session> Connection::session(std::uint64_t id) const {
  const auto found = sessions_.find(id);
  return found == sessions_.end() ? nullptr : found->second;
}

void Connection::add_session(std::shared_ptr<Session> session) {
  sessions_[session->id] = std::move(session);
}

void Connection::forget_session(std::uint64_t id) {
  logons.erase(id);
  sessions_.erase(id);
}

// [MS-SMB2] 3.3.7.1: a session without a connection ends.
void Connection::leave_sessions() {
  logons.clear();
  const auto sessions = std::exchange(sessions_, {});
  for (const auto& [id, session] : sessions) {
    session->channels.erase(this);
    if (session->channels.empty()) server_.end_session(*session);
  }
}

}  // namespace smb3::server
