#include "auth/spnego_authenticator.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace smb3 {

namespace {

std::unexpected<Error> refuse(ErrorKind kind, std::string what) {
  return std::unexpected(Error(kind, std::move(what)).during("SPNEGO"));
}

bool offers(const Mechanism& mechanism, Bytes oid) {
  return std::ranges::any_of(mechanism.oids(), [&](Bytes own) { return spnego::same(own, oid); });
}

}  // namespace

SpnegoAuthenticator::SpnegoAuthenticator(std::vector<std::unique_ptr<Mechanism>> mechanisms,
                                         std::string fallback_reason)
    : mechanisms_(std::move(mechanisms)), fallback_reason_(std::move(fallback_reason)) {
  assert(!mechanisms_.empty());
}

Result<AuthenticationStep> SpnegoAuthenticator::step(Bytes server_token) {
  if (!std::exchange(started_, true)) return start(server_token);
  if (accepted_) return refuse(ErrorKind::protocol, "a token after the end of the logon");
  // Some servers send nothing with the success. That leaves out only what may be left out.
  if (server_token.empty()) return accept({});
  auto server = spnego::decode_resp(server_token);
  if (!server) return std::unexpected(std::move(server.error()));
  return proceed(*server);
}

Result<AuthenticationStep> SpnegoAuthenticator::start(Bytes hint) {
  drop_unlisted(hint);
  auto mech_token = current().step({});
  while (!mech_token && mechanisms_.size() > 1) {
    drop_first(mech_token.error().what());
    mech_token = current().step({});
  }
  if (!mech_token) {
    Error error = std::move(mech_token.error());
    if (fallback_reason_.empty()) return std::unexpected(std::move(error));
    return std::unexpected(
        Error(error.kind(), error.what() + " (before that, " + fallback_reason_ + ")")
            .during(error.operation())
            .advise(error.hint()));
  }
  std::vector<Bytes> offered;
  for (const auto& mechanism : mechanisms_) {
    offered.insert(offered.end(), mechanism->oids().begin(), mechanism->oids().end());
  }
  mech_types_der_ = spnego::encode_mech_types(offered);
  spnego::NegTokenInit token{
      .mech_types = {}, .mech_types_der = mech_types_der_, .mech_token = {}, .mech_list_mic = {}};
  if (!mech_token->empty()) token.mech_token = *mech_token;
  return AuthenticationStep{.token = spnego::encode(token), .done = false};
}

// The hint comes before anything is proven: it saves a futile attempt where there is another way,
// and decides nothing else.
void SpnegoAuthenticator::drop_unlisted(Bytes hint) {
  auto listed = spnego::decode_init(hint);
  if (!listed || listed->mech_types.empty()) return;
  const auto known = [&](const std::unique_ptr<Mechanism>& mechanism) {
    return std::ranges::any_of(listed->mech_types,
                               [&](Bytes oid) { return offers(*mechanism, oid); });
  };
  while (!known(mechanisms_.front()) && std::ranges::any_of(mechanisms_, known)) {
    drop_first(mechanism() + ": the server does not list it");
  }
}

void SpnegoAuthenticator::drop_first(std::string_view reason) {
  if (!fallback_reason_.empty()) fallback_reason_ += "; ";
  fallback_reason_ += reason;
  mechanisms_.erase(mechanisms_.begin());
}

