// The only file that knows liburing.
#include "reactor/uring_ring.h"

#include "reactor/memory_marks.h"
#include "reactor/uring_refusal.h"

#include <liburing.h>
#include <poll.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

namespace smb3 {

namespace {

constexpr std::int16_t registered_max = 64;
constexpr unsigned entries_min = 16;

struct NeededCode {
  int code;
  const char* name;
};
constexpr NeededCode needed_codes[] = {
    {IORING_OP_CONNECT, "CONNECT"},
    {IORING_OP_RECV, "RECV"},
    {IORING_OP_SENDMSG, "SENDMSG"},
    {IORING_OP_SHUTDOWN, "SHUTDOWN"},
    {IORING_OP_OPENAT2, "OPENAT2"},
    {IORING_OP_CLOSE, "CLOSE"},
    {IORING_OP_READ, "READ"},
    {IORING_OP_WRITE, "WRITE"},
    {IORING_OP_READ_FIXED, "READ_FIXED"},
    {IORING_OP_WRITE_FIXED, "WRITE_FIXED"},
    {IORING_OP_FALLOCATE, "FALLOCATE"},
    {IORING_OP_FSYNC, "FSYNC"},
    {IORING_OP_STATX, "STATX"},
    {IORING_OP_RENAMEAT, "RENAMEAT"},
    {IORING_OP_UNLINKAT, "UNLINKAT"},
    {IORING_OP_MKDIRAT, "MKDIRAT"},
    {IORING_OP_MADVISE, "MADVISE"},
    {IORING_OP_POLL_ADD, "POLL_ADD"},
    {IORING_OP_ASYNC_CANCEL, "ASYNC_CANCEL"},
};

std::string missing_in(io_uring& ring) {
  std::string missing;
  const auto add = [&missing](const char* name) {
    missing += (missing.empty() ? "" : ", ") + std::string(name);
  };
  io_uring_probe* probe = io_uring_get_probe_ring(&ring);
  for (const NeededCode& needed : needed_codes) {
    if (!probe || !io_uring_opcode_supported(probe, needed.code)) add(needed.name);
  }
  if (probe) io_uring_free_probe(probe);
  if (!(ring.features & IORING_FEAT_NODROP)) add("NODROP");
  if (!(ring.features & IORING_FEAT_EXT_ARG)) add("EXT_ARG");
  return missing;
}

// Takes the newest flags that this kernel knows. Returns 0 or -errno.
int set_up_once(io_uring& ring, const UringOptions& options) {
  constexpr unsigned steps[] = {
      IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_COOP_TASKRUN |
          IORING_SETUP_SUBMIT_ALL,                                                       // 6.1
      IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_COOP_TASKRUN | IORING_SETUP_SUBMIT_ALL,  // 6.0
      IORING_SETUP_COOP_TASKRUN | IORING_SETUP_SUBMIT_ALL,                               // 5.19
      0,
  };
  int result = -EINVAL;
  // With DEFER_TASKRUN nothing comes while wait_outside() polls.
  const bool modern = options.modern && !under_valgrind();
  for (const unsigned step : steps) {
    if (step != 0 && !modern) continue;
    io_uring_params parameters{};
    parameters.flags = IORING_SETUP_CLAMP | IORING_SETUP_CQSIZE | step;
    parameters.cq_entries = std::max(options.completions, options.entries);
    result = io_uring_queue_init_params(options.entries, &ring, &parameters);
    if (result != -EINVAL) break;
  }
  return result;
}

// Kernels that count the queues against RLIMIT_MEMLOCK get smaller ones where that is low.
int set_up(io_uring& ring, UringOptions options) {
  int result = set_up_once(ring, options);
  while (result == -ENOMEM && options.entries > entries_min) {
    options.entries /= 2;
    options.completions /= 2;
    result = set_up_once(ring, options);
  }
  return result;
}

// The message without the bytes that are gone already.
const msghdr* rest_of(const msghdr& message, std::uint64_t gone, SendRest& rest) {
  rest.parts.assign(message.msg_iov, message.msg_iov + message.msg_iovlen);
  std::size_t first = 0;
  while (gone >= rest.parts[first].iov_len) gone -= rest.parts[first++].iov_len;
  iovec& part = rest.parts[first];
  part = {static_cast<std::byte*>(part.iov_base) + gone, part.iov_len - gone};
  rest.message = {};
  rest.message.msg_iov = &part;
  rest.message.msg_iovlen = rest.parts.size() - first;
  return &rest.message;
}

// Sockets: the kernel's MSG_WAITALL saves turns; what it leaves undone the reactor goes on with.
void prepare_socket(io_uring_sqe* sqe, const Operation& op, SendRest& rest) {
  switch (op.code) {
    case OperationCode::connect:
      io_uring_prep_connect(sqe, op.fd, static_cast<const sockaddr*>(op.buffer),
                            static_cast<socklen_t>(op.length));
      return;
    case OperationCode::receive:
      io_uring_prep_recv(sqe, op.fd, static_cast<std::byte*>(op.buffer) + op.done_bytes,
                         op.length - op.done_bytes, op.receive_all ? MSG_WAITALL : 0);
      return;
    case OperationCode::send: {
      const auto* message = static_cast<const msghdr*>(op.buffer);
      if (op.done_bytes > 0) message = rest_of(*message, op.done_bytes, rest);
      io_uring_prep_sendmsg(sqe, op.fd, message, MSG_NOSIGNAL | MSG_WAITALL);
      return;
    }
    default: io_uring_prep_shutdown(sqe, op.fd, op.flags); return;
  }
}

void prepare_transfer(io_uring_sqe* sqe, const Operation& op) {
  const auto length = static_cast<unsigned>(op.length);
  const bool is_read = op.code == OperationCode::read;
  if (op.buffer_index >= 0) {
    if (is_read) {
      io_uring_prep_read_fixed(sqe, op.fd, op.buffer, length, op.offset, op.buffer_index);
    } else {
      io_uring_prep_write_fixed(sqe, op.fd, op.buffer, length, op.offset, op.buffer_index);
    }
  } else if (is_read) {
    io_uring_prep_read(sqe, op.fd, op.buffer, length, op.offset);
  } else {
    io_uring_prep_write(sqe, op.fd, op.buffer, length, op.offset);
  }
}

void prepare(io_uring_sqe* sqe, const Operation& op, SendRest& rest) {
  const auto flags = static_cast<unsigned>(op.flags);
  switch (op.code) {
    case OperationCode::connect:
    case OperationCode::receive:
    case OperationCode::send:
    case OperationCode::shutdown: return prepare_socket(sqe, op, rest);
    case OperationCode::read:
    case OperationCode::write: return prepare_transfer(sqe, op);
    case OperationCode::open: return io_uring_prep_openat2(sqe, op.fd, op.path, op.how);
    case OperationCode::close: return io_uring_prep_close(sqe, op.fd);
    case OperationCode::allocate:
      return io_uring_prep_fallocate(sqe, op.fd, op.flags, static_cast<off_t>(op.offset),
                                     static_cast<off_t>(op.length));
    case OperationCode::sync: return io_uring_prep_fsync(sqe, op.fd, flags);
    case OperationCode::status:
      return io_uring_prep_statx(sqe, op.fd, op.path, op.flags, op.mode,
                                 static_cast<struct statx*>(op.buffer));
    case OperationCode::rename:
      return io_uring_prep_renameat(sqe, op.fd, op.path, op.to_fd, op.to_path, flags);
    case OperationCode::unlink: return io_uring_prep_unlinkat(sqe, op.fd, op.path, op.flags);
    case OperationCode::make_directory: return io_uring_prep_mkdirat(sqe, op.fd, op.path, op.mode);
    case OperationCode::advise:
      return io_uring_prep_madvise(sqe, op.buffer, static_cast<off_t>(op.length), op.flags);
  }
}

}  // namespace

UringRing::UringRing() : ring_(std::make_unique<io_uring>()) {}

UringRing::~UringRing() {
  if (is_open_) io_uring_queue_exit(ring_.get());
}

Result<std::unique_ptr<UringRing>> UringRing::create(const UringOptions& options) {
  std::unique_ptr<UringRing> self(new UringRing());
  if (const int result = set_up(*self->ring_, options); result < 0) {
    return std::unexpected(uring_refused(-result));
  }
  self->is_open_ = true;
  if (std::string missing = missing_in(*self->ring_); !missing.empty()) {
    return std::unexpected(uring_too_old(std::move(missing)));
  }
  return self;
}

bool UringRing::is_full() const noexcept { return io_uring_sq_space_left(ring_.get()) == 0; }

void UringRing::submit(const Operation& operation, SendRest& rest, std::uint64_t user_data) {
  io_uring_sqe* sqe = io_uring_get_sqe(ring_.get());
  prepare(sqe, operation, rest);
  io_uring_sqe_set_data64(sqe, user_data);
}

void UringRing::submit_poll(int fd, short events, std::uint64_t user_data) {
  io_uring_sqe* sqe = io_uring_get_sqe(ring_.get());
  io_uring_prep_poll_add(sqe, fd, static_cast<unsigned>(events));
  io_uring_sqe_set_data64(sqe, user_data);
}

void UringRing::submit_read(int fd, std::uint64_t& value, std::uint64_t user_data) {
  io_uring_sqe* sqe = io_uring_get_sqe(ring_.get());
  io_uring_prep_read(sqe, fd, &value, sizeof value, 0);
  io_uring_sqe_set_data64(sqe, user_data);
}

void UringRing::submit_cancel(std::uint64_t of, std::uint64_t user_data) {
  io_uring_sqe* sqe = io_uring_get_sqe(ring_.get());
  io_uring_prep_cancel64(sqe, of, 0);
  io_uring_sqe_set_data64(sqe, user_data);
}

// valgrind holds its lock through an io_uring_enter that waits: no other thread would run. It knows
// that poll() waits.
Duration UringRing::wait_outside(Duration wait) {
  io_uring_submit_and_get_events(ring_.get());
  pollfd ring{.fd = ring_->ring_fd, .events = POLLIN, .revents = 0};
  constexpr auto step = std::chrono::milliseconds(100);
  const auto time = std::chrono::ceil<std::chrono::milliseconds>(std::min<Duration>(wait, step));
  poll(&ring, 1, static_cast<int>(time.count()));
  return Duration::zero();
}

void UringRing::enter(Duration wait) {
  int result = 0;
  if (wait > Duration::zero() && under_valgrind()) wait = wait_outside(wait);
  if (wait <= Duration::zero()) {
    result = io_uring_submit_and_get_events(ring_.get());
  } else if (wait == never) {
    result = io_uring_submit_and_wait(ring_.get(), 1);
  } else {
    const auto count = wait.count();
    __kernel_timespec time{.tv_sec = count / 1'000'000'000, .tv_nsec = count % 1'000'000'000};
    io_uring_cqe* cqe = nullptr;
    result = io_uring_submit_and_wait_timeout(ring_.get(), &cqe, 1, &time, nullptr);
  }
  // EBUSY: completions found their queue full; they are in it now. What is left comes next time.
  if (result < 0 && result != -ETIME && result != -EINTR && result != -EAGAIN && result != -EBUSY) {
    std::fprintf(stderr, "libsmbclient3: io_uring_enter: %s\n", std::strerror(-result));
    std::abort();  // we gave it what it cannot take: there is no way on
  }
}

void UringRing::reap(std::vector<Completion>& completions) {
  io_uring_cqe* cqe = nullptr;
  unsigned head = 0;
  unsigned count = 0;
  io_uring_for_each_cqe(ring_.get(), head, cqe) {
    ++count;
    completions.push_back({.user_data = cqe->user_data, .result = cqe->res});
  }
  io_uring_cq_advance(ring_.get(), count);
}

std::int16_t UringRing::register_memory(MutableBytes memory) {
  if (!has_table_) {
    if (io_uring_register_buffers_sparse(ring_.get(), registered_max) < 0) return -1;  // < 5.19
    has_table_ = true;
    for (std::int16_t i = registered_max; i-- > 0;) free_indexes_.push_back(i);
  }
  if (free_indexes_.empty()) return -1;
  const std::int16_t index = free_indexes_.back();
  const iovec range{memory.data(), memory.size()};
  const __u64 tag = 0;
  // Fails beyond RLIMIT_MEMLOCK: then plain reads and writes do the same, a little slower.
  if (io_uring_register_buffers_update_tag(ring_.get(), static_cast<unsigned>(index), &range, &tag,
                                           1) < 0) {
    return -1;
  }
  free_indexes_.pop_back();
  return index;
}

void UringRing::unregister_memory(std::int16_t index) {
  const iovec nothing{};
  const __u64 tag = 0;
  io_uring_register_buffers_update_tag(ring_.get(), static_cast<unsigned>(index), &nothing, &tag,
                                       1);
  free_indexes_.push_back(index);
}

}  // namespace smb3
