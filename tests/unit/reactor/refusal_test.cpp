// Where the system gives us less than we want: no io_uring, no locked memory.
#include "unit/reactor/reactor_fixture.h"

#include "reactor/buffer_pool.h"
#include "reactor/local_file.h"
#include "reactor/uring_refusal.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>

using namespace smb3;

namespace {

struct Outcome {
  int status = -1;
  std::string output;
};

Outcome output_of(const std::string& command) {
  Outcome outcome;
  std::FILE* pipe = ::popen(command.c_str(), "re");
  char part[512];
  while (std::fgets(part, sizeof part, pipe)) outcome.output += part;
  const int status = ::pclose(pipe);
  outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return outcome;
}

Outcome probe_under(const std::string& error_name) {
  return output_of(SMB3_SECCOMP_DENY " " + error_name + " " SMB3_URING_PROBE " 2>&1");
}

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST(Refusal, TheProbeRunsWhereIoUringIsAllowed) {
  const Outcome outcome = output_of(SMB3_URING_PROBE " 2>&1");
  EXPECT_EQ(outcome.status, 0) << outcome.output;
}

TEST(Refusal, ASeccompProfileThatForbids) {
  const Outcome outcome = probe_under("EPERM");
  EXPECT_EQ(outcome.status, 2) << outcome.output;
  EXPECT_TRUE(contains(outcome.output, "io_uring is refused: Operation not permitted"));
  EXPECT_TRUE(contains(outcome.output, "(io_uring_setup)"));
  EXPECT_TRUE(contains(outcome.output, "seccomp") || contains(outcome.output, "io_uring_disabled"))
      << outcome.output;
}

TEST(Refusal, AKernelWithoutIoUring) {
  const Outcome outcome = probe_under("ENOSYS");
  EXPECT_EQ(outcome.status, 2) << outcome.output;
  EXPECT_TRUE(contains(outcome.output, "io_uring is refused: Function not implemented"));
  EXPECT_TRUE(contains(outcome.output, "Linux 6.1 or newer")) << outcome.output;
  EXPECT_TRUE(contains(outcome.output, "io_uring_enter")) << outcome.output;
}

TEST(Refusal, NoMemory) {
  const Outcome outcome = probe_under("ENOMEM");
  EXPECT_EQ(outcome.status, 2) << outcome.output;
  EXPECT_TRUE(contains(outcome.output, "RLIMIT_MEMLOCK")) << outcome.output;
}

TEST(Refusal, IsAnErrorOfThisMachine) {
  const Error error = uring_refused(EPERM);
  EXPECT_EQ(error.kind(), ErrorKind::local);
  EXPECT_EQ(error.system_errno(), EPERM);
  EXPECT_EQ(error.what(), "io_uring is refused");
  EXPECT_EQ(error.operation(), "io_uring_setup");
  EXPECT_FALSE(error.hint().empty());
  const Error old = uring_too_old("MKDIRAT");
  EXPECT_TRUE(contains(old.what(), "MKDIRAT"));
}

Task<int> copy_through_pool(Reactor& reactor, LocalFile& file) {
  BufferPool pool(reactor, 4, 65536);
  if (pool.registered_index() != -1) co_return 11;
  Buffer buffer = std::move(*pool.take());
  buffer.data()[0] = std::byte{42};
  co_await file.write_all_at(buffer.bytes(), 0, buffer.registered_index());
  buffer.data()[0] = std::byte{0};
  const std::size_t got = co_await file.read_at(buffer.bytes(), 0, buffer.registered_index());
  co_return got == 65536 && buffer.data()[0] == std::byte{42} ? 0 : 12;
}

// In a process of its own, as an ordinary user who may lock hardly any memory: kernels count also
// the queues.
int with_little_locked_memory() {
  const int fd = memfd_create("file", MFD_CLOEXEC);
  const rlimit little{.rlim_cur = 32768, .rlim_max = 32768};
  if (::setrlimit(RLIMIT_MEMLOCK, &little) != 0) return 13;
  if (::getuid() == 0 && ::setresuid(65534, 65534, 65534) != 0) return 14;
  auto thread = ReactorThread::start();
  if (!thread) return 15;
  LocalFile file((*thread)->reactor(), fd, "file");
  Result<int> result =
      run_on((*thread)->reactor(), [&] { return copy_through_pool((*thread)->reactor(), file); });
  return result ? *result : 16;
}

TEST(Refusal, WithLittleLockedMemoryPlainBuffersDo) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(with_little_locked_memory());
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
