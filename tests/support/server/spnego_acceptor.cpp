#include "support/server/spnego_acceptor.h"

#include "auth/der.h"

#include <algorithm>
#include <string_view>

namespace smb3::server {

namespace {

// 1.3.6.1.5.5.2
constexpr auto spnego_oid = spnego::oid_content(0x2B, 0x06, 0x01, 0x05, 0x05, 0x02);
constexpr std::uint8_t general_string = 0x1B;
constexpr std::string_view hint_name = "not_defined_in_RFC4178@please_ignore";

Bytes bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

bool is_bare_ntlm(Bytes token) {
  constexpr std::string_view signature{"NTLMSSP\0", 8};
  return token.size() >= signature.size() &&
         std::ranges::equal(token.first(signature.size()), bytes_of(signature));
}

}  // namespace

std::vector<std::byte> encode_hint(std::span<const OfferedMechanism> mechanisms) {
  std::vector<Bytes> oids;
  for (const OfferedMechanism& mechanism : mechanisms) {
    oids.insert(oids.end(), mechanism.oids.begin(), mechanism.oids.end());
  }
  const auto types = spnego::encode_mech_types(oids);
  const auto name =
      der::encode(der::context(0), {der::encode(general_string, {bytes_of(hint_name)})});
  const auto hints = der::encode(der::sequence, {name});
  const auto body = der::encode(der::sequence, {der::encode(der::context(0), {types}),
                                                der::encode(der::context(3), {hints})});
  return der::encode(der::application(0), {der::encode(der::object_identifier, {spnego_oid}),
                                           der::encode(der::context(0), {body})});
}

const OfferedMechanism* SpnegoAcceptor::find(Bytes oid) const {
  for (const OfferedMechanism& mechanism : offered_) {
    for (const Bytes own : mechanism.oids) {
      if (spnego::same(own, oid)) return &mechanism;
    }
  }
  return nullptr;
}

StatusOr<AcceptorStep> SpnegoAcceptor::step(Bytes client_token) {
  if (done_) return refuse(NtStatus::invalid_parameter);
  if (!mechanism_) {
    return is_bare_ntlm(client_token) ? begin_bare(client_token) : begin(client_token);
  }
  if (bare_) return proceed_bare(client_token);
  const auto token = spnego::decode_resp(client_token);
  if (!token) return refuse(NtStatus::invalid_parameter);
  if (token->state == spnego::NegState::reject) return refuse(NtStatus::logon_failure);
  return proceed(token->response_token.value_or(Bytes{}), token->mech_list_mic, std::nullopt);
}

StatusOr<AcceptorStep> SpnegoAcceptor::begin(Bytes token) {
  const auto init = spnego::decode_init(token);
  if (!init || init->mech_types.empty()) return refuse(NtStatus::invalid_parameter);
  const auto chosen =
      std::ranges::find_if(init->mech_types, [this](Bytes oid) { return find(oid) != nullptr; });
  if (chosen == init->mech_types.end()) return refuse(NtStatus::invalid_parameter);
  mech_types_der_.assign(init->mech_types_der.begin(), init->mech_types_der.end());
  mechanism_ = find(*chosen)->make();
  if (chosen == init->mech_types.begin() && init->mech_token) {
    return proceed(*init->mech_token, init->mech_list_mic, *chosen);
  }
  // The token, if there is one, is for another mechanism: the client begins anew.
  const bool first = chosen == init->mech_types.begin();
  mic_required_ = !first;
  AcceptorStep step;
  step.token = spnego::encode(spnego::NegTokenResp{
      .state = first ? spnego::NegState::accept_incomplete : spnego::NegState::request_mic,
      .supported_mech = *chosen,
      .response_token = {},
      .mech_list_mic = {}});
  return step;
}

StatusOr<AcceptorStep> SpnegoAcceptor::begin_bare(Bytes token) {
  const OfferedMechanism* ntlm = find(spnego::ntlmssp);
  if (ntlm == nullptr) return refuse(NtStatus::invalid_parameter);
  bare_ = true;
  mechanism_ = ntlm->make();
  return proceed_bare(token);
}

StatusOr<AcceptorStep> SpnegoAcceptor::proceed_bare(Bytes token) {
  auto ours = mechanism_->step(token);
  if (!ours) return std::unexpected(ours.error());
  done_ = mechanism_->complete();
  AcceptorStep step;
  step.token = std::move(*ours);
  step.done = done_;
  return step;
}

StatusOr<AcceptorStep> SpnegoAcceptor::proceed(Bytes mech_token, std::optional<Bytes> mic,
                                               std::optional<Bytes> supported_mech) {
  std::vector<std::byte> ours;
  if (!mech_token.empty()) {
    auto stepped = mechanism_->step(mech_token);
    if (!stepped) return std::unexpected(stepped.error());
    ours = std::move(*stepped);
  } else if (!mechanism_->complete()) {
    return refuse(NtStatus::invalid_parameter);
  }
  spnego::NegTokenResp answer{.state = spnego::NegState::accept_incomplete,
                              .supported_mech = supported_mech,
                              .response_token = {},
                              .mech_list_mic = {}};
  if (!ours.empty()) answer.response_token = ours;
  std::vector<std::byte> own_mic;
  if (mechanism_->complete()) {
    if (mic && mechanism_->has_key()) {
      if (!mechanism_->verify(mech_types_der_, *mic)) return refuse(NtStatus::access_denied);
      mic_verified_ = true;
    }
    if ((mic_required_ || mic_verified_) && mechanism_->has_key() && !mic_sent_) {
      auto signature = mechanism_->sign(mech_types_der_);
      if (!signature) return refuse(NtStatus::logon_failure);
      own_mic = std::move(*signature);
      answer.mech_list_mic = own_mic;
      mic_sent_ = true;
    }
    // Who has no key cannot prove the list: the client decides whether that will do.
    done_ = !mic_required_ || mic_verified_ || !mechanism_->has_key();
    if (done_) answer.state = spnego::NegState::accept_completed;
    // It owes the proof, and sent neither that nor anything else.
    if (!done_ && mech_token.empty()) return refuse(NtStatus::invalid_parameter);
  } else if (mic) {
    return refuse(NtStatus::invalid_parameter);
  }
  AcceptorStep step;
  step.token = spnego::encode(answer);
  step.done = done_;
  return step;
}

}  // namespace smb3::server
