// Who logs on and by what means, and the authenticator that follows from it.
#pragma once

#include "auth/authenticator.h"
#include "base/secret_string.h"

#include <smbclient3/credentials.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace smb3 {

struct LogonRequest {
  // Also as DOMAIN\user or user@REALM, unless `domain` or `realm` is set. Empty: whoever the ticket
  // cache belongs to, so a name that is only a guess (such as $USER) belongs here only together
  // with a password.
  std::string user;
  std::string domain;
  std::string realm;
  std::optional<SecretString> password;
  bool guest = false;      // log on as Guest without a password: NTLM only
  bool anonymous = false;  // a null session, without keys: NTLM only
  KerberosUse kerberos = KerberosUse::desired;
  std::string keytab;  // a file with the user's keys, instead of a password

  LogonRequest clone() const;
};

// `server_name` is the name that the user gave, without a port. Looks into the ticket cache, and
// with a keytab may ask the KDC: it blocks, as the authenticator does.
Result<std::unique_ptr<Authenticator>> make_authenticator(const LogonRequest& request,
                                                          std::string server_name);

}  // namespace smb3
