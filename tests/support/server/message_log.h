// One JSON object a line for every message that comes in (and, if asked for, goes out).
#pragma once

#include "base/bytes.h"
#include "wire/packet_header.h"

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

namespace smb3::server {

struct LoggedMessage {
  std::uint32_t connection = 0;
  std::uint64_t time_us = 0;  // since the server's start
  bool sealed = false;
  bool signed_and_verified = false;
  bool from_server = false;
  std::uint32_t position = 0;  // in its compound, from 0
  std::uint32_t count = 1;     // of the compound's elements
  std::string path;            // of the open or of a CREATE, as far as it is known
  Bytes element;               // from its SMB2 header on
};

// Fields of a line: "connection", "time_us", "direction" ("in", "out"), "command" ("CREATE"),
// "status", "message_id", "credit_charge", "credits", "flags" (list of names), "channel_sequence",
// "session_id", "tree_id", "sealed", "signed", "position", "count", "path", and "body": every field
// of the message by the name that the wire layer gives it; texts as text, contexts decoded, payload
// of READ and WRITE only as its length.
class MessageLog {
 public:
  // An empty path: nothing is written. "-": standard output.
  static Result<MessageLog> open(const std::string& path, bool answers_too);

  bool wanted() const noexcept { return file_ != nullptr; }
  bool answers_wanted() const noexcept { return wanted() && answers_too_; }
  void write(const LoggedMessage& message);
  // An event that is no message: {"event": "logon", "user": ..., ...}. `json` is a whole object.
  void write_line(std::string_view json);

 private:
  struct Closer {
    void operator()(std::FILE* file) const noexcept {
      if (file != stdout) std::fclose(file);
    }
  };
  std::unique_ptr<std::FILE, Closer> file_;
  bool answers_too_ = false;
};

}  // namespace smb3::server
