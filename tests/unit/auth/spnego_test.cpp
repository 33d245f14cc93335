#include "auth/spnego.h"

#include "auth/der.h"
#include "unit/auth/support.h"

#include <gtest/gtest.h>

#include <memory>

namespace smb3 {
namespace {

using test::from_hex;
using test::Octets;
using test::to_hex;
using test::vector;

// 1.3.6.1.4.1.311.2.2.30
constexpr auto negoex = spnego::oid_content(0x2B, 6, 1, 4, 1, 0x82, 0x37, 2, 2, 0x1E);

TEST(Spnego, DecodesThePublishedHint) {
  const auto token = vector("hint");
  const auto hint = spnego::decode_init(token);
  ASSERT_TRUE(hint) << describe(hint.error());
  ASSERT_EQ(hint->mech_types.size(), 2U);
  EXPECT_TRUE(spnego::same(hint->mech_types[0], negoex));
  EXPECT_TRUE(spnego::same(hint->mech_types[1], spnego::ntlmssp));
  ASSERT_TRUE(hint->mech_token);
  EXPECT_EQ(hint->mech_token->size(), 264U);
  EXPECT_FALSE(hint->mech_list_mic);
}

TEST(Spnego, DecodesAndEncodesThePublishedFirstToken) {
  const auto token = vector("init");
  const auto init = spnego::decode_init(token);
  ASSERT_TRUE(init) << describe(init.error());
  ASSERT_EQ(init->mech_types.size(), 1U);
  EXPECT_TRUE(spnego::same(init->mech_types[0], spnego::ntlmssp));
  EXPECT_EQ(to_hex(init->mech_types_der), to_hex(vector("mech_types")));
  EXPECT_EQ(to_hex(init->mech_token.value()), to_hex(vector("ntlm_negotiate")));
  EXPECT_EQ(to_hex(spnego::encode(*init)), to_hex(token));
  EXPECT_EQ(to_hex(spnego::encode_mech_types(init->mech_types)), to_hex(vector("mech_types")));
}

TEST(Spnego, DecodesAndEncodesThePublishedAnswers) {
  const auto challenge = spnego::decode_resp(vector("challenge"));
  ASSERT_TRUE(challenge);
  EXPECT_EQ(challenge->state, spnego::NegState::accept_incomplete);
  for (const char* name : {"challenge", "authenticate", "completed"}) {
    const auto token = vector(name);
    const auto resp = spnego::decode_resp(token);
    ASSERT_TRUE(resp) << name << ": " << describe(resp.error());
    EXPECT_EQ(to_hex(spnego::encode(*resp)), to_hex(token)) << name;
  }
  const auto token = vector("completed");
  const auto completed = spnego::decode_resp(token).value();
  EXPECT_EQ(completed.state, spnego::NegState::accept_completed);
  EXPECT_EQ(to_hex(completed.mech_list_mic.value()), to_hex(vector("mech_list_mic_server")));
  EXPECT_FALSE(completed.supported_mech);
  EXPECT_FALSE(completed.response_token);
}

TEST(Spnego, PassesOverHintsAndTakesTheMicOfNegTokenInit2) {
  const auto types = vector("mech_types");
  const Octets mic = from_hex("0102");
  const auto hints = der::encode(
      der::context(3),
      {der::encode(der::sequence, {from_hex("A00B1B09") /* [0] */, test::octets("not_there")})});
  const auto with_mic = der::encode(der::context(4), {der::encode(der::octet_string, {mic})});
  const auto body = der::encode(der::sequence, {der::encode(der::context(0), {types}),
                                                from_hex("A10403020560"), hints, with_mic});
  const auto token = der::encode(
      der::application(0), {from_hex("06062B0601050502"), der::encode(der::context(0), {body})});
  const auto init = spnego::decode_init(token);
  ASSERT_TRUE(init) << describe(init.error());
  EXPECT_EQ(to_hex(init->mech_list_mic.value()), "0102");
  EXPECT_FALSE(init->mech_token);
}

TEST(Spnego, EncodesEverySetOfFields) {
  const Octets mech(spnego::kerberos.begin(), spnego::kerberos.end());
  const Octets data(300, std::byte{5});
  for (unsigned set = 0; set < 16; ++set) {
    spnego::NegTokenResp resp;
    if (set & 1) resp.state = spnego::NegState::request_mic;
    if (set & 2) resp.supported_mech = mech;
    if (set & 4) resp.response_token = data;
    if (set & 8) resp.mech_list_mic = mech;
    const auto token = spnego::encode(resp);
    const auto back = spnego::decode_resp(token);
    ASSERT_TRUE(back) << set;
    EXPECT_EQ(back->state, resp.state);
    EXPECT_EQ(back->supported_mech.has_value(), resp.supported_mech.has_value());
    EXPECT_EQ(back->response_token.has_value(), resp.response_token.has_value());
    EXPECT_EQ(to_hex(spnego::encode(*back)), to_hex(token));
  }
}

TEST(Spnego, RefusesWhatDoesNotBelong) {
  for (const char* hex : {
           "A1023000FF",                    // bytes after the token
           "A1053003A0010A",                // a negState without content
           "A1073005A0030A0104",            // an unknown negState
           "A1083006A0040A020000",          // one of two bytes
           "A1073005A003040100",            // of another type
           "A1073005A4030A0100",            // an unknown field
           "A10C300AA003040100A0030A0100",  // out of order
           "A2023000",                      // another choice
           "3000",
       }) {
    const auto token = from_hex(hex);
    const auto resp = spnego::decode_resp(token);
    ASSERT_FALSE(resp) << hex;
    EXPECT_EQ(resp.error().kind(), ErrorKind::protocol);
  }
  EXPECT_TRUE(spnego::decode_resp(from_hex("A1023000")));
  const std::vector<Bytes> many(65, spnego::ntlmssp);
  const auto list = spnego::encode_mech_types(many);
  spnego::NegTokenInit init;
  init.mech_types_der = list;
  EXPECT_FALSE(spnego::decode_init(spnego::encode(init)));
}

// In memory of exactly their size, so that the sanitizer sees a read past the end.
void decode_exactly(Bytes token) {
  const auto exact = std::make_unique<std::byte[]>(token.size());
  std::copy(token.begin(), token.end(), exact.get());
  const Bytes input(exact.get(), token.size());
  if (const auto init = spnego::decode_init(input)) spnego::encode(*init);
  if (const auto resp = spnego::decode_resp(input)) spnego::encode(*resp);
}

TEST(Spnego, EveryTruncationIsRefused) {
  for (const char* name : {"hint", "init", "challenge", "authenticate", "completed"}) {
    const auto token = vector(name);
    for (std::size_t length = 0; length < token.size(); ++length) {
      const Octets cut(token.begin(), token.begin() + static_cast<std::ptrdiff_t>(length));
      decode_exactly(cut);
      EXPECT_FALSE(spnego::decode_init(cut)) << name << length;
      EXPECT_FALSE(spnego::decode_resp(cut)) << name << length;
    }
  }
}

TEST(Spnego, EveryChangedByteIsRefusedOrRead) {
  for (const char* name : {"hint", "init", "challenge", "authenticate", "completed"}) {
    const auto token = vector(name);
    for (std::size_t at = 0; at < token.size(); ++at) {
      Octets changed = token;
      for (unsigned bit = 1; bit < 256; bit <<= 1) {
        changed[at] = token[at] ^ static_cast<std::byte>(bit);
        decode_exactly(changed);
      }
      for (const unsigned length : {0x00U, 0x7FU, 0x80U, 0x81U, 0x84U, 0x88U, 0xFFU}) {
        changed[at] = static_cast<std::byte>(length);
        decode_exactly(changed);
      }
    }
  }
}

}  // namespace
}  // namespace smb3
