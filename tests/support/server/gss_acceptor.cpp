#include "support/server/gss_acceptor.h"

#include "auth/der.h"
#include "auth/spnego.h"

#include <array>
#include <span>

namespace smb3::server {

namespace {

using gss::MechanismKind;

// GSS_C_INQ_SSPI_SESSION_KEY, 1.2.840.113554.1.2.2.5.5
constexpr auto session_key_oid =
    spnego::oid_content(0x2A, 0x86, 0x48, 0x86, 0xF7, 0x12, 0x01, 0x02, 0x02, 0x05, 0x05);

std::vector<std::byte> copy(Bytes bytes) { return {bytes.begin(), bytes.end()}; }

Result<gss::Credential> acquire(MechanismKind kind,
                                std::span<gss_key_value_element_desc> elements) {
  const gss_key_value_set_desc store{static_cast<OM_uint32>(elements.size()), elements.data()};
  gss::Credential credential;
  OM_uint32 minor = 0;
  const OM_uint32 major = ::gss_acquire_cred_from(
      &minor, GSS_C_NO_NAME, GSS_C_INDEFINITE, gss::oid_set_of(kind), GSS_C_ACCEPT,
      elements.empty() ? nullptr : &store, credential.out(), nullptr, nullptr);
  if (GSS_ERROR(major)) {
    return std::unexpected(gss::status_error(kind, "gss_acquire_cred_from", major, minor));
  }
  return credential;
}

}  // namespace

Result<gss::Credential> acquire_kerberos_acceptor(const std::string& keytab) {
  std::array<gss_key_value_element_desc, 2> elements{
      {{"keytab", keytab.c_str()}, {"rcache", "none:"}}};
  return acquire(MechanismKind::kerberos, elements);
}

Result<gss::Credential> acquire_ntlm_acceptor() { return acquire(MechanismKind::ntlm, {}); }

std::unexpected<Error> GssContext::failed(std::string_view operation, OM_uint32 major,
                                          OM_uint32 minor) const {
  return std::unexpected(gss::status_error(kind_, operation, major, minor));
}

Result<std::vector<std::byte>> GssContext::step(Bytes client_token) {
  gss_buffer_desc input = gss::buffer_of(client_token);
  gss::Buffer output;
  OM_uint32 minor = 0;
  const OM_uint32 major = ::gss_accept_sec_context(
      &minor, context_.out(), credential_.get(), &input, GSS_C_NO_CHANNEL_BINDINGS, nullptr,
      nullptr, output.out(), nullptr, nullptr, nullptr);
  if (GSS_ERROR(major)) return failed("gss_accept_sec_context", major, minor);
  complete_ = major == GSS_S_COMPLETE;
  return copy(gss::bytes_of(output.get()));
}

Result<std::vector<std::byte>> GssContext::sign(Bytes message) {
  gss_buffer_desc input = gss::buffer_of(message);
  gss::Buffer output;
  OM_uint32 minor = 0;
  const OM_uint32 major =
      ::gss_get_mic(&minor, context_.get(), GSS_C_QOP_DEFAULT, &input, output.out());
  if (GSS_ERROR(major)) return failed("gss_get_mic", major, minor);
  return copy(gss::bytes_of(output.get()));
}

Result<void> GssContext::verify(Bytes message, Bytes signature) {
  gss_buffer_desc input = gss::buffer_of(message);
  gss_buffer_desc token = gss::buffer_of(signature);
  OM_uint32 minor = 0;
  const OM_uint32 major = ::gss_verify_mic(&minor, context_.get(), &input, &token, nullptr);
  if (major != GSS_S_COMPLETE) return failed("gss_verify_mic", major, minor);
  return {};
}

Result<KeyMaterial> GssContext::session_key() {
  gss_OID_desc oid{static_cast<OM_uint32>(session_key_oid.size()),
                   const_cast<std::byte*>(session_key_oid.data())};
  gss::BufferSet set;
  OM_uint32 minor = 0;
  const OM_uint32 major = ::gss_inquire_sec_context_by_oid(&minor, context_.get(), &oid, set.out());
  if (GSS_ERROR(major)) return failed("gss_inquire_sec_context_by_oid", major, minor);
  if (set.get() == GSS_C_NO_BUFFER_SET || set.get()->count == 0) {
    return std::unexpected(Error(ErrorKind::authentication, "the mechanism gives no session key")
                               .during("gss_inquire_sec_context_by_oid"));
  }
  return KeyMaterial(gss::bytes_of(set.get()->elements[0]));
}

Result<std::string> GssContext::name(bool of_client) {
  gss::Name name;
  OM_uint32 minor = 0;
  OM_uint32 major = ::gss_inquire_context(&minor, context_.get(), of_client ? name.out() : nullptr,
                                          of_client ? nullptr : name.out(), nullptr, nullptr,
                                          nullptr, nullptr, nullptr);
  if (GSS_ERROR(major)) return failed("gss_inquire_context", major, minor);
  if (name.get() == GSS_C_NO_NAME) return std::string();
  gss::Buffer text;
  major = ::gss_display_name(&minor, name.get(), text.out(), nullptr);
  if (GSS_ERROR(major)) return failed("gss_display_name", major, minor);
  return std::string(static_cast<const char*>(text.get().value), text.get().length);
}

Result<std::string> GssContext::client_name() { return name(true); }
Result<std::string> GssContext::own_name() { return name(false); }

StatusOr<std::vector<std::byte>> KerberosAcceptor::step(Bytes client_token) {
  // To Kerberos all that it cannot read is a failure like others.
  if (!der::Reader(client_token).read_last(der::application(0))) {
    return refuse(NtStatus::invalid_parameter);
  }
  auto token = context_.step(client_token);
  if (token) return std::move(*token);
  return refuse(token.error().kind() == ErrorKind::protocol ? NtStatus::invalid_parameter
                                                            : NtStatus::logon_failure);
}

Result<Logon> KerberosAcceptor::logon() {
  Logon logon;
  logon.mechanism = gss::name_of(MechanismKind::kerberos);
  auto user = context_.client_name();
  if (!user) return std::unexpected(std::move(user.error()));
  logon.user = std::move(*user);
  auto service = context_.own_name();
  if (!service) return std::unexpected(std::move(service.error()));
  logon.spn = std::move(*service);
  auto key = context_.session_key();
  if (!key) return std::unexpected(std::move(key.error()));
  logon.session_key = std::move(*key);
  return logon;
}

}  // namespace smb3::server
