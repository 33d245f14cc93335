// Tokens in, tokens out: what a logon needs to know of Kerberos, NTLM and SPNEGO.
#pragma once

#include "base/bytes.h"
#include "base/key_material.h"

#include <smbclient3/error.h>

#include <string>
#include <vector>

namespace smb3 {

// What SESSION_SETUP sends next.
struct AuthenticationStep {
  std::vector<std::byte> token;  // empty: nothing more to send
  bool done = false;             // once the token (if any) is sent, our side has no more to say
};

// One logon. It BLOCKS (files, name service, a KDC): call it on a thread that may wait. It owns all
// that it uses, so a caller who gives up may leave it to that thread. Not for two threads at once.
class Authenticator {
 public:
  Authenticator() = default;
  Authenticator(const Authenticator&) = delete;
  Authenticator& operator=(const Authenticator&) = delete;
  virtual ~Authenticator() = default;

  // First the token of the NEGOTIATE response, a hint that may be empty; then each token of a
  // SESSION_SETUP response, the one that came with STATUS_SUCCESS too (even if empty): that step
  // proves the server. The kind of an error is authentication (logon refused, means missing),
  // security (a proof did not hold) or protocol (not a token).
  virtual Result<AuthenticationStep> step(Bytes server_token) = 0;

  // Whether both sides are through and all that must be proven is. Success from the server while
  // this is false is a security error.
  virtual bool complete() const noexcept = 0;

  // When done: the whole key of the GSS context; NTLM gives 16 bytes, Kerberos 16 or 32. Of an
  // anonymous logon there is none: empty.
  virtual Result<KeyMaterial> session_key() = 0;

  // "Kerberos" or "NTLMSSP": what is in use; before the first step, what would be tried first.
  virtual std::string mechanism() const = 0;

  // Why a mechanism that would have been better is not in use; empty if none was left.
  virtual std::string fallback_reason() const { return {}; }
};

}  // namespace smb3
