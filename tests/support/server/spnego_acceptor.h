// The server's side of the negotiation of a mechanism (RFC 4178 3.2 and 5, [MS-SPNG] 3.2.5).
#pragma once

#include "auth/spnego.h"
#include "support/server/gss_acceptor.h"

#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace smb3::server {

// What a server can do: the numbers of a mechanism, preferred first, and how a context is made.
struct OfferedMechanism {
  std::vector<Bytes> oids;
  std::function<std::unique_ptr<AcceptorMechanism>()> make;
};

// The token of a NEGOTIATE response: NegTokenInit2 ([MS-SPNG] 2.2.1).
std::vector<std::byte> encode_hint(std::span<const OfferedMechanism> mechanisms);

// Also takes the bare tokens of NTLMSSP, without a SPNEGO around them.
class SpnegoAcceptor final : public Acceptor {
 public:
  // The mechanisms outlive it.
  explicit SpnegoAcceptor(std::span<const OfferedMechanism> mechanisms) : offered_(mechanisms) {}

  StatusOr<AcceptorStep> step(Bytes client_token) override;
  Result<Logon> logon() override { return mechanism_->logon(); }

 private:
  StatusOr<AcceptorStep> begin(Bytes token);
  StatusOr<AcceptorStep> begin_bare(Bytes token);
  StatusOr<AcceptorStep> proceed_bare(Bytes token);
  StatusOr<AcceptorStep> proceed(Bytes mech_token, std::optional<Bytes> mic,
                                 std::optional<Bytes> supported_mech);
  const OfferedMechanism* find(Bytes oid) const;

  std::span<const OfferedMechanism> offered_;
  std::unique_ptr<AcceptorMechanism> mechanism_;
  std::vector<std::byte> mech_types_der_;  // as the client sent it: what both mechListMICs cover
  bool bare_ = false;
  bool done_ = false;
  bool mic_required_ = false;  // RFC 4178 5: unless the client's first mechanism was taken
  bool mic_verified_ = false;
  bool mic_sent_ = false;
};

}  // namespace smb3::server
