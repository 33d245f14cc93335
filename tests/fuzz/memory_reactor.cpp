#include "fuzz/memory_reactor.h"

#include "fuzz/fuzz.h"

#include <sys/socket.h>

#include <cerrno>
#include <cstring>

namespace smb3::fuzz {
namespace {

// No descriptor of the kernel's has such a number: a system call on it fails.
constexpr int first_socket = 1'000'000'000;
// What no run of a fuzzer's input can need: a loop that never ends.
constexpr std::size_t turns_max = 200'000;

}  // namespace

MemoryReactor::Stream& MemoryReactor::stream_of(int socket) {
  const auto place = static_cast<std::size_t>(socket - first_socket);
  require(socket >= first_socket && place < streams_.size(), "an operation on no socket");
  return streams_[place];
}

void MemoryReactor::feed(int socket, Bytes bytes) {
  Stream& stream = stream_of(socket);
  stream.incoming.insert(stream.incoming.end(), bytes.begin(), bytes.end());
}

void MemoryReactor::end_stream(int socket) { stream_of(socket).ended = true; }

Result<int> MemoryReactor::open_socket(int) {
  streams_.emplace_back(*this);
  return first_socket + static_cast<int>(streams_.size()) - 1;
}

std::size_t MemoryReactor::open_sockets() const noexcept {
  return static_cast<std::size_t>(
      std::count_if(streams_.begin(), streams_.end(), [](const Stream& s) { return s.open; }));
}

SocketProgress MemoryReactor::progress_of(int socket) { return stream_of(socket).progress; }

void MemoryReactor::shutdown_now(int socket) noexcept {
  Stream& stream = stream_of(socket);
  stream.ended = stream.broken = true;
  stream.incoming.clear();
  stream.taken = 0;
}

void MemoryReactor::close_now(int fd) noexcept {
  Stream& stream = stream_of(fd);
  require(stream.open, "a socket is closed twice");
  require(!stream.receiving, "a socket is closed under its operation");
  stream.open = false;
  shutdown_now(fd);
}

// Runs at once, and is told of later, as if by another thread.
void MemoryReactor::offload(std::function<void()> work, std::function<void()> done) {
  posted_.push_back([work = std::move(work), done = std::move(done)] {
    work();
    done();
  });
}

void MemoryReactor::random(MutableBytes bytes) {
  for (std::byte& byte : bytes) {
    random_ ^= random_ << 13;
    random_ ^= random_ >> 7;
    random_ ^= random_ << 17;
    byte = static_cast<std::byte>(random_ >> 32);
  }
}

void MemoryReactor::complete(Operation& operation, int result) {
  operation.in_flight = false;
  operation.result = result;
  ready(operation.waiter);
}

void MemoryReactor::start(Operation& operation) {
  require(!operation.in_flight, "an operation is started twice");
  operation.in_flight = true;
  operation.expired = false;
  operation.done_bytes = 0;
  if (operation.code == OperationCode::receive) {
    Stream& stream = stream_of(operation.fd);
    require(stream.open && !stream.receiving, "a socket is read twice at once");
    stream.receiving = &operation;
    stream.deadline.set(
        operation.deadline,
        [](void* context) {
          auto& late = *static_cast<Stream*>(context);
          late.receiving->expired = true;
        },
        &stream);
  } else {
    started_.push_back(&operation);
  }
}

void MemoryReactor::cancel(Operation& operation) {
  if (!operation.in_flight || operation.code != OperationCode::receive) return;
  Stream& stream = stream_of(operation.fd);
  stream.receiving = nullptr;
  stream.deadline.clear();
  complete(operation, -ECANCELED);
}

void MemoryReactor::send(Operation& operation) {
  Stream& stream = stream_of(operation.fd);
  require(stream.open, "a send on a closed socket");
  if (stream.broken) return complete(operation, -EPIPE);
  const auto& message = *static_cast<const msghdr*>(operation.buffer);
  Octets bytes;
  for (std::size_t i = 0; i < message.msg_iovlen; ++i) {
    const auto* begin = static_cast<const std::byte*>(message.msg_iov[i].iov_base);
    bytes.insert(bytes.end(), begin, begin + message.msg_iov[i].iov_len);
  }
  require(operation.offset <= bytes.size(), "a send begins behind its end");
  operation.done_bytes = bytes.size();
  stream.progress.acknowledged_bytes += bytes.size() - operation.offset;
  complete(operation, static_cast<int>(bytes.size()));
  if (peer_) peer_->sent(operation.fd, Bytes(bytes).subspan(operation.offset));
}

void MemoryReactor::receive(Stream& stream) {
  Operation& operation = *stream.receiving;
  const std::size_t here = stream.incoming.size() - stream.taken;
  const std::size_t size = std::min<std::uint64_t>(here, operation.length);
  const bool enough = operation.receive_all ? size == operation.length : size > 0;
  if (!enough && !stream.ended && !operation.expired) return;
  if (size > 0) std::memcpy(operation.buffer, stream.incoming.data() + stream.taken, size);
  stream.taken += size;
  stream.progress.received_bytes += size;
  if (stream.taken == stream.incoming.size()) {
    stream.incoming.clear();
    stream.taken = 0;
  }
  operation.done_bytes = size;
  stream.receiving = nullptr;
  stream.deadline.clear();
  const bool late = operation.expired && !enough && !stream.ended;
  complete(operation, late ? -ETIMEDOUT : static_cast<int>(size));
}

// Whether anything happened.
bool MemoryReactor::turn() {
  bool any = run_timers(now_);
  const auto posted = std::exchange(posted_, {});
  for (const auto& function : posted) function();
  const auto started = std::exchange(started_, {});
  for (Operation* operation : started) {
    switch (operation->code) {
      case OperationCode::send: send(*operation); break;
      case OperationCode::close:
        close_now(operation->fd);
        complete(*operation, 0);
        break;
      case OperationCode::connect:
      case OperationCode::shutdown: complete(*operation, 0); break;
      default: complete(*operation, -ENOSYS); break;
    }
  }
  for (Stream& stream : streams_) {
    if (stream.receiving) receive(stream);
  }
  any = any || !posted.empty() || !started.empty();
  return run_ready() || any;
}

void MemoryReactor::run_idle() {
  std::size_t turns = 0;
  while (turn()) require(++turns < turns_max, "a loop without an end");
}

bool MemoryReactor::run(const std::function<bool()>& finished, Duration longest) {
  const TimePoint end = now_ + longest;
  while (true) {
    run_idle();
    if (finished()) return true;
    const TimePoint next = next_timer();
    if (next > end) return false;
    now_ = std::max(now_, next);
  }
}

}  // namespace smb3::fuzz
