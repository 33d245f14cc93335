// Where names and passwords come from besides the command line: files and descriptors.
#pragma once

#include <smbclient3/error.h>
#include <smbclient3/secret_string.h>

#include <optional>
#include <string>
#include <string_view>

namespace smb3::cli {

// A user in the notation of Samba's tools.
struct NamedUser {
  std::string domain;
  std::string user;  // also "USER@REALM", which the library reads
  std::optional<SecretString> password;
};

// "[DOMAIN\]USER", "DOMAIN/USER", "USER@REALM".
NamedUser parse_user_name(std::string_view text);
// The same with "%PASSWORD" behind it.
NamedUser parse_user(std::string_view text);

// A file of lines "username = ", "password = ", "domain = " (or "realm = "). Comments begin with
// '#' or ';'. Errors name the file and the line, never what the line says.
Result<NamedUser> read_authentication_file(const std::string& path);
Result<NamedUser> parse_authentication_file(std::string_view text);

// The first line of a file, or of what an open descriptor still holds.
Result<SecretString> read_password_file(const std::string& path);
Result<SecretString> read_password_descriptor(std::string_view number);

}  // namespace smb3::cli
