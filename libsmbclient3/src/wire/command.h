// The commands of [MS-SMB2] 2.2.1.
#pragma once

#include <cstdint>
#include <string_view>

namespace smb3::wire {

enum class Command : std::uint16_t {
  negotiate = 0x00,
  session_setup = 0x01,
  logoff = 0x02,
  tree_connect = 0x03,
  tree_disconnect = 0x04,
  create = 0x05,
  close = 0x06,
  flush = 0x07,
  read = 0x08,
  write = 0x09,
  lock = 0x0A,
  ioctl = 0x0B,
  cancel = 0x0C,
  echo = 0x0D,
  query_directory = 0x0E,
  change_notify = 0x0F,
  query_info = 0x10,
  set_info = 0x11,
  oplock_break = 0x12,
  server_to_client_notification = 0x13,
};

constexpr std::string_view name_of(Command command) noexcept {
  switch (command) {
    case Command::negotiate: return "NEGOTIATE";
    case Command::session_setup: return "SESSION_SETUP";
    case Command::logoff: return "LOGOFF";
    case Command::tree_connect: return "TREE_CONNECT";
    case Command::tree_disconnect: return "TREE_DISCONNECT";
    case Command::create: return "CREATE";
    case Command::close: return "CLOSE";
    case Command::flush: return "FLUSH";
    case Command::read: return "READ";
    case Command::write: return "WRITE";
    case Command::lock: return "LOCK";
    case Command::ioctl: return "IOCTL";
    case Command::cancel: return "CANCEL";
    case Command::echo: return "ECHO";
    case Command::query_directory: return "QUERY_DIRECTORY";
    case Command::change_notify: return "CHANGE_NOTIFY";
    case Command::query_info: return "QUERY_INFO";
    case Command::set_info: return "SET_INFO";
    case Command::oplock_break: return "OPLOCK_BREAK";
    case Command::server_to_client_notification: return "SERVER_TO_CLIENT_NOTIFICATION";
  }
  return {};
}

}  // namespace smb3::wire
