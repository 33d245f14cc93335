// Names the cause as far as one can see it from here, and the cure.
#include "reactor/uring_refusal.h"

#include <cerrno>
#include <cstdio>
#include <string>

namespace smb3 {

namespace {

constexpr const char* allow_in_seccomp =
    "allow io_uring_setup, io_uring_enter and io_uring_register in the seccomp profile of the "
    "container or service";

// sysctl kernel.io_uring_disabled (Linux 6.6): 0 allowed, 1 only for io_uring_group, 2 for nobody.
int uring_disabled() {
  std::FILE* file = std::fopen("/proc/sys/kernel/io_uring_disabled", "re");
  if (!file) return 0;
  int value = 0;
  if (std::fscanf(file, "%d", &value) != 1) value = 0;
  std::fclose(file);
  return value;
}

std::string advice(int error_number) {
  switch (error_number) {
    case ENOSYS:
      return std::string(
                 "the kernel has no io_uring or a seccomp profile hides it: use Linux 6.1 "
                 "or newer, and ") +
             allow_in_seccomp;
    case EPERM:
    case EACCES:
      switch (uring_disabled()) {
        case 1:
          return "this system allows it to one group only: set sysctl kernel.io_uring_disabled=0 "
                 "or join the group of kernel.io_uring_group";
        case 2: return "this system switches it off: set sysctl kernel.io_uring_disabled=0";
        default:
          return std::string("most likely a seccomp profile forbids it: ") + allow_in_seccomp;
      }
    case ENOMEM:
      return "the limit of locked memory is too low or memory is short: raise RLIMIT_MEMLOCK "
             "(ulimit -l)";
    case EMFILE:
    case ENFILE: return "too many files are open: raise RLIMIT_NOFILE (ulimit -n)";
    default: return "use Linux 6.1 or newer";
  }
}

}  // namespace

Error uring_refused(int error_number) {
  return Error(ErrorKind::local, "io_uring is refused")
      .system(error_number)
      .during("io_uring_setup")
      .advise(advice(error_number));
}

Error uring_too_old(std::string missing) {
  return Error(ErrorKind::local, "io_uring of this kernel lacks " + missing)
      .during("io_uring_setup")
      .advise("use Linux 6.1 or newer");
}

}  // namespace smb3
