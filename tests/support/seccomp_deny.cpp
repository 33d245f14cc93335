// seccomp_deny ERRNO PROGRAM [ARGUMENT...]: runs PROGRAM where io_uring_setup() fails with ERRNO
// (EPERM, ENOSYS, EACCES, ENOMEM or a number), as the profiles of containers make it fail.
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

int errno_of(const char* name) {
  const struct {
    const char* name;
    int value;
  } known[] = {{"EPERM", EPERM}, {"ENOSYS", ENOSYS}, {"EACCES", EACCES}, {"ENOMEM", ENOMEM}};
  for (const auto& entry : known) {
    if (std::strcmp(entry.name, name) == 0) return entry.value;
  }
  return std::atoi(name);
}

bool deny_io_uring(int error_number) {
  sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_io_uring_setup, 0, 1),
      BPF_STMT(BPF_RET | BPF_K,
               SECCOMP_RET_ERRNO | (static_cast<unsigned>(error_number) & SECCOMP_RET_DATA)),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  sock_fprog program{.len = sizeof code / sizeof *code, .filter = code};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

}  // namespace

int main(int argc, char** argv) {
  const int error_number = argc > 2 ? errno_of(argv[1]) : 0;
  if (error_number <= 0) {
    std::fprintf(stderr, "usage: seccomp_deny ERRNO PROGRAM [ARGUMENT...]\n");
    return 125;
  }
  if (!deny_io_uring(error_number)) {
    std::perror("seccomp_deny: cannot install the filter");
    return 125;
  }
  execvp(argv[2], argv + 2);
  std::perror("seccomp_deny: cannot run the program");
  return 127;
}
