// A mechanism whose tokens and signatures the test dictates.
#pragma once

#include "auth/mechanism.h"
#include "unit/auth/support.h"

#include <deque>
#include <utility>

namespace smb3::test {

struct Script {
  std::string_view name = "NTLMSSP";
  std::vector<Bytes> oids;
  // What is expected of the peer, and what we send; complete after the last.
  std::deque<std::pair<Octets, Octets>> turns;
  Octets signed_message;
  Octets our_signature;
  Octets peer_signature;
  bool signs_mech_list = false;
};

class FakeMechanism final : public Mechanism {
 public:
  explicit FakeMechanism(Script script) : script_(std::move(script)) {}

  std::string_view name() const noexcept override { return script_.name; }
  std::span<const Bytes> oids() const noexcept override { return script_.oids; }
  Result<std::vector<std::byte>> step(Bytes peer_token) override {
    if (script_.turns.empty() || to_hex(peer_token) != to_hex(script_.turns.front().first)) {
      return failure(ErrorKind::authentication, "unexpected token");
    }
    auto token = std::move(script_.turns.front().second);
    script_.turns.pop_front();
    return token;
  }
  bool complete() const noexcept override { return script_.turns.empty(); }
  Result<std::vector<std::byte>> sign(Bytes message) override {
    EXPECT_TRUE(complete());
    if (!script_.signed_message.empty()) {
      EXPECT_EQ(to_hex(message), to_hex(script_.signed_message));
    }
    signed_message = {message.begin(), message.end()};
    return script_.our_signature;
  }
  Result<void> verify(Bytes message, Bytes signature) override {
    // What the peer signs is what we sign.
    if (!signed_message.empty()) {
      EXPECT_EQ(to_hex(message), to_hex(signed_message));
    }
    if (to_hex(signature) == to_hex(script_.peer_signature)) return {};
    return std::unexpected(Error(ErrorKind::security, "bad signature"));
  }
  Result<KeyMaterial> session_key() override { return KeyMaterial(octets("key")); }
  bool signs_mech_list() const noexcept override { return script_.signs_mech_list; }

  Octets signed_message;

 private:
  static std::unexpected<Error> failure(ErrorKind kind, const char* what) {
    return std::unexpected(Error(kind, what));
  }
  Script script_;
};

}  // namespace smb3::test
