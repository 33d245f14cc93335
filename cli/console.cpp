#include "console.h"

#include "text.h"

#include <smbclient3/error.h>

#include <unistd.h>

#include <cerrno>
#include <utility>

namespace smb3::cli {

bool write_text(int descriptor, std::string_view text) noexcept {
  while (!text.empty()) {
    ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

void Console::line(int descriptor, std::string_view text) {
  std::lock_guard lock(mutex_);
  if (!status_.empty()) write_text(STDERR_FILENO, "\r\x1b[K");
  bool written = write_text(descriptor, printable(text) + "\n");
  if (descriptor != STDERR_FILENO && !written) tell_lost_output();
  if (!status_.empty()) write_text(STDERR_FILENO, status_);
}

void Console::lost_output() {
  std::lock_guard lock(mutex_);
  tell_lost_output();
}

void Console::tell_lost_output() {
  const Error error = system_error(errno, "write").on("standard output");
  if (!std::exchange(complete_, false)) return;
  write_text(STDERR_FILENO, program_ + ": " + describe(error) + "\n");
}

void Console::error(std::string_view text) {
  line(STDERR_FILENO, program_ + ": " + std::string(text));
}

void Console::warning(std::string_view text) {
  if (verbosity_ != Verbosity::quiet) error(text);
}

void Console::note(std::string_view text) {
  if (verbosity_ == Verbosity::verbose) line(notes_descriptor_, text);
}

void Console::answer(std::string_view text) { line(notes_descriptor_, text); }

void Console::status(std::string text) {
  std::lock_guard lock(mutex_);
  status_ = std::move(text);
  write_text(STDERR_FILENO, "\r" + status_ + "\x1b[K");
}

void Console::clear_status() {
  std::lock_guard lock(mutex_);
  if (!status_.empty()) write_text(STDERR_FILENO, "\r\x1b[K");
  status_.clear();
}

void Console::keep_status() {
  std::lock_guard lock(mutex_);
  if (!status_.empty()) write_text(STDERR_FILENO, "\n");
  status_.clear();
}

}  // namespace smb3::cli
