#include "auth/gss_credential.h"

#include <string.h>

#include <algorithm>
#include <iterator>
#include <mutex>

namespace smb3::gss {

namespace {

Result<Name> user_name(MechanismKind kind, std::string_view user) {
  if (user.empty()) return Name();
  return import_name(kind, user, GSS_C_NT_USER_NAME);
}

// The mechanism is a plugin, and without it GSSAPI's errors name other causes.
bool available(MechanismKind kind) {
  OM_uint32 minor = 0;
  gss_OID_set all = GSS_C_NO_OID_SET;
  if (GSS_ERROR(::gss_indicate_mechs(&minor, &all))) return false;
  int present = 0;
  ::gss_test_oid_set_member(&minor, oid_of(kind), all, &present);
  ::gss_release_oid_set(&minor, &all);
  return present != 0;
}

SecretString with_nul(const SecretString& text) {
  // Of its final size from the start: growing would leave copies behind.
  std::string copy(text.view().size() + 1, '\0');
  std::ranges::copy(text.view(), copy.begin());
  SecretString terminated(copy);
  ::explicit_bzero(copy.data(), copy.size());
  return terminated;
}

}  // namespace

Result<Credential> acquire_by_password(MechanismKind kind, std::string_view user,
                                       const SecretString& password) {
  if (!available(kind)) {
    return std::unexpected(status_error(kind, "gss_acquire_cred_with_password", GSS_S_BAD_MECH, 0));
  }
  auto name = user_name(kind, user);
  if (!name) return std::unexpected(std::move(name.error()));
  // gss-ntlmssp reads on to a NUL whatever the length says, and GSSAPI refuses an empty buffer.
  const SecretString terminated = with_nul(password);
  gss_buffer_desc buffer = buffer_of(terminated.view());
  if (buffer.length > 1) --buffer.length;
  Credential credential;
  OM_uint32 minor = 0;
  const OM_uint32 major = ::gss_acquire_cred_with_password(
      &minor, name->get(), &buffer, GSS_C_INDEFINITE, oid_set_of(kind), GSS_C_INITIATE,
      credential.out(), nullptr, nullptr);
  if (GSS_ERROR(major)) {
    return std::unexpected(status_error(kind, "gss_acquire_cred_with_password", major, minor));
  }
  return credential;
}

Result<Credential> acquire_by_keytab(std::string_view user, const std::string& keytab) {
  auto name = user_name(MechanismKind::kerberos, user);
  if (!name) return std::unexpected(std::move(name.error()));
  // Tickets of one keytab are kept together in memory, whatever the number of logons, and leave
  // the user's own cache as it is.
  const std::string cache = "MEMORY:smb3 " + std::string(user) + " " + keytab;
  gss_key_value_element_desc elements[] = {{"client_keytab", keytab.c_str()},
                                           {"ccache", cache.c_str()}};
  const gss_key_value_set_desc store{std::size(elements), elements};
  // Two that find the cache empty would both fill it, under each other's hands.
  static std::mutex one_fills;
  const std::lock_guard lock(one_fills);
  Credential credential;
  OM_uint32 minor = 0;
  OM_uint32 lifetime_s = 0;
  const OM_uint32 major = ::gss_acquire_cred_from(
      &minor, name->get(), GSS_C_INDEFINITE, oid_set_of(MechanismKind::kerberos), GSS_C_INITIATE,
      &store, credential.out(), nullptr, &lifetime_s);
  if (GSS_ERROR(major)) {
    return std::unexpected(
        status_error(MechanismKind::kerberos, "gss_acquire_cred_from", major, minor));
  }
  return credential;
}

Result<Ticket> acquire_by_cache(std::string_view user) {
  auto name = user_name(MechanismKind::kerberos, user);
  if (!name) return std::unexpected(std::move(name.error()));
  Ticket ticket;
  OM_uint32 minor = 0;
  OM_uint32 lifetime_s = 0;
  OM_uint32 major =
      ::gss_acquire_cred(&minor, name->get(), GSS_C_INDEFINITE, oid_set_of(MechanismKind::kerberos),
                         GSS_C_INITIATE, ticket.credential.out(), nullptr, &lifetime_s);
  // One that ends within the second would end on its way; and MIT's gss_inquire_cred loses the name
  // of a credential that expires before it is asked for.
  if (!GSS_ERROR(major) && lifetime_s <= 1) major = GSS_S_CREDENTIALS_EXPIRED;
  Name owner;
  if (!GSS_ERROR(major)) {
    major =
        ::gss_inquire_cred(&minor, ticket.credential.get(), owner.out(), nullptr, nullptr, nullptr);
  }
  Buffer text;
  if (!GSS_ERROR(major)) major = ::gss_display_name(&minor, owner.get(), text.out(), nullptr);
  if (GSS_ERROR(major)) {
    return std::unexpected(status_error(MechanismKind::kerberos, "gss_acquire_cred", major, minor));
  }
  ticket.principal.assign(static_cast<const char*>(text.get().value), text.get().length);
  return ticket;
}

}  // namespace smb3::gss
