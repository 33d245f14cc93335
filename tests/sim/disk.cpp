#include "sim/disk.h"

#include "reactor/local_file.h"
#include "sim/sim_reactor.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace smb3::sim {
namespace {

int word(long result) { return result < 0 ? -errno : static_cast<int>(result); }

int read_or_write(const Operation& op, std::uint64_t length) {
  const bool here = op.offset == current_position;
  const auto offset = static_cast<off_t>(op.offset);
  if (op.code == OperationCode::read) {
    return word(here ? ::read(op.fd, op.buffer, length)
                     : ::pread(op.fd, op.buffer, length, offset));
  }
  return word(here ? ::write(op.fd, op.buffer, length)
                   : ::pwrite(op.fd, op.buffer, length, offset));
}

// Times of this machine would make two runs differ: the last write's alone is ours to set.
int status(const Operation& op) {
  auto& found = *static_cast<struct statx*>(op.buffer);
  const int result = word(::statx(op.fd, op.path, op.flags, op.mode, &found));
  if (result == 0) found.stx_atime = found.stx_ctime = found.stx_btime = found.stx_mtime;
  return result;
}

int call(const Operation& op) {
  switch (op.code) {
    case OperationCode::open:
      return word(::syscall(SYS_openat2, op.fd, op.path, op.how, sizeof *op.how));
    case OperationCode::close: return word(::close(op.fd));
    case OperationCode::allocate:
      return word(::fallocate(op.fd, op.flags, static_cast<off_t>(op.offset),
                              static_cast<off_t>(op.length)));
    case OperationCode::sync: return word(::fsync(op.fd));
    case OperationCode::status: return status(op);
    case OperationCode::rename:
      return word(::syscall(SYS_renameat2, op.fd, op.path, op.to_fd, op.to_path, op.flags));
    case OperationCode::unlink: return word(::unlinkat(op.fd, op.path, op.flags));
    case OperationCode::make_directory: return word(::mkdirat(op.fd, op.path, op.mode));
    case OperationCode::advise: return word(::madvise(op.buffer, op.length, op.flags));
    default: return read_or_write(op, op.length);
  }
}

}  // namespace

void Disk::start(Flight& flight) {
  const Duration span = settings_.delay_max - settings_.delay_min;
  const auto chance =
      static_cast<Duration::rep>(chance_.between(0, static_cast<std::uint64_t>(span.count())));
  reactor_.at(reactor_.now() + settings_.delay_min + Duration(chance),
              [this, number = flight.number] { perform(number); });
}

void Disk::cancel(Flight& flight) {
  if (flight.ending || chance_.one_in(2)) return;
  reactor_.end(flight, flight.operation->expired ? -ETIMEDOUT : -ECANCELED, Duration(0));
}

void Disk::perform(std::uint64_t number) {
  Flight* flight = reactor_.flight(number);
  if (!flight || flight->ending) return;  // it was cancelled
  reactor_.end(*flight, result_of(*flight->operation), Duration(0));
}

int Disk::fault_for(const Operation& op) {
  if (op.code == OperationCode::open && chance_.one_in(settings_.open_error_one_in)) return -EMFILE;
  if (op.code == OperationCode::advise || op.code == OperationCode::open) return 0;
  return chance_.one_in(settings_.error_one_in) ? -EIO : 0;
}

int Disk::result_of(Operation& op) {
  const int fault = fault_for(op);
  if (fault != 0) {
    ++faults_;
    // As a kernel does: whatever it says, the descriptor is gone.
    if (op.code == OperationCode::close) static_cast<void>(call(op));
    return fault;
  }
  if (op.code != OperationCode::read && op.code != OperationCode::write) return call(op);
  std::uint64_t length = op.length;
  if (length > 1 && chance_.one_in(settings_.short_one_in)) length = chance_.between(1, length - 1);
  if (op.code == OperationCode::write) {
    length = std::min(length, settings_.free_bytes);
    if (length == 0 && op.length != 0) {
      ++faults_;
      return -ENOSPC;
    }
  }
  const int result = read_or_write(op, length);
  if (op.code == OperationCode::write && result > 0) {
    settings_.free_bytes -= static_cast<std::uint64_t>(result);
  }
  return result;
}

}  // namespace smb3::sim
