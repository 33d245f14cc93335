// Tokens of SPNEGO and the negotiation around a mechanism that takes everything; the CHALLENGE of
// an anonymous NTLM logon.
#include "auth/ntlm_anonymous.h"
#include "auth/spnego.h"
#include "auth/spnego_authenticator.h"
#include "fuzz/fuzz.h"

namespace smb3::fuzz {

// Complete after some turns; its signature is one fixed byte.
class Patient final : public Mechanism {
 public:
  Patient(std::string_view name, Bytes oid, unsigned turns)
      : name_(name), oid_(oid), turns_(turns) {}

  std::string_view name() const noexcept override { return name_; }
  std::span<const Bytes> oids() const noexcept override { return {&oid_, 1}; }
  Result<std::vector<std::byte>> step(Bytes) override {
    require(turns_ > 0, "a step of a mechanism that is complete");
    --turns_;
    return Octets(turns_ == 0 ? 0 : 1, std::byte{'t'});
  }
  bool complete() const noexcept override { return turns_ == 0; }
  Result<std::vector<std::byte>> sign(Bytes) override {
    require(complete(), "a signature without a key");
    return Octets{signature};
  }
  Result<void> verify(Bytes, Bytes mic) override {
    require(complete(), "a signature is verified without a key");
    if (mic.size() == 1 && mic[0] == signature) {
      verified = true;
      return {};
    }
    return std::unexpected(Error(ErrorKind::security, "wrong"));
  }
  Result<KeyMaterial> session_key() override { return KeyMaterial(oid_); }
  bool signs_mech_list() const noexcept override { return true; }

  static constexpr std::byte signature{'m'};
  bool verified = false;

 private:
  std::string_view name_;
  Bytes oid_;
  unsigned turns_;
};

bool same(const std::optional<Bytes>& a, const std::optional<Bytes>& b) {
  return a.has_value() == b.has_value() && (!a || spnego::same(*a, *b));
}

void check_tokens(Bytes token) {
  if (auto resp = spnego::decode_resp(token)) {
    const Octets again = spnego::encode(*resp);
    auto second = spnego::decode_resp(again);
    require(second && second->state == resp->state &&
                same(second->supported_mech, resp->supported_mech) &&
                same(second->response_token, resp->response_token) &&
                same(second->mech_list_mic, resp->mech_list_mic),
            "a NegTokenResp does not survive a round trip");
  }
  if (auto init = spnego::decode_init(token)) {
    const Octets again = spnego::encode(*init);
    auto second = spnego::decode_init(again);
    require(second && spnego::same(second->mech_types_der, init->mech_types_der) &&
                second->mech_types.size() == init->mech_types.size() &&
                same(second->mech_token, init->mech_token) &&
                same(second->mech_list_mic, init->mech_list_mic),
            "a NegTokenInit does not survive a round trip");
  }
}

void check_negotiation(Input& input) {
  const std::uint8_t kind = input.byte();
  std::vector<std::unique_ptr<Mechanism>> mechanisms;
  auto first = std::make_unique<Patient>("Kerberos", spnego::kerberos, 1 + kind % 3);
  auto second = std::make_unique<Patient>("NTLMSSP", spnego::ntlmssp, 1 + kind / 4 % 3);
  Patient* const last = second.get();
  mechanisms.push_back(std::move(first));
  mechanisms.push_back(std::move(second));
  SpnegoAuthenticator authenticator(std::move(mechanisms));
  for (int turn = 0; turn < 8; ++turn) {
    const Exact token(input.block());
    auto step = authenticator.step(token.bytes());
    if (!step) {
      require(!authenticator.complete() || turn > 0, "complete after a failure");
      return;
    }
    if (!step->token.empty()) check_tokens(step->token);
    if (!authenticator.complete()) continue;
    // Who was not the first choice needs the proof that the list arrived unchanged.
    require(authenticator.mechanism() != "NTLMSSP" ||
                authenticator.fallback_reason().find("list") != std::string::npos || last->verified,
            "another mechanism was taken without a proof of the list");
    return;
  }
}

void check_challenge(Input& input) {
  NtlmAnonymousMechanism mechanism;
  require(mechanism.step({}).has_value(), "no NEGOTIATE");
  const Exact challenge(input.rest());
  auto answer = mechanism.step(challenge.bytes());
  require(answer.has_value() == mechanism.complete(), "complete without an answer");
}

}  // namespace smb3::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace smb3::fuzz;
  Input input(input_of(data, size));
  switch (input.byte()) {
    case 0: {
      const Exact token(input.rest());
      check_tokens(token.bytes());
      return 0;
    }
    case 1: check_negotiation(input); return 0;
    case 2: check_challenge(input); return 0;
    default: return -1;
  }
}
