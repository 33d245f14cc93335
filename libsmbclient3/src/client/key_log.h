// Session keys in a file, for a decoder of captures.
#pragma once

#include "base/bytes.h"

#include <smbclient3/error.h>

#include <cstdint>
#include <string>

namespace smb3 {

// One line a session: SessionId in the order of the wire and session key, as tshark's
// smb2_seskey_list takes them.
class KeyLog {
 public:
  KeyLog() = default;
  // Created new, with mode 0600; an empty path means no log.
  static Result<KeyLog> create(std::string path);
  KeyLog(KeyLog&& other) noexcept;
  KeyLog& operator=(KeyLog&& other) noexcept;
  ~KeyLog();

  Result<void> add(std::uint64_t session_id, Bytes session_key);

 private:
  int fd_ = -1;
  std::string path_;
};

}  // namespace smb3
