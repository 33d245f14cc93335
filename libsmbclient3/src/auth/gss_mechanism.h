// Kerberos and NTLMSSP as MIT's GSSAPI gives them, for our SPNEGO to negotiate.
#pragma once

#include "auth/gss_credential.h"
#include "auth/mechanism.h"
#include "base/secret_string.h"

#include <optional>
#include <string>

namespace smb3 {

// Where the credentials come from: what is `ready`, else the password, else the keytab.
struct GssLogon {
  gss::MechanismKind kind = gss::MechanismKind::kerberos;
  std::string user;
  std::optional<SecretString> password;
  std::string keytab;
  std::optional<gss::Credential> ready;
};

class GssMechanism final : public Mechanism {
 public:
  // The target is the service "cifs" on this host.
  GssMechanism(GssLogon logon, std::string server_name)
      : logon_(std::move(logon)), server_name_(std::move(server_name)) {}

  std::string_view name() const noexcept override { return gss::name_of(logon_.kind); }
  std::span<const Bytes> oids() const noexcept override;
  Result<std::vector<std::byte>> step(Bytes peer_token) override;
  bool complete() const noexcept override { return complete_; }
  Result<std::vector<std::byte>> sign(Bytes message) override;
  Result<void> verify(Bytes message, Bytes signature) override;
  Result<KeyMaterial> session_key() override;
  // An AUTHENTICATE that carries a MIC makes the server expect ours over the list ([MS-SPNG]
  // 3.1.5.1), and answer with its own.
  bool signs_mech_list() const noexcept override { return logon_.kind == gss::MechanismKind::ntlm; }

 private:
  Result<void> acquire();
  Result<void> ask_for_mic();
  Result<void> check_flags(OM_uint32 flags) const;

  GssLogon logon_;
  std::string server_name_;
  gss::Credential credential_;
  gss::Name target_;
  gss::Context context_;
  bool complete_ = false;
};

}  // namespace smb3
