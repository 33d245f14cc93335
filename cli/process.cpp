// What a tool does before and instead of a run.
#include "run.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <sys/resource.h>

namespace smb3::cli {
namespace {

// As most systems have it, and more than is ever open.
constexpr std::size_t usual_descriptors = 1024;

}  // namespace

void prepare_process() {
  // A closed pipe is an error of write(), as all else that can happen to the output.
  ::signal(SIGPIPE, SIG_IGN);
  // Else a file that is opened could become standard output. Writing to what was closed is an
  // error, as it would be without us.
  for (int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(descriptor, F_GETFD) >= 0) continue;
    const int flags = descriptor == STDOUT_FILENO ? O_RDONLY : O_RDWR;
    if (::open("/dev/null", flags | O_CLOEXEC) < 0) return;
  }
}

int refuse_usage(std::string_view program, const Error& error, bool json) {
  Console console(std::string(program), Verbosity::normal, STDERR_FILENO);
  console.error(describe(error));
  console.answer("Try '" + std::string(program) + " --help'.");
  Report report;
  report.failed(Phase::setup, error.object(), error);
  const std::string object = report.json(std::chrono::duration<double>(0));
  if (json && !write_text(STDOUT_FILENO, object)) console.lost_output();
  return report.exit_code(0);
}

int show(std::string_view program, std::string_view text) {
  if (write_text(STDOUT_FILENO, text)) return exit_code::done;
  Console(std::string(program), Verbosity::normal, STDERR_FILENO).lost_output();
  return exit_code::file_failed;
}

int end_process(int code) {
  // Nothing is buffered: all output goes by write().
  if (Client::has_abandoned_calls()) ::_exit(code);
  return code;
}

std::size_t descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return usual_descriptors;
  const rlim_t wanted = std::min<rlim_t>(limit.rlim_max, usual_descriptors);
  if (limit.rlim_cur < wanted) {
    limit.rlim_cur = wanted;
    if (::setrlimit(RLIMIT_NOFILE, &limit) != 0) ::getrlimit(RLIMIT_NOFILE, &limit);
  }
  return static_cast<std::size_t>(limit.rlim_cur);
}

std::string version_text(std::string_view program) {
  return std::string(program) + " (libsmbclient3) " SMB3_VERSION "\n";
}

}  // namespace smb3::cli
