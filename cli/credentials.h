// Who logs on: the URL's user, else -U's, else the file's of -A, else the environment's.
#pragma once

#include "password_source.h"

#include <smbclient3/credentials.h>
#include <smbclient3/share_path.h>

#include <functional>
#include <optional>
#include <string>

namespace smb3::cli {

struct CredentialOptions {
  std::optional<NamedUser> user;         // -U
  std::string authentication_file;       // -A
  std::optional<SecretString> password;  // --password
  std::string workgroup;                 // -W: the domain of whoever names none
  std::optional<KerberosUse> kerberos;   // --use-kerberos
  std::string ccache;                    // --use-krb5-ccache
  bool no_password = false;              // -N
  bool guest = false;                    // -a
};

using Environment = std::function<const char*(const char* name)>;

// How to log on to one server.
struct Login {
  Credentials credentials;
  // Whom a password would be for, should one be asked for. The environment's user is only here
  // while a ticket may do: the ticket's owner need not have the name of the local account.
  std::string domain;
  std::string user;
  // No password is known, and one could be asked for.
  bool may_ask = false;
  // Nothing but a password can succeed.
  bool must_ask = false;

  // "DOMAIN\user"
  std::string user_label() const;
  // The same login with the password that was asked for.
  Credentials with_password(SecretString password) const;
};

class Logins {
 public:
  Logins(CredentialOptions options, Environment environment);

  // Reads the file of -A, so that a bad one is known before anything is sent.
  Result<void> check_file();

  // Errors: a file or descriptor of a password that cannot be read (kind local and others; the
  // object names it).
  Result<Login> login_for(const SharePath& where);

 private:
  enum class Origin { url, command_line, file, environment, nowhere };
  struct Chosen {
    NamedUser user;
    Origin origin = Origin::nowhere;
  };

  Chosen choose(const SharePath& where) const;
  std::string domain_for(const NamedUser& user, const SharePath& where) const;
  Result<std::optional<SecretString>> other_password();

  CredentialOptions options_;
  Environment environment_;
  std::optional<NamedUser> file_;
  std::optional<SecretString> environment_password_;  // read once: a descriptor ends
  bool environment_was_read_ = false;
};

}  // namespace smb3::cli
