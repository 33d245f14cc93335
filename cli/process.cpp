// What a tool does before and instead of a run.
#include "run.h"

#include <fcntl.h>
#include <unistd.h>

#include <csignal>

namespace smb3::cli {

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
  if (json) write_text(STDOUT_FILENO, report.json(std::chrono::duration<double>(0)));
  return report.exit_code(0);
}

int show(std::string_view text) {
  return write_text(STDOUT_FILENO, text) ? exit_code::done : exit_code::file_failed;
}

std::string version_text(std::string_view program) {
  return std::string(program) + " (libsmbclient3) " SMB3_VERSION "\n";
}

}  // namespace smb3::cli
