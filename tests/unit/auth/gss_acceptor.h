// The server's side of GSSAPI, in this process, and a small SPNEGO around it that can misbehave.
#pragma once

#include "auth/authenticator.h"
#include "auth/gss_support.h"
#include "auth/spnego.h"
#include "unit/auth/support.h"

#include <gtest/gtest.h>

#include <optional>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SMB3_HAS_ASAN 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || SMB3_HAS_ASAN
#include <sanitizer/lsan_interface.h>
#endif

namespace smb3::test {

#if defined(__SANITIZE_ADDRESS__) || SMB3_HAS_ASAN
using LeaksOfOthers = __lsan::ScopedDisabler;
#else
struct LeaksOfOthers {
  LeaksOfOthers() {}
};
#endif

// NTLM takes its users from NTLM_USER_FILE, Kerberos its key from the keytab.
class GssAcceptor {
 public:
  explicit GssAcceptor(gss::MechanismKind kind, const std::string& keytab = {}) : kind_(kind) {
    gss_key_value_element_desc element{"keytab", keytab.c_str()};
    const gss_key_value_set_desc store{keytab.empty() ? 0U : 1U, &element};
    OM_uint32 minor = 0;
    const LeaksOfOthers gss_ntlmssp;  // 32 bytes for each acceptor
    const OM_uint32 major = ::gss_acquire_cred_from(
        &minor, GSS_C_NO_NAME, GSS_C_INDEFINITE, gss::oid_set_of(kind), GSS_C_ACCEPT,
        keytab.empty() ? nullptr : &store, credential_.out(), nullptr, nullptr);
    EXPECT_FALSE(GSS_ERROR(major)) << text(major, minor);
  }

  // Our token; nothing when the peer is refused.
  std::optional<Octets> step(Bytes peer_token) {
    gss_buffer_desc input = gss::buffer_of(peer_token);
    gss::Buffer output;
    OM_uint32 minor = 0;
    gss::Name user;
    const OM_uint32 major = ::gss_accept_sec_context(
        &minor, context_.out(), credential_.get(), &input, GSS_C_NO_CHANNEL_BINDINGS, user.out(),
        nullptr, output.out(), nullptr, nullptr, nullptr);
    if (GSS_ERROR(major)) {
      refusal = text(major, minor);
      refusal_token = copy(gss::bytes_of(output.get()));
      return std::nullopt;
    }
    complete = major == GSS_S_COMPLETE;
    if (user.get() != GSS_C_NO_NAME) {
      gss::Buffer name;
      ::gss_display_name(&minor, user.get(), name.out(), nullptr);
      peer.assign(static_cast<const char*>(name.get().value), name.get().length);
    }
    return copy(gss::bytes_of(output.get()));
  }

  Octets sign(Bytes message) {
    gss_buffer_desc input = gss::buffer_of(message);
    gss::Buffer output;
    OM_uint32 minor = 0;
    EXPECT_FALSE(GSS_ERROR(::gss_get_mic(&minor, context_.get(), 0, &input, output.out())));
    return copy(gss::bytes_of(output.get()));
  }

  bool verifies(Bytes message, Bytes signature) {
    gss_buffer_desc input = gss::buffer_of(message);
    gss_buffer_desc mic = gss::buffer_of(signature);
    OM_uint32 minor = 0;
    return ::gss_verify_mic(&minor, context_.get(), &input, &mic, nullptr) == GSS_S_COMPLETE;
  }

  Octets session_key() {
    Octets content = from_hex("2A864886F7120102020505");
    gss_OID_desc oid{static_cast<OM_uint32>(content.size()), content.data()};
    gss::BufferSet set;
    OM_uint32 minor = 0;
    EXPECT_FALSE(
        GSS_ERROR(::gss_inquire_sec_context_by_oid(&minor, context_.get(), &oid, set.out())));
    return copy(gss::bytes_of(set.get()->elements[0]));
  }

