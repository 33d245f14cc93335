// NTLM's null session ([MS-NLMP] 3.1.5.1.2), which gss-ntlmssp does not make: no user, no key.
#pragma once

#include "auth/mechanism.h"

#include <cstdint>

namespace smb3 {

class NtlmAnonymousMechanism final : public Mechanism {
 public:
  std::string_view name() const noexcept override { return "NTLMSSP"; }
  std::span<const Bytes> oids() const noexcept override;
  Result<std::vector<std::byte>> step(Bytes peer_token) override;
  bool complete() const noexcept override { return state_ == State::complete; }
  Result<std::vector<std::byte>> sign(Bytes message) override;
  Result<void> verify(Bytes message, Bytes signature) override;
  Result<KeyMaterial> session_key() override { return KeyMaterial(); }
  bool signs_mech_list() const noexcept override { return false; }

 private:
  enum class State : std::uint8_t { begin, negotiate_sent, complete };
  State state_ = State::begin;
};

}  // namespace smb3
