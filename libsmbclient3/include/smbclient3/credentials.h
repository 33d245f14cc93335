// Who logs on, and how.
#pragma once

#include <smbclient3/secret_string.h>

#include <cstdint>
#include <optional>
#include <string>

namespace smb3 {

enum class KerberosUse : std::uint8_t {
  desired,   // where tickets, a keytab, or a password with a realm promise success; else NTLM
  required,  // never anything else
  off,       // NTLM alone
};

struct Credentials {
  std::string domain;  // or realm; may be empty
  std::string user;    // empty: the ticket's, with Kerberos
  std::optional<SecretString> password;
  std::string keytab;  // a file with the user's keys, instead of a password
  KerberosUse kerberos = KerberosUse::desired;
  bool guest = false;      // log on as Guest, and accept being made guest
  bool anonymous = false;  // log on as nobody

  Credentials clone() const {
    Credentials copy;
    copy.domain = domain;
    copy.user = user;
    if (password) copy.password = password->clone();
    copy.keytab = keytab;
    copy.kerberos = kerberos;
    copy.guest = guest;
    copy.anonymous = anonymous;
    return copy;
  }
};

}  // namespace smb3
