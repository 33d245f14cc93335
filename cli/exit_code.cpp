#include "exit_code.h"

namespace smb3::cli {
namespace {

int of_connecting(ErrorKind kind) noexcept {
  switch (kind) {
    case ErrorKind::timed_out:
    case ErrorKind::disconnected: return exit_code::not_connected;
    case ErrorKind::security:
    case ErrorKind::protocol:
    case ErrorKind::unsupported: return exit_code::violated;
    case ErrorKind::local: return exit_code::usage;
    case ErrorKind::not_found:
    case ErrorKind::access_denied:
    case ErrorKind::exists:
    case ErrorKind::no_space:
    case ErrorKind::authentication:
    case ErrorKind::cancelled:
    case ErrorKind::failed: return exit_code::refused;
  }
  return exit_code::refused;
}

int of_a_file(const Error& error) noexcept {
  switch (error.kind()) {
    // With the server's own word for it, the server lives and this one file timed out.
    case ErrorKind::timed_out:
      return error.nt_status() != 0 ? exit_code::file_failed : exit_code::not_connected;
    case ErrorKind::disconnected: return exit_code::not_connected;
    case ErrorKind::authentication: return exit_code::refused;
    case ErrorKind::security:
    case ErrorKind::protocol: return exit_code::violated;
    case ErrorKind::not_found:
    case ErrorKind::access_denied:
    case ErrorKind::exists:
    case ErrorKind::no_space:
    case ErrorKind::unsupported:
    case ErrorKind::cancelled:
    case ErrorKind::failed:
    case ErrorKind::local: return exit_code::file_failed;
  }
  return exit_code::file_failed;
}

}  // namespace

int exit_code_of(Phase phase, const Error& error) noexcept {
  switch (phase) {
    case Phase::setup: return exit_code::usage;
    case Phase::connect: return of_connecting(error.kind());
    case Phase::file: return of_a_file(error);
  }
  return exit_code::usage;
}

int exit_code_of_signal(int signal_number) noexcept { return 128 + signal_number; }

}  // namespace smb3::cli
