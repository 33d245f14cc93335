// Where GSSAPI takes the credentials of a logon from. All of these block.
#pragma once

#include "auth/gss_support.h"
#include "base/secret_string.h"

#include <string>

namespace smb3::gss {

// For NTLM `user` may be DOMAIN\user or user@REALM; for Kerberos user[@REALM]: it asks the KDC.
Result<Credential> acquire_by_password(MechanismKind kind, std::string_view user,
                                       const SecretString& password);

// Kerberos with the keys in a file; `user` empty: the first of the file. Asks the KDC.
Result<Credential> acquire_by_keytab(std::string_view user, const std::string& keytab);

struct Ticket {
  Credential credential;
  std::string principal;  // such as "alice@LAB.TEST"
};

// The default ticket cache (KRB5CCNAME), or of a collection the one of `user`; filled from the
// default client keytab where there is one. An error if no ticket in it is valid now.
Result<Ticket> acquire_by_cache(std::string_view user = {});

}  // namespace smb3::gss
