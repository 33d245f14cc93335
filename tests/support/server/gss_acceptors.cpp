// What the settings say about logons, as acceptors.
#include "support/server/acceptor.h"

#include "support/server/ntlm_acceptor.h"
#include "support/server/spnego_acceptor.h"

namespace smb3::server {

namespace {

class GssAcceptorFactory final : public AcceptorFactory {
 public:
  GssAcceptorFactory(std::unique_ptr<NtlmUsers> users, std::optional<gss::Credential> kerberos)
      : users_(std::move(users)), kerberos_(std::move(kerberos)) {
    if (kerberos_) {
      // Windows' own number first, as Windows does.
      offered_.push_back({{spnego::microsoft_kerberos, spnego::kerberos},
                          [this] { return std::make_unique<KerberosAcceptor>(*kerberos_); }});
    }
    offered_.push_back(
        {{spnego::ntlmssp}, [this] { return std::make_unique<NtlmAcceptor>(*users_); }});
  }

  std::vector<std::byte> hint() const override { return encode_hint(offered_); }
  std::unique_ptr<Acceptor> make() override { return std::make_unique<SpnegoAcceptor>(offered_); }

 private:
  std::unique_ptr<NtlmUsers> users_;
  std::optional<gss::Credential> kerberos_;
  std::vector<OfferedMechanism> offered_;
};

}  // namespace

Result<std::unique_ptr<AcceptorFactory>> make_gss_acceptors(const ServerSettings& settings) {
  auto users = NtlmUsers::create(settings);
  if (!users) return std::unexpected(std::move(users.error()));
  std::optional<gss::Credential> kerberos;
  if (!settings.keytab.empty()) {
    auto credential = acquire_kerberos_acceptor(settings.keytab);
    if (!credential) return std::unexpected(std::move(credential.error()));
    kerberos = std::move(*credential);
  }
  return std::make_unique<GssAcceptorFactory>(std::move(*users), std::move(kerberos));
}

}  // namespace smb3::server
