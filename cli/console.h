// What the user sees: messages, and the status line below them.
#pragma once

#include "options.h"

#include <mutex>
#include <string>
#include <string_view>

namespace smb3::cli {

// For several threads. Text is escaped here and nowhere else.
class Console {
 public:
  // `notes_descriptor`: where notes go; standard output, unless something else is written there.
  Console(std::string program, Verbosity verbosity, int notes_descriptor)
      : program_(std::move(program)), verbosity_(verbosity), notes_descriptor_(notes_descriptor) {}

  void error(std::string_view text);
  void warning(std::string_view text);  // silent if quiet
  void note(std::string_view text);     // only if verbose
  void answer(std::string_view text);   // what the user asked for

  // The line that stays below all else, until the next one or clear_status().
  void status(std::string line);
  void clear_status();
  void keep_status();  // leaves it behind as it is

  // Some of the output was lost, for the reason that errno gives. Said once, on standard error.
  void lost_output();
  bool is_complete() const noexcept { return complete_; }
  Verbosity verbosity() const noexcept { return verbosity_; }

 private:
  void line(int descriptor, std::string_view text);
  void tell_lost_output();

  std::string program_;
  Verbosity verbosity_;
  int notes_descriptor_;
  std::mutex mutex_;
  std::string status_;
  bool complete_ = true;
};

// Whether all was written; else errno tells why not.
bool write_text(int descriptor, std::string_view text) noexcept;

}  // namespace smb3::cli
