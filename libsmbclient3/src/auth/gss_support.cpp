#include "auth/gss_support.h"

#include "auth/spnego.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <cerrno>

namespace smb3::gss {

namespace {

// gss-ntlmssp's ERR_CRYPTO: OpenSSL gave neither MD4 nor RC4.
constexpr OM_uint32 ntlm_crypto_failed = 0x4E540003;

gss_OID_desc oid_desc(Bytes content) {
  return {static_cast<OM_uint32>(content.size()), const_cast<std::byte*>(content.data())};
}

// All messages of one status code, joined.
std::string text_of(MechanismKind kind, OM_uint32 code, int type) {
  std::string text;
  OM_uint32 more = 0;
  do {
    OM_uint32 minor = 0;
    Buffer message;
    const OM_uint32 major =
        ::gss_display_status(&minor, code, type, oid_of(kind), &more, message.out());
    if (GSS_ERROR(major)) break;
    if (!text.empty()) text += ", ";
    text.append(static_cast<const char*>(message.get().value), message.get().length);
  } while (more != 0);
  return text;
}

// Without one GSSAPI reads neither its mechanisms' plugins nor a keytab, and names other causes.
bool descriptors_are_left() {
  const int descriptor = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return errno != EMFILE && errno != ENFILE;
  ::close(descriptor);
  return true;
}

std::string_view hint_for(MechanismKind kind, OM_uint32 major, OM_uint32 minor) {
  if (!descriptors_are_left()) {
    return "this process may have no more files open; raise the limit: ulimit -n";
  }
  if (kind == MechanismKind::ntlm) {
    if (minor == ntlm_crypto_failed) {
      return "install the package openssl-provider-legacy (Debian 13), or libssl3 with "
             "ossl-modules/legacy.so";
    }
    if (GSS_ROUTINE_ERROR(major) == GSS_S_BAD_MECH ||
        GSS_ROUTINE_ERROR(major) == GSS_S_UNAVAILABLE) {
      return "install the package gss-ntlmssp";
    }
    // The time that the server puts into its CHALLENGE.
    if (GSS_ROUTINE_ERROR(major) == GSS_S_CONTEXT_EXPIRED) {
      return "set the clock of the server, or of this machine";
    }
    return {};
  }
  switch (GSS_ROUTINE_ERROR(major)) {
    case GSS_S_NO_CRED:
    case GSS_S_CREDENTIALS_EXPIRED: return "run kinit, or give a password";
    default: return {};
  }
}

ErrorKind kind_of(OM_uint32 major) {
  switch (GSS_ROUTINE_ERROR(major)) {
    case GSS_S_DEFECTIVE_TOKEN: return ErrorKind::protocol;
    case GSS_S_BAD_SIG: return ErrorKind::security;
    default: return ErrorKind::authentication;
  }
}

}  // namespace

std::string_view name_of(MechanismKind kind) noexcept {
  return kind == MechanismKind::kerberos ? "Kerberos" : "NTLMSSP";
}

gss_OID oid_of(MechanismKind kind) noexcept {
  static gss_OID_desc kerberos = oid_desc(spnego::kerberos);
  static gss_OID_desc ntlm = oid_desc(spnego::ntlmssp);
  return kind == MechanismKind::kerberos ? &kerberos : &ntlm;
}

gss_OID_set oid_set_of(MechanismKind kind) noexcept {
  static gss_OID_set_desc kerberos{1, oid_of(MechanismKind::kerberos)};
  static gss_OID_set_desc ntlm{1, oid_of(MechanismKind::ntlm)};
  return kind == MechanismKind::kerberos ? &kerberos : &ntlm;
}

void release_name(gss_name_t& name) {
  OM_uint32 minor = 0;
  if (name != GSS_C_NO_NAME) ::gss_release_name(&minor, &name);
}

void release_credential(gss_cred_id_t& credential) {
  OM_uint32 minor = 0;
  if (credential != GSS_C_NO_CREDENTIAL) ::gss_release_cred(&minor, &credential);
}

void release_context(gss_ctx_id_t& context) {
  OM_uint32 minor = 0;
  if (context != GSS_C_NO_CONTEXT) {
    ::gss_delete_sec_context(&minor, &context, GSS_C_NO_BUFFER);
  }
}

void release_buffer(gss_buffer_desc& buffer) {
  OM_uint32 minor = 0;
  ::gss_release_buffer(&minor, &buffer);
}

void release_buffer_set(gss_buffer_set_t& set) {
  OM_uint32 minor = 0;
  if (set == GSS_C_NO_BUFFER_SET) return;
  for (std::size_t i = 0; i < set->count; ++i) {
    if (set->elements[i].length != 0) {
      ::explicit_bzero(set->elements[i].value, set->elements[i].length);
    }
  }
  ::gss_release_buffer_set(&minor, &set);
}

gss_buffer_desc buffer_of(Bytes bytes) noexcept {
  return {bytes.size(), const_cast<std::byte*>(bytes.data())};
}

gss_buffer_desc buffer_of(std::string_view text) noexcept {
  return {text.size(), const_cast<char*>(text.data())};
}

Bytes bytes_of(const gss_buffer_desc& buffer) noexcept {
  return {static_cast<const std::byte*>(buffer.value), buffer.length};
}

Result<Name> import_name(MechanismKind kind, std::string_view text, gss_OID type) {
  Name name;
  OM_uint32 minor = 0;
  gss_buffer_desc buffer = buffer_of(text);
  const OM_uint32 major = ::gss_import_name(&minor, &buffer, type, name.out());
  if (GSS_ERROR(major)) return std::unexpected(status_error(kind, "gss_import_name", major, minor));
  return name;
}

Error status_error(MechanismKind kind, std::string_view operation, OM_uint32 major,
                   OM_uint32 minor) {
  std::string text(name_of(kind));
  text += ": ";
  const std::string mechanism_text =
      minor == 0 ? std::string() : text_of(kind, minor, GSS_C_MECH_CODE);
  // Of GSS_S_FAILURE the text says only that the other code says more.
  const bool unspecified = GSS_ROUTINE_ERROR(major) == GSS_S_FAILURE && !mechanism_text.empty();
  if (!unspecified) text += text_of(kind, major, GSS_C_GSS_CODE);
  if (!unspecified && !mechanism_text.empty()) text += "; ";
  text += mechanism_text;
  return Error(kind_of(major), std::move(text))
      .during(operation)
      .advise(hint_for(kind, major, minor));
}

}  // namespace smb3::gss