  bool complete = false;
  std::string refusal;
  Octets refusal_token;
  std::string peer;

 private:
  static Octets copy(Bytes bytes) { return {bytes.begin(), bytes.end()}; }
  std::string text(OM_uint32 major, OM_uint32 minor) const {
    return describe(gss::status_error(kind_, "the acceptor", major, minor));
  }

  gss::MechanismKind kind_;
  gss::Credential credential_;
  gss::Context context_;
};

// Takes the one mechanism that it has, and proves the list of mechanisms by its MIC.
class SpnegoAcceptor {
 public:
  SpnegoAcceptor(GssAcceptor& inner, Bytes mechanism) : inner_(inner), mechanism_(mechanism) {}

  enum class Fault { none, mic_wrong, mic_missing };
  Fault fault = Fault::none;
  bool removes_first_mech = false;  // as an attacker on the way would, from the list it sees
  bool client_mic_verified = false;
  Octets mech_token_seen;  // the last

  // Our answer; nothing when the peer is refused.
  std::optional<Octets> step(Bytes token) {
    return mech_types_.empty() ? begin(token) : proceed(token);
  }

 private:
  std::optional<Octets> begin(Bytes token) {
    const auto init = spnego::decode_init(token).value();
    auto types = init.mech_types;
    const bool optimistic = spnego::same(types.front(), mechanism_);
    if (removes_first_mech) types.erase(types.begin());
    mech_types_ = spnego::encode_mech_types(types);
    if (optimistic) return answer(*init.mech_token, true);
    return spnego::encode(spnego::NegTokenResp{.state = spnego::NegState::request_mic,
                                               .supported_mech = mechanism_,
                                               .response_token = {},
                                               .mech_list_mic = {}});
  }

  std::optional<Octets> proceed(Bytes token) {
    const auto resp = spnego::decode_resp(token).value();
    return answer(resp.response_token.value_or(Bytes{}), false, resp.mech_list_mic);
  }

  std::optional<Octets> answer(Bytes mech_token, bool first, std::optional<Bytes> mic = {}) {
    std::optional<Octets> ours;
    if (!mech_token.empty()) {
      mech_token_seen.assign(mech_token.begin(), mech_token.end());
      ours = inner_.step(mech_token);
      if (!ours) return std::nullopt;
    }
    spnego::NegTokenResp out{.state = inner_.complete ? spnego::NegState::accept_completed
                                                      : spnego::NegState::accept_incomplete,
                             .supported_mech = {},
                             .response_token = {},
                             .mech_list_mic = {}};
    if (first) out.supported_mech = mechanism_;
    if (ours && !ours->empty()) out.response_token = *ours;
    Octets own_mic;
    if (mic) {
      client_mic_verified = inner_.verifies(mech_types_, *mic);
      own_mic = inner_.sign(mech_types_);
      if (fault == Fault::mic_wrong) own_mic.back() ^= std::byte{1};
      if (fault != Fault::mic_missing) out.mech_list_mic = own_mic;
    }
    return spnego::encode(out);
  }

  GssAcceptor& inner_;
  Bytes mechanism_;
  Octets mech_types_;
};

// Carries tokens to and fro until one side ends; the error of ours, if it was that.
inline Result<void> converse(Authenticator& client, SpnegoAcceptor& server, GssAcceptor& inner) {
  Octets from_server;
  for (int turn = 0; turn < 8; ++turn) {
    auto step = client.step(from_server);
    if (!step) return std::unexpected(std::move(step.error()));
    if (client.complete()) return {};
    auto answer = server.step(step->token);
    if (!answer) {
      return std::unexpected(Error(ErrorKind::authentication, "the server: " + inner.refusal));
    }
    from_server = std::move(*answer);
  }
  return std::unexpected(Error(ErrorKind::protocol, "no end after 8 turns"));
}

}  // namespace smb3::test
