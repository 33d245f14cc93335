#include "auth/spnego_authenticator.h"

#include "unit/auth/fake_mechanism.h"

#include <gtest/gtest.h>

namespace smb3 {
namespace {

using spnego::NegState;
using spnego::NegTokenResp;
using test::FakeMechanism;
using test::Octets;
using test::octets;
using test::Script;
using test::to_hex;
using test::vector;

Script kerberos_script() {
  return {.name = "Kerberos",
          .oids = {spnego::microsoft_kerberos, spnego::kerberos},
          .turns = {{{}, octets("AP-REQ")}, {octets("AP-REP"), {}}},
          .signed_message = {},
          .our_signature = octets("kerberos signs"),
          .peer_signature = octets("kerberos server"),
          .signs_mech_list = false};
}

Script ntlm_script() {
  return {.name = "NTLMSSP",
          .oids = {spnego::ntlmssp},
          .turns = {{{}, octets("NEGOTIATE")}, {octets("CHALLENGE"), octets("AUTHENTICATE")}},
          .signed_message = {},
          .our_signature = octets("ntlm signs"),
          .peer_signature = octets("ntlm server"),
          .signs_mech_list = true};
}

std::unique_ptr<SpnegoAuthenticator> with(std::vector<Script> scripts) {
  std::vector<std::unique_ptr<Mechanism>> mechanisms;
  for (auto& script : scripts) {
    mechanisms.push_back(std::make_unique<FakeMechanism>(std::move(script)));
  }
  return std::make_unique<SpnegoAuthenticator>(std::move(mechanisms));
}

struct Answer {
  std::optional<NegState> state;
  std::optional<Octets> mech;
  std::optional<Octets> token;
  std::optional<Octets> mic;
};

template <class Oid>
Octets oid(const Oid& content) {
  return {content.begin(), content.end()};
}

Octets encoded(const Answer& answer) {
  const auto view = [](const std::optional<Octets>& octets) {
    return octets ? std::optional<Bytes>(*octets) : std::nullopt;
  };
  return spnego::encode(NegTokenResp{.state = answer.state,
                                     .supported_mech = view(answer.mech),
                                     .response_token = view(answer.token),
                                     .mech_list_mic = view(answer.mic)});
}

// Feeds one answer; the step must succeed.
AuthenticationStep feed(Authenticator& authenticator, const Answer& answer) {
  auto step = authenticator.step(encoded(answer));
  EXPECT_TRUE(step) << describe(step.error());
  return step ? std::move(*step) : AuthenticationStep{};
}

ErrorKind kind_after(Authenticator& authenticator, const Answer& answer) {
  const auto step = authenticator.step(encoded(answer));
  EXPECT_FALSE(step);
  EXPECT_FALSE(authenticator.complete());
  return step ? ErrorKind::local : step.error().kind();
}

TEST(SpnegoAuthenticator, RepeatsThePublishedLogon) {
  auto authenticator = with({{.name = "NTLMSSP",
                              .oids = {spnego::ntlmssp},
                              .turns = {{{}, vector("ntlm_negotiate")},
                                        {vector("ntlm_challenge"), vector("ntlm_authenticate")}},
                              .signed_message = vector("mech_types"),
                              .our_signature = vector("mech_list_mic_client"),
                              .peer_signature = vector("mech_list_mic_server"),
                              .signs_mech_list = true}});
  const auto first = authenticator->step(vector("hint"));
  ASSERT_TRUE(first);
  EXPECT_EQ(to_hex(first->token), to_hex(vector("init")));
  EXPECT_FALSE(first->done);
  const auto second = authenticator->step(vector("challenge"));
  ASSERT_TRUE(second) << describe(second.error());
  EXPECT_EQ(to_hex(second->token), to_hex(vector("authenticate")));
  EXPECT_TRUE(second->done);
  EXPECT_FALSE(authenticator->complete());
  const auto third = authenticator->step(vector("completed"));
  ASSERT_TRUE(third) << describe(third.error());
  EXPECT_TRUE(third->token.empty());
  EXPECT_TRUE(third->done);
  EXPECT_TRUE(authenticator->complete());
  EXPECT_EQ(authenticator->mechanism(), "NTLMSSP");
  EXPECT_EQ(authenticator->fallback_reason(), "");
  EXPECT_FALSE(authenticator->step(vector("completed"))) << "nothing may follow";
}

TEST(SpnegoAuthenticator, TheFirstMechanismNeedsNoMic) {
  auto authenticator = with({kerberos_script(), ntlm_script()});
  const auto first = authenticator->step({});
  ASSERT_TRUE(first);
  const auto init = spnego::decode_init(first->token).value();
  ASSERT_EQ(init.mech_types.size(), 3U);
  EXPECT_TRUE(spnego::same(init.mech_types[0], spnego::microsoft_kerberos));
  EXPECT_TRUE(spnego::same(init.mech_types[1], spnego::kerberos));
  EXPECT_TRUE(spnego::same(init.mech_types[2], spnego::ntlmssp));
  EXPECT_EQ(to_hex(init.mech_token.value()), to_hex(octets("AP-REQ")));
  EXPECT_EQ(authenticator->mechanism(), "Kerberos");
  // Both numbers mean the one mechanism.
  const auto step = feed(*authenticator, {.state = NegState::accept_completed,
                                          .mech = oid(spnego::kerberos),
                                          .token = octets("AP-REP"),
                                          .mic = {}});
  EXPECT_TRUE(step.done);
  EXPECT_TRUE(authenticator->complete());
  EXPECT_EQ(to_hex(authenticator->session_key().value().bytes()), to_hex(octets("key")));
}

TEST(SpnegoAuthenticator, AServerThatAsksForTheMicGetsItAndMustProveItself) {
  for (const bool proven : {true, false}) {
    auto authenticator = with({kerberos_script()});
    ASSERT_TRUE(authenticator->step({}));
    const auto step = feed(*authenticator, {.state = NegState::request_mic,
                                            .mech = oid(spnego::microsoft_kerberos),
                                            .token = octets("AP-REP"),
                                            .mic = {}});
    EXPECT_TRUE(step.done);
    const auto ours = spnego::decode_resp(step.token).value();
    EXPECT_EQ(to_hex(ours.mech_list_mic.value()), to_hex(octets("kerberos signs")));
    Answer last{.state = NegState::accept_completed, .mech = {}, .token = {}, .mic = {}};
    if (!proven) {
      EXPECT_EQ(kind_after(*authenticator, last), ErrorKind::security);
      continue;
    }
    last.mic = octets("kerberos server");
    feed(*authenticator, last);
    EXPECT_TRUE(authenticator->complete());
  }
}

// Kerberos offered first, and the server takes NTLM.
std::unique_ptr<SpnegoAuthenticator> switched_to_ntlm() {
  auto authenticator = with({kerberos_script(), ntlm_script()});
  EXPECT_TRUE(authenticator->step({}));
  const auto step =
      feed(*authenticator,
           {.state = NegState::request_mic, .mech = oid(spnego::ntlmssp), .token = {}, .mic = {}});
  EXPECT_EQ(to_hex(spnego::decode_resp(step.token).value().response_token.value()),
            to_hex(octets("NEGOTIATE")));
  EXPECT_FALSE(step.done);
  EXPECT_EQ(authenticator->mechanism(), "NTLMSSP");
  const auto last = feed(
      *authenticator,
      {.state = NegState::accept_incomplete, .mech = {}, .token = octets("CHALLENGE"), .mic = {}});
  EXPECT_EQ(to_hex(spnego::decode_resp(last.token).value().mech_list_mic.value()),
            to_hex(octets("ntlm signs")));
  EXPECT_TRUE(last.done);
  return authenticator;
}

TEST(SpnegoAuthenticator, AnotherMechanismIsTakenOnlyWithTheServersMic) {
  const Answer success{.state = NegState::accept_completed, .mech = {}, .token = {}, .mic = {}};
  EXPECT_EQ(kind_after(*switched_to_ntlm(), success), ErrorKind::security);

  Answer wrong = success;
  wrong.mic = octets("forged");
  EXPECT_EQ(kind_after(*switched_to_ntlm(), wrong), ErrorKind::security);

  auto silent = switched_to_ntlm();
  const auto nothing = silent->step({});
  ASSERT_FALSE(nothing);
  EXPECT_EQ(nothing.error().kind(), ErrorKind::security);
  EXPECT_FALSE(silent->complete());

  Answer right = success;
  right.mic = octets("ntlm server");
  auto authenticator = switched_to_ntlm();
  feed(*authenticator, right);
  EXPECT_TRUE(authenticator->complete());
  EXPECT_EQ(authenticator->fallback_reason(), "Kerberos: the server chose another mechanism");
}

TEST(SpnegoAuthenticator, AWrongMicIsRefusedEvenWhereNoneIsDue) {
  auto authenticator = with({kerberos_script()});
  ASSERT_TRUE(authenticator->step({}));
  EXPECT_EQ(kind_after(*authenticator, {.state = NegState::accept_completed,
                                        .mech = oid(spnego::kerberos),
                                        .token = octets("AP-REP"),
                                        .mic = octets("kerberos signs")}),
            ErrorKind::security);
}

TEST(SpnegoAuthenticator, SuccessBeforeTheMechanismIsThroughIsRefused) {
  for (const auto& token : {std::optional<Octets>{}, std::optional(octets("CHALLENGE"))}) {
    auto authenticator = with({ntlm_script()});
    ASSERT_TRUE(authenticator->step({}));
    EXPECT_EQ(kind_after(*authenticator, {.state = NegState::accept_completed,
                                          .mech = oid(spnego::ntlmssp),
                                          .token = token,
                                          .mic = {}}),
              ErrorKind::security);
  }
  auto authenticator = with({ntlm_script()});
  ASSERT_TRUE(authenticator->step({}));
  EXPECT_FALSE(authenticator->step({}));
  EXPECT_FALSE(authenticator->complete());
}

TEST(SpnegoAuthenticator, ASuccessMayComeWithoutATokenOrAState) {
  for (const auto& last : {Octets{}, encoded({})}) {
    auto authenticator = with({ntlm_script()});
    ASSERT_TRUE(authenticator->step({}));
    feed(*authenticator, {.state = NegState::accept_incomplete,
                          .mech = oid(spnego::ntlmssp),
                          .token = octets("CHALLENGE"),
                          .mic = {}});
    const auto step = authenticator->step(last);
    ASSERT_TRUE(step) << describe(step.error());
    EXPECT_TRUE(authenticator->complete());
  }
}

TEST(SpnegoAuthenticator, RefusesAnswersOutOfTurn) {
  struct Case {
    Answer answer;
    ErrorKind kind;
  };
  const auto challenge = octets("CHALLENGE");
  const std::vector<Case> cases{
      {{NegState::reject, {}, {}, {}}, ErrorKind::authentication},
      {{NegState::accept_incomplete, octets("an OID that was not offered"), {}, {}},
       ErrorKind::protocol},
      // a token for the mechanism that has not begun
      {{NegState::accept_incomplete, oid(spnego::kerberos), octets("AP-REP"), {}},
       ErrorKind::protocol},
      // a MIC before there is a key
      {{NegState::accept_incomplete, oid(spnego::ntlmssp), {}, octets("MIC")}, ErrorKind::protocol},
      // nothing that could be answered
      {{NegState::accept_incomplete, oid(spnego::ntlmssp), {}, {}}, ErrorKind::protocol},
      // what the mechanism refuses
      {{NegState::accept_incomplete, oid(spnego::ntlmssp), octets("?"), {}},
       ErrorKind::authentication},
  };
  for (const Case& c : cases) {
    auto authenticator = with({ntlm_script(), kerberos_script()});
    ASSERT_TRUE(authenticator->step({}));
    EXPECT_EQ(kind_after(*authenticator, c.answer), c.kind) << &c - cases.data();
  }
  // A second choice, and a server that asks on without an end.
  auto authenticator = with({ntlm_script(), kerberos_script()});
  ASSERT_TRUE(authenticator->step({}));
  feed(*authenticator, {NegState::accept_incomplete, oid(spnego::ntlmssp), challenge, {}});
  EXPECT_EQ(
      kind_after(*authenticator, {NegState::accept_incomplete, oid(spnego::kerberos), {}, {}}),
      ErrorKind::protocol);
  EXPECT_EQ(kind_after(*authenticator, {NegState::accept_incomplete, {}, {}, {}}),
            ErrorKind::protocol);
  EXPECT_EQ(kind_after(*authenticator, {NegState::accept_incomplete, {}, challenge, {}}),
            ErrorKind::protocol);
}

TEST(SpnegoAuthenticator, TheHintOnlySavesFutileAttempts) {
  // The published hint lists NTLM and no Kerberos.
  auto both = with({kerberos_script(), ntlm_script()});
  ASSERT_TRUE(both->step(vector("hint")));
  EXPECT_EQ(both->mechanism(), "NTLMSSP");
  EXPECT_EQ(both->fallback_reason(), "Kerberos: the server does not list it");
  auto required = with({kerberos_script()});
  ASSERT_TRUE(required->step(vector("hint")));
  EXPECT_EQ(required->mechanism(), "Kerberos");
  auto garbage = with({kerberos_script(), ntlm_script()});
  ASSERT_TRUE(garbage->step(octets("garbage")));
  EXPECT_EQ(garbage->mechanism(), "Kerberos");
}

TEST(SpnegoAuthenticator, AMechanismThatCannotBeginIsLeftOut) {
  Script broken = kerberos_script();
  broken.turns.clear();
  auto both = with({broken, ntlm_script()});
  const auto first = both->step({});
  ASSERT_TRUE(first);
  EXPECT_EQ(spnego::decode_init(first->token).value().mech_types.size(), 1U);
  EXPECT_EQ(both->mechanism(), "NTLMSSP");
  EXPECT_EQ(both->fallback_reason(), "unexpected token");

  auto neither = with({broken, broken});
  const auto failed = neither->step({});
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().what(), "unexpected token (before that, unexpected token)");
}

TEST(SpnegoAuthenticator, SurvivesEveryChangedByteOfTheServer) {
  const auto challenge = vector("challenge");
  for (std::size_t at = 0; at < challenge.size(); ++at) {
    for (const unsigned flip : {0x01U, 0x80U, 0xFFU}) {
      auto authenticator = with({{.name = "NTLMSSP",
                                  .oids = {spnego::ntlmssp},
                                  .turns = {{{}, octets("NEGOTIATE")},
                                            {vector("ntlm_challenge"), octets("AUTHENTICATE")}},
                                  .signed_message = {},
                                  .our_signature = octets("MIC"),
                                  .peer_signature = {},
                                  .signs_mech_list = true}});
      ASSERT_TRUE(authenticator->step({}));
      Octets changed = challenge;
      changed[at] ^= static_cast<std::byte>(flip);
      (void)authenticator->step(changed);
      EXPECT_FALSE(authenticator->complete());
    }
  }
}

}  // namespace
}  // namespace smb3
