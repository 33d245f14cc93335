// Both sides of a logon of the simulation's own: GSSAPI has a clock and chance that no seed
// decides.
#pragma once

#include "auth/authenticator.h"
#include "sim/chance.h"
#include "support/server/acceptor.h"

namespace smb3::sim {

// The server's side. Programs that link this have make_authenticator() (auth/credentials.h) give
// the client's side of it: a hello, a challenge, a proof of the password, and the server's proof.
class SimAcceptors final : public server::AcceptorFactory {
 public:
  SimAcceptors(std::vector<server::UserSettings> users, Chance chance)
      : users_(std::move(users)), chance_(chance) {}

  std::vector<std::byte> hint() const override;
  std::unique_ptr<server::Acceptor> make() override;

 private:
  friend class SimAcceptor;
  std::vector<server::UserSettings> users_;
  Chance chance_;
};

}  // namespace smb3::sim
