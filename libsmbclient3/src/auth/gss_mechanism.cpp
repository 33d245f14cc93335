#include "auth/gss_mechanism.h"

#include "auth/der.h"
#include "auth/spnego.h"

#include <array>
#include <cassert>

namespace smb3 {

namespace {

using gss::MechanismKind;

// GSS_C_INQ_SSPI_SESSION_KEY, 1.2.840.113554.1.2.2.5.5
constexpr auto session_key_oid =
    spnego::oid_content(0x2A, 0x86, 0x48, 0x86, 0xF7, 0x12, 0x01, 0x02, 0x02, 0x05, 0x05);
// 1.3.6.1.4.1.7165.655.1.2: tells gss-ntlmssp that a SPNEGO is around it, and asks for the MIC
constexpr auto spnego_requires_mic_oid =
    spnego::oid_content(0x2B, 0x06, 0x01, 0x04, 0x01, 0xB7, 0x7D, 0x85, 0x0F, 0x01, 0x02);

// NTLM is not asked to seal: SMB does that itself, and gss-ntlmssp would fail with a server that
// does not grant it.
constexpr OM_uint32 wanted_flags(MechanismKind kind) {
  constexpr OM_uint32 common =
      GSS_C_MUTUAL_FLAG | GSS_C_INTEG_FLAG | GSS_C_REPLAY_FLAG | GSS_C_SEQUENCE_FLAG;
  return kind == MechanismKind::kerberos ? common | GSS_C_CONF_FLAG : common;
}

Result<gss::BufferSet> inquire(MechanismKind kind, gss_ctx_id_t context, Bytes oid) {
  gss_OID_desc desired{static_cast<OM_uint32>(oid.size()), const_cast<std::byte*>(oid.data())};
  gss::BufferSet set;
  OM_uint32 minor = 0;
  const OM_uint32 major = ::gss_inquire_sec_context_by_oid(&minor, context, &desired, set.out());
  if (GSS_ERROR(major)) {
    return std::unexpected(gss::status_error(kind, "gss_inquire_sec_context_by_oid", major, minor));
  }
  return set;
}

// RFC 4121 4.1: a frame (RFC 2743 3.1) around the mechanism's number, the token's id and an AP-REP;
// the other answer would be a KRB-ERROR.
bool is_ap_rep(Bytes token) {
  auto framed = der::Reader(token).read_last(der::application(0));
  if (!framed) return false;
  der::Reader content(*framed);
  const auto oid = content.read(der::object_identifier);
  if (!oid) return false;
  const Bytes inner = content.rest();
  return inner.size() >= 2 && inner[0] == std::byte{2} && inner[1] == std::byte{0};
}

}  // namespace

std::span<const Bytes> GssMechanism::oids() const noexcept {
  // Windows' own number first, as Windows does.
  static const std::array<Bytes, 2> kerberos{spnego::microsoft_kerberos, spnego::kerberos};
  static const std::array<Bytes, 1> ntlm{spnego::ntlmssp};
  if (logon_.kind == MechanismKind::kerberos) return kerberos;
  return ntlm;
}

Result<void> GssMechanism::acquire() {
  auto target = gss::import_name(logon_.kind, "cifs@" + server_name_, GSS_C_NT_HOSTBASED_SERVICE);
  if (!target) return std::unexpected(std::move(target.error()));
  target_ = std::move(*target);
  if (logon_.ready) {
    credential_ = std::move(*logon_.ready);
    logon_.ready.reset();
    return {};
  }
  auto credential = logon_.password
                        ? gss::acquire_by_password(logon_.kind, logon_.user, *logon_.password)
                        : gss::acquire_by_keytab(logon_.user, logon_.keytab);
  logon_.password.reset();  // no longer than needed
  if (!credential) return std::unexpected(std::move(credential.error()));
  credential_ = std::move(*credential);
  return {};
}

Result<std::vector<std::byte>> GssMechanism::step(Bytes peer_token) {
  assert(!complete_);
  const bool first = context_.get() == GSS_C_NO_CONTEXT;
  if (first) {
    if (auto acquired = acquire(); !acquired) {
      return std::unexpected(std::move(acquired.error()));
    }
  }
  gss_buffer_desc input = gss::buffer_of(peer_token);
  gss::Buffer output;
  OM_uint32 minor = 0;
  OM_uint32 flags = 0;
  const OM_uint32 major = ::gss_init_sec_context(
      &minor, credential_.get(), context_.out(), target_.get(), gss::oid_of(logon_.kind),
      wanted_flags(logon_.kind), GSS_C_INDEFINITE, GSS_C_NO_CHANNEL_BINDINGS, &input, nullptr,
      output.out(), &flags, nullptr);
  if (GSS_ERROR(major)) {
    Error error = gss::status_error(logon_.kind, "gss_init_sec_context", major, minor);
    // The server took our ticket, and its proof that it has the key does not hold.
    if (logon_.kind == MechanismKind::kerberos && is_ap_rep(peer_token)) {
      error = Error(ErrorKind::security, error.what()).during(error.operation());
    }
    return std::unexpected(std::move(error));
  }
  if (major == GSS_S_COMPLETE) {
    if (auto checked = check_flags(flags); !checked) {
      return std::unexpected(std::move(checked.error()));
    }
    complete_ = true;
  } else if (first && logon_.kind == MechanismKind::ntlm) {
    if (auto asked = ask_for_mic(); !asked) return std::unexpected(std::move(asked.error()));
  }
  const Bytes token = gss::bytes_of(output.get());
  return std::vector<std::byte>(token.begin(), token.end());
}

// Without this gss-ntlmssp, used bare, says MsvAvFlags 0 and sends no MIC in its AUTHENTICATE.
Result<void> GssMechanism::ask_for_mic() {
  auto asked = inquire(logon_.kind, context_.get(), spnego_requires_mic_oid);
  if (!asked) return std::unexpected(std::move(asked.error()));
  return {};
}

Result<void> GssMechanism::check_flags(OM_uint32 flags) const {
  const bool mutual = logon_.kind == MechanismKind::ntlm || (flags & GSS_C_MUTUAL_FLAG) != 0;
  if (mutual && (flags & GSS_C_INTEG_FLAG) != 0) return {};
  return std::unexpected(
      Error(ErrorKind::security, std::string(name()) + ": the server did not prove who it is")
          .during("gss_init_sec_context"));
}

Result<std::vector<std::byte>> GssMechanism::sign(Bytes message) {
  gss_buffer_desc input = gss::buffer_of(message);
  gss::Buffer output;
  OM_uint32 minor = 0;
  const OM_uint32 major =
      ::gss_get_mic(&minor, context_.get(), GSS_C_QOP_DEFAULT, &input, output.out());
  if (GSS_ERROR(major)) {
    return std::unexpected(gss::status_error(logon_.kind, "gss_get_mic", major, minor));
  }
  const Bytes signature = gss::bytes_of(output.get());
  return std::vector<std::byte>(signature.begin(), signature.end());
}

Result<void> GssMechanism::verify(Bytes message, Bytes signature) {
  gss_buffer_desc input = gss::buffer_of(message);
  gss_buffer_desc token = gss::buffer_of(signature);
  OM_uint32 minor = 0;
  const OM_uint32 major = ::gss_verify_mic(&minor, context_.get(), &input, &token, nullptr);
  // Also a signature that comes twice or out of order is none.
  if (major != GSS_S_COMPLETE) {
    return std::unexpected(gss::status_error(logon_.kind, "gss_verify_mic", major, minor));
  }
  return {};
}

Result<KeyMaterial> GssMechanism::session_key() {
  assert(complete_);
  auto set = inquire(logon_.kind, context_.get(), session_key_oid);
  if (!set) return std::unexpected(std::move(set.error()));
  // Kerberos adds a second element, the type of the key.
  if (set->get()->count == 0 || set->get()->elements[0].length == 0) {
    return std::unexpected(
        Error(ErrorKind::authentication, std::string(name()) + " gives no session key")
            .during("gss_inquire_sec_context_by_oid"));
  }
  return KeyMaterial(gss::bytes_of(set->get()->elements[0]));
}

}  // namespace smb3
