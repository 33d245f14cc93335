#include "prompt.h"

#include <fcntl.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <string>

namespace smb3::cli {
namespace {

std::atomic<int> asking_terminal = -1;
termios settings_before;  // valid while asking_terminal is one

int open_terminal() noexcept { return ::open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC); }

void write_all(int descriptor, std::string_view text) noexcept {
  while (!text.empty()) {
    ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

Result<SecretString> read_answer(int terminal) {
  std::array<char, 4096> line;  // more than a terminal's line holds
  ssize_t got;
  do {
    got = ::read(terminal, line.data(), line.size());
  } while (got < 0 && errno == EINTR);
  if (got < 0) return std::unexpected(system_error(errno, "read").on("/dev/tty"));
  std::string_view answer(line.data(), static_cast<std::size_t>(got));
  Result<SecretString> password =
      std::unexpected(Error(ErrorKind::cancelled, "the password's input ended").on("/dev/tty"));
  if (!answer.empty()) {
    if (answer.ends_with('\n')) answer.remove_suffix(1);
    password = SecretString(answer);
  }
  explicit_bzero(line.data(), line.size());
  return password;
}

}  // namespace

bool has_terminal() noexcept {
  int terminal = open_terminal();
  if (terminal < 0) return false;
  ::close(terminal);
  return true;
}

bool is_asking() noexcept { return asking_terminal >= 0; }

void restore_terminal() noexcept {
  int terminal = asking_terminal.exchange(-1);
  if (terminal < 0) return;
  ::tcsetattr(terminal, TCSAFLUSH, &settings_before);
  write_all(terminal, "\n");
}

Result<SecretString> ask_password(std::string_view question) {
  int terminal = open_terminal();
  if (terminal < 0) {
    return std::unexpected(
        Error(ErrorKind::local, "there is no terminal to ask for the password on")
            .advise("give one with -U USER%PASSWORD, -A, or PASSWD_FILE; or use -N or -a"));
  }
  if (::tcgetattr(terminal, &settings_before) != 0) {
    Error error = system_error(errno, "tcgetattr").on("/dev/tty");
    ::close(terminal);
    return std::unexpected(std::move(error));
  }
  asking_terminal = terminal;
  termios silent = settings_before;
  silent.c_lflag &= ~static_cast<tcflag_t>(ECHO);
  silent.c_lflag |= ICANON | ISIG;
  ::tcsetattr(terminal, TCSAFLUSH, &silent);
  write_all(terminal, question);
  Result<SecretString> password = read_answer(terminal);
  restore_terminal();
  ::close(terminal);
  return password;
}

}  // namespace smb3::cli
