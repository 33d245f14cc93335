// Mechanisms of GSSAPI, the server's side of them.
#pragma once

#include "auth/gss_support.h"
#include "support/server/acceptor.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace smb3::server {

// One context of one mechanism.
class AcceptorMechanism {
 public:
  AcceptorMechanism() = default;
  AcceptorMechanism(const AcceptorMechanism&) = delete;
  AcceptorMechanism& operator=(const AcceptorMechanism&) = delete;
  virtual ~AcceptorMechanism() = default;

  // The client's token in, ours out (empty: nothing to send).
  virtual StatusOr<std::vector<std::byte>> step(Bytes client_token) = 0;
  virtual bool complete() const noexcept = 0;

  // When complete. Guests and nobody have no key, so there is nothing to sign or verify with.
  virtual bool has_key() const noexcept = 0;
  virtual Result<std::vector<std::byte>> sign(Bytes message) = 0;
  virtual Result<void> verify(Bytes message, Bytes signature) = 0;
  virtual Result<Logon> logon() = 0;
};

// A context of gss_accept_sec_context.
class GssContext {
 public:
  GssContext(gss::MechanismKind kind, const gss::Credential& credential)
      : kind_(kind), credential_(credential) {}

  Result<std::vector<std::byte>> step(Bytes client_token);
  bool complete() const noexcept { return complete_; }
  Result<std::vector<std::byte>> sign(Bytes message);
  Result<void> verify(Bytes message, Bytes signature);
  Result<KeyMaterial> session_key();
  // Who the client is, and by which of our names it asked for us.
  Result<std::string> client_name();
  Result<std::string> own_name();

 private:
  std::unexpected<Error> failed(std::string_view operation, OM_uint32 major, OM_uint32 minor) const;
  Result<std::string> name(bool of_client);

  gss::MechanismKind kind_;
  const gss::Credential& credential_;
  gss::Context context_;
  bool complete_ = false;
};

// A keytab's principals; without a memory of the tickets it has seen, as a test asks twice a
// second.
Result<gss::Credential> acquire_kerberos_acceptor(const std::string& keytab);
Result<gss::Credential> acquire_ntlm_acceptor();

class KerberosAcceptor final : public AcceptorMechanism {
 public:
  explicit KerberosAcceptor(const gss::Credential& credential)
      : context_(gss::MechanismKind::kerberos, credential) {}

  StatusOr<std::vector<std::byte>> step(Bytes client_token) override;
  bool complete() const noexcept override { return context_.complete(); }
  bool has_key() const noexcept override { return true; }
  Result<std::vector<std::byte>> sign(Bytes message) override { return context_.sign(message); }
  Result<void> verify(Bytes message, Bytes signature) override {
    return context_.verify(message, signature);
  }
  Result<Logon> logon() override;

 private:
  GssContext context_;
};

}  // namespace smb3::server
