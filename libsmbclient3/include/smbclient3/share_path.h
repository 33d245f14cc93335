// Where a file lies: a server, a share, and a path in it.
#pragma once

#include <smbclient3/error.h>
#include <smbclient3/secret_string.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace smb3 {

// Written as smb://[[domain;]user[:password]@]host[:port]/share/path (percent-decoded, IPv6 as
// [addr]), as //host/share/path or as \\host\share\path (nothing decoded).
struct SharePath {
  std::string server;      // as the user gave it; an IPv6 address without brackets
  std::uint16_t port = 0;  // 0: not given
  std::string share;       // empty: the server alone
  std::string path;        // components separated by '/', none at either end; may be empty
  bool trailing_slash = false;

  // What a URL says of the user.
  std::optional<std::string> domain;
  std::optional<std::string> user;
  std::optional<SecretString> password;

  // Whether the text is of one of the three forms (not whether it is a good one).
  SMB3_API static bool is_share_path(std::string_view text) noexcept;
  // Errors: kind local, with what is wrong and how it should look; never with the password.
  SMB3_API static Result<SharePath> parse(std::string_view text);

  // "//server/share/path" for messages, without user and password: with the port where it is not
  // 445, an IPv6 address in brackets.
  SMB3_API std::string display() const;
};

}  // namespace smb3