Result<AuthenticationStep> SpnegoAuthenticator::proceed(const spnego::NegTokenResp& server) {
  if (server.state == spnego::NegState::reject) {
    return refuse(ErrorKind::authentication, "the server refuses to log on by " + mechanism());
  }
  auto switched = select(server);
  if (!switched) return std::unexpected(std::move(switched.error()));
  if (server.state == spnego::NegState::request_mic) mic_required_ = true;

  std::vector<std::byte> mech_token;
  const Bytes peer_token = server.response_token.value_or(Bytes{});
  if (*switched || !peer_token.empty()) {
    if (*switched && !peer_token.empty()) {
      return refuse(ErrorKind::protocol, "a token for a mechanism that has not begun");
    }
    if (current().complete()) {
      return refuse(ErrorKind::protocol, "a token for a mechanism that is complete");
    }
    auto stepped = current().step(peer_token);
    if (!stepped) return std::unexpected(std::move(stepped.error()));
    mech_token = std::move(*stepped);
  }
  if (auto checked = check_mic(server); !checked) {
    return std::unexpected(std::move(checked.error()));
  }
  // RFC 4178 4.2.2: where the state is left out, it is that of the mechanism.
  const bool nothing_to_send = mech_token.empty() && (mic_sent_ || !mic_required_);
  const auto state = server.state.value_or(current().complete() && nothing_to_send
                                               ? spnego::NegState::accept_completed
                                               : spnego::NegState::accept_incomplete);
  return state == spnego::NegState::accept_completed ? accept(mech_token) : answer(mech_token);
}

// Returns whether the server chose another mechanism than the one that has begun.
Result<bool> SpnegoAuthenticator::select(const spnego::NegTokenResp& server) {
  const bool first_answer = !std::exchange(selected_, true);
  if (!server.supported_mech || offers(current(), *server.supported_mech)) return false;
  const auto chosen = std::ranges::find_if(mechanisms_, [&](const auto& mechanism) {
    return offers(*mechanism, *server.supported_mech);
  });
  if (!first_answer || chosen == mechanisms_.end()) {
    return refuse(ErrorKind::protocol, "the server chose a mechanism that was not offered");
  }
  if (!fallback_reason_.empty()) fallback_reason_ += "; ";
  fallback_reason_.append(current().name()).append(": the server chose another mechanism");
  current_ = static_cast<std::size_t>(chosen - mechanisms_.begin());
  mic_required_ = true;
  return true;
}

Result<void> SpnegoAuthenticator::check_mic(const spnego::NegTokenResp& server) {
  if (!server.mech_list_mic) return {};
  if (!current().complete()) {
    return refuse(ErrorKind::protocol, "a mechListMIC before there is a key for it");
  }
  auto verified = current().verify(mech_types_der_, *server.mech_list_mic);
  if (!verified) {
    return refuse(ErrorKind::security,
                  "the list of mechanisms was changed on its way, or the server does not know the "
                  "key: wrong mechListMIC (" +
                      verified.error().what() + ")");
  }
  mic_verified_ = true;
  return {};
}

Result<AuthenticationStep> SpnegoAuthenticator::answer(Bytes mech_token) {
  spnego::NegTokenResp ours{.state = spnego::NegState::accept_incomplete,
                            .supported_mech = {},
                            .response_token = {},
                            .mech_list_mic = {}};
  if (!mech_token.empty()) ours.response_token = mech_token;
  std::vector<std::byte> mic;
  // A server that waits when all else is said waits for the mechListMIC.
  const bool mic_due = mic_required_ || current().signs_mech_list() || mech_token.empty();
  if (current().complete() && !mic_sent_ && mic_due) {
    auto signature = current().sign(mech_types_der_);
    if (!signature) return std::unexpected(std::move(signature.error()));
    mic = std::move(*signature);
    ours.mech_list_mic = mic;
    mic_sent_ = true;
  }
  if (!ours.response_token && !ours.mech_list_mic) {
    return refuse(ErrorKind::protocol, "the server waits for a token that is not due");
  }
  return AuthenticationStep{.token = spnego::encode(ours), .done = current().complete()};
}

Result<AuthenticationStep> SpnegoAuthenticator::accept(Bytes mech_token) {
  if (!current().complete() || !mech_token.empty()) {
    return refuse(ErrorKind::security,
                  "the server ends the logon before " + mechanism() + " has proven who it is");
  }
  if (mic_required_ && !mic_verified_) {
    return refuse(ErrorKind::security,
                  "the server did not prove that the list of mechanisms arrived unchanged: no "
                  "mechListMIC");
  }
  accepted_ = true;
  return AuthenticationStep{.token = {}, .done = true};
}

}  // namespace smb3
