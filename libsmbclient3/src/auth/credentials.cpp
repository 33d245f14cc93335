#include "auth/credentials.h"

#include "auth/gss_mechanism.h"
#include "auth/ntlm_anonymous.h"
#include "auth/spnego_authenticator.h"

#include <arpa/inet.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace smb3 {

namespace {

using gss::MechanismKind;

char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

bool same_ignoring_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, upper, upper);
}

// Realms are upper case by convention, and MIT's library does not compare otherwise.
std::string upper(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](char c) { return upper(c); });
  return out;
}

// IPv4 or IPv6, this also in brackets or with a zone.
bool is_address(std::string_view name) {
  if (name.starts_with('[') && name.ends_with(']')) name = name.substr(1, name.size() - 2);
  in6_addr address;
  const std::string text(name.substr(0, name.find('%')));
  return ::inet_pton(AF_INET, text.c_str(), &address) == 1 ||
         ::inet_pton(AF_INET6, text.c_str(), &address) == 1;
}

// Splits DOMAIN\user and user@REALM.
void split_user(LogonRequest& logon) {
  if (!logon.domain.empty() || !logon.realm.empty()) return;
  if (const auto slash = logon.user.find('\\'); slash != std::string::npos) {
    logon.domain = logon.user.substr(0, slash);
    logon.user.erase(0, slash + 1);
  } else if (const auto at = logon.user.rfind('@'); at != std::string::npos) {
    logon.realm = logon.user.substr(at + 1);
    logon.user.erase(at);
  }
}

std::string ntlm_name(const LogonRequest& logon) {
  if (!logon.domain.empty()) return logon.domain + '\\' + logon.user;
  return logon.realm.empty() ? logon.user : logon.user + '@' + logon.realm;
}

std::string kerberos_name(const LogonRequest& logon) {
  return logon.realm.empty() ? logon.user : logon.user + '@' + upper(logon.realm);
}

// Whether the principal is the user that was named: nobody shall log on as another by accident.
bool names_user(const LogonRequest& logon, std::string_view principal) {
  if (logon.user.empty()) return true;
  const auto at = std::min(principal.rfind('@'), principal.size());
  const std::string_view realm = principal.substr(std::min(at + 1, principal.size()));
  if (!same_ignoring_case(principal.substr(0, at), logon.user)) return false;
  if (!logon.realm.empty()) return same_ignoring_case(realm, logon.realm);
  // A NetBIOS domain is mostly its realm's first label. Without a password there is no other way
  // to be that user, so the label need not fit.
  return logon.domain.empty() || !logon.password || same_ignoring_case(realm, logon.domain) ||
         same_ignoring_case(realm.substr(0, realm.find('.')), logon.domain);
}

// The default cache, or the user's own in a collection of caches.
Result<gss::Ticket> find_ticket(const LogonRequest& logon) {
  auto ticket = gss::acquire_by_cache();
  if (ticket && names_user(logon, ticket->principal)) return ticket;
  if (!logon.user.empty()) {
    if (auto own = gss::acquire_by_cache(kerberos_name(logon));
        own && names_user(logon, own->principal)) {
      return own;
    }
  }
  if (!ticket) return ticket;
  return std::unexpected(
      Error(ErrorKind::authentication,
            "Kerberos: the ticket cache is that of " + ticket->principal + ", not of " + logon.user)
          .during("gss_acquire_cred")
          .advise("run kinit, or give a password"));
}

