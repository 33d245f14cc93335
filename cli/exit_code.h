// The exit codes of the tools, which scripts rely on.
#pragma once

#include <smbclient3/error.h>

#include <cstdint>

namespace smb3::cli {

namespace exit_code {
inline constexpr int done = 0;
inline constexpr int file_failed = 1;    // a file by itself, or some of several
inline constexpr int usage = 2;          // the command line, its files, or this machine
inline constexpr int not_connected = 3;  // no connection, or lost for good
inline constexpr int refused = 4;        // the logon or the share
inline constexpr int violated = 5;       // the protocol, or a demand for security
}  // namespace exit_code

// What was being done when it failed: the same kind means something else in each.
enum class Phase : std::uint8_t {
  setup,    // reading the command line and its files, io_uring
  connect,  // from the host's name to the open share
  file,     // all that follows
};

int exit_code_of(Phase phase, const Error& error) noexcept;

// 128 + the signal's number, as a shell has it.
int exit_code_of_signal(int signal_number) noexcept;

}  // namespace smb3::cli
