// The server's side of a logon: tokens in, tokens out.
#pragma once

#include "base/bytes.h"
#include "base/key_material.h"
#include "support/server/settings.h"
#include "support/server/status.h"

#include <memory>
#include <string>
#include <vector>

namespace smb3::server {

struct AcceptorStep {
  std::vector<std::byte> token;
  bool done = false;
};

// Who logged on; when done.
struct Logon {
  std::string user;       // "DOMAIN\\name" or a principal; empty when anonymous
  std::string mechanism;  // "NTLMSSP" or "Kerberos"
  std::string spn;        // that the client named as its target; empty when it named none
  bool guest = false;
  bool anonymous = false;
  bool mic = false;         // NTLM: the AUTHENTICATE carried a MIC
  KeyMaterial session_key;  // the whole one; empty for guest and anonymous
};

class Acceptor {
 public:
  Acceptor() = default;
  Acceptor(const Acceptor&) = delete;
  Acceptor& operator=(const Acceptor&) = delete;
  virtual ~Acceptor() = default;

  // Each token of a SESSION_SETUP request. The error is what the client is told.
  virtual StatusOr<AcceptorStep> step(Bytes client_token) = 0;
  // Precondition: the last step was done.
  virtual Result<Logon> logon() = 0;
};

class AcceptorFactory {
 public:
  AcceptorFactory() = default;
  AcceptorFactory(const AcceptorFactory&) = delete;
  AcceptorFactory& operator=(const AcceptorFactory&) = delete;
  virtual ~AcceptorFactory() = default;

  // The token of the NEGOTIATE response: a NegTokenInit2 with the mechanisms in order.
  virtual std::vector<std::byte> hint() const = 0;
  virtual std::unique_ptr<Acceptor> make() = 0;
};

// SPNEGO around GSSAPI: NTLMSSP with the users of the settings, Kerberos with their keytab. Also
// takes bare NTLMSSP. It sets a variable of the environment (NTLM_USER_FILE).
Result<std::unique_ptr<AcceptorFactory>> make_gss_acceptors(const ServerSettings& settings);

}  // namespace smb3::server