Result<GssLogon> kerberos_logon(const LogonRequest& logon) {
  GssLogon chosen{.kind = MechanismKind::kerberos,
                  .user = kerberos_name(logon),
                  .password = {},
                  .keytab = logon.keytab,
                  .ready = {}};
  if (logon.password && !logon.user.empty() && !logon.realm.empty()) {
    chosen.password = logon.password->clone();
    return chosen;
  }
  if (!logon.keytab.empty()) return chosen;
  auto ticket = find_ticket(logon);
  if (ticket) {
    chosen.ready = std::move(ticket->credential);
    return chosen;
  }
  // Of the default realm, or of a domain that is written as one: only where nothing else will do,
  // since it asks a KDC, and perhaps the name service for it.
  if (logon.kerberos == KerberosUse::required && logon.password && !logon.user.empty()) {
    if (logon.domain.find('.') != std::string::npos) chosen.user += '@' + upper(logon.domain);
    chosen.password = logon.password->clone();
    return chosen;
  }
  return std::unexpected(std::move(ticket.error()));
}

Result<std::unique_ptr<Mechanism>> kerberos_mechanism(const LogonRequest& logon,
                                                      const std::string& server_name) {
  if (is_address(server_name)) {
    return std::unexpected(
        Error(ErrorKind::authentication,
              "Kerberos: it needs the server's name, and " + server_name + " is an address")
            .advise("give the server's name"));
  }
  auto chosen = kerberos_logon(logon);
  if (!chosen) return std::unexpected(std::move(chosen.error()));
  return std::make_unique<GssMechanism>(std::move(*chosen), server_name);
}

std::unique_ptr<Mechanism> ntlm_mechanism(std::string user, const SecretString& password,
                                          const std::string& server_name) {
  GssLogon logon{.kind = MechanismKind::ntlm,
                 .user = std::move(user),
                 .password = password.clone(),
                 .keytab = {},
                 .ready = {}};
  return std::make_unique<GssMechanism>(std::move(logon), server_name);
}

Result<std::unique_ptr<Authenticator>> negotiate(std::unique_ptr<Mechanism> only) {
  std::vector<std::unique_ptr<Mechanism>> mechanisms;
  mechanisms.push_back(std::move(only));
  return std::make_unique<SpnegoAuthenticator>(std::move(mechanisms));
}

}  // namespace

LogonRequest LogonRequest::clone() const {
  return {.user = user,
          .domain = domain,
          .realm = realm,
          .password = password ? std::optional(password->clone()) : std::nullopt,
          .guest = guest,
          .anonymous = anonymous,
          .kerberos = kerberos,
          .keytab = keytab};
}

Result<std::unique_ptr<Authenticator>> make_authenticator(const LogonRequest& request,
                                                          std::string server_name) {
  if (request.anonymous || request.guest) {
    if (request.kerberos == KerberosUse::required) {
      return std::unexpected(
          Error(ErrorKind::authentication, "Kerberos is required, and it knows no guests")
              .advise("name a user"));
    }
    if (request.anonymous) return negotiate(std::make_unique<NtlmAnonymousMechanism>());
    return negotiate(ntlm_mechanism("Guest", SecretString(""), server_name));
  }
  LogonRequest logon = request.clone();
  split_user(logon);

  std::vector<std::unique_ptr<Mechanism>> mechanisms;
  std::string reason;  // why not Kerberos
  if (logon.kerberos != KerberosUse::off) {
    auto kerberos = kerberos_mechanism(logon, server_name);
    if (kerberos) {
      mechanisms.push_back(std::move(*kerberos));
    } else if (logon.kerberos == KerberosUse::required) {
      return std::unexpected(std::move(kerberos.error()));
    } else {
      reason = kerberos.error().what();
    }
  }
  if (logon.kerberos != KerberosUse::required && logon.password && !logon.user.empty()) {
    mechanisms.push_back(ntlm_mechanism(ntlm_name(logon), *logon.password, server_name));
  }
  if (mechanisms.empty()) {
    std::string what = logon.user.empty() ? "no user is named" : "no password for " + logon.user;
    if (!reason.empty()) what += "; " + reason;
    return std::unexpected(Error(ErrorKind::authentication, std::move(what))
                               .advise("give a user and a password, or run kinit"));
  }
  return std::make_unique<SpnegoAuthenticator>(std::move(mechanisms), std::move(reason));
}

}  // namespace smb3
