// Our side of the negotiation of a mechanism (RFC 4178 3.2 and 5).
#pragma once

#include "auth/authenticator.h"
#include "auth/mechanism.h"
#include "auth/spnego.h"

#include <memory>
#include <vector>

namespace smb3 {

class SpnegoAuthenticator final : public Authenticator {
 public:
  // Precondition: at least one mechanism; preferred first. `fallback_reason` says why a better one
  // is not among them.
  explicit SpnegoAuthenticator(std::vector<std::unique_ptr<Mechanism>> mechanisms,
                               std::string fallback_reason = {});

  Result<AuthenticationStep> step(Bytes server_token) override;
  bool complete() const noexcept override { return accepted_; }
  Result<KeyMaterial> session_key() override { return current().session_key(); }
  std::string mechanism() const override { return std::string(current().name()); }
  std::string fallback_reason() const override { return fallback_reason_; }

 private:
  Mechanism& current() const noexcept { return *mechanisms_[current_]; }

  Result<AuthenticationStep> start(Bytes hint);
  Result<AuthenticationStep> proceed(const spnego::NegTokenResp& server);
  Result<AuthenticationStep> answer(Bytes mech_token);
  Result<AuthenticationStep> accept(Bytes mech_token);

  void drop_unlisted(Bytes hint);
  void drop_first(std::string_view reason);
  Result<bool> select(const spnego::NegTokenResp& server);
  Result<void> check_mic(const spnego::NegTokenResp& server);

  std::vector<std::unique_ptr<Mechanism>> mechanisms_;
  std::size_t current_ = 0;
  std::vector<std::byte> mech_types_der_;  // as sent: what both mechListMICs cover
  std::string fallback_reason_;
  bool started_ = false;
  bool selected_ = false;      // the server has named the mechanism
  bool mic_required_ = false;  // RFC 4178 5: unless the first mechanism was taken, both must prove
  bool mic_sent_ = false;
  bool mic_verified_ = false;
  bool accepted_ = false;
};

}  // namespace smb3
