#include "sim/authentication.h"

#include "auth/credentials.h"

#include <algorithm>
#include <array>
#include <string>

namespace smb3::sim {
namespace {

using Digest = std::array<std::byte, 16>;

constexpr std::string_view greeting = "sim hello";

std::vector<std::byte> bytes_of(std::string_view text) {
  const auto* begin = reinterpret_cast<const std::byte*>(text.data());
  return {begin, begin + text.size()};
}

// A number of the password, the challenge and a purpose. No cryptography is needed here.
Digest digest_of(std::string_view password, Bytes challenge, std::string_view purpose) {
  std::uint64_t seed = 0x5EED;
  const auto add = [&seed](unsigned char c) { seed = (seed ^ c) * 0x100000001B3; };
  for (const char c : purpose) add(static_cast<unsigned char>(c));
  add(0);
  for (const char c : password) add(static_cast<unsigned char>(c));
  add(0);
  for (const std::byte b : challenge) add(std::to_integer<unsigned char>(b));
  Digest digest;
  Chance(seed).fill(digest);
  return digest;
}

class SimAuthenticator final : public Authenticator {
 public:
  SimAuthenticator(std::string user, std::string password)
      : user_(std::move(user)), password_(std::move(password)) {}

  Result<AuthenticationStep> step(Bytes server_token) override {
    switch (steps_++) {
      case 0: return AuthenticationStep{.token = bytes_of(greeting)};
      case 1: return answer(server_token);
      case 2: return check(server_token);
      default: return std::unexpected(Error(ErrorKind::protocol, "a token too many"));
    }
  }
  bool complete() const noexcept override { return complete_; }
  Result<KeyMaterial> session_key() override {
    return KeyMaterial(digest_of(password_, challenge_, "key"));
  }
  std::string mechanism() const override { return "SIM"; }

 private:
  Result<AuthenticationStep> answer(Bytes challenge) {
    if (challenge.size() != sizeof(Digest)) {
      return std::unexpected(Error(ErrorKind::protocol, "no challenge"));
    }
    challenge_.assign(challenge.begin(), challenge.end());
    AuthenticationStep next{.token = bytes_of(user_), .done = true};
    const Digest proof = digest_of(password_, challenge_, "client");
    next.token.insert(next.token.begin(), proof.begin(), proof.end());
    return next;
  }
  Result<AuthenticationStep> check(Bytes proof) {
    complete_ = std::ranges::equal(proof, digest_of(password_, challenge_, "server"));
    if (!complete_) {
      return std::unexpected(Error(ErrorKind::security, "the server does not know the password"));
    }
    return AuthenticationStep{.token = {}, .done = true};
  }

  std::string user_, password_;
  std::vector<std::byte> challenge_;
  int steps_ = 0;
  bool complete_ = false;
};

}  // namespace

class SimAcceptor final : public server::Acceptor {
 public:
  explicit SimAcceptor(SimAcceptors& factory) : factory_(factory) {}

  server::StatusOr<server::AcceptorStep> step(Bytes token) override {
    if (challenge_.empty()) {
      if (!std::ranges::equal(token, bytes_of(greeting))) {
        return server::refuse(NtStatus::logon_failure);
      }
      challenge_.resize(sizeof(Digest));
      factory_.chance_.fill(challenge_);
      return server::AcceptorStep{.token = challenge_};
    }
    for (const server::UserSettings& user : factory_.users_) {
      std::vector<std::byte> expected = bytes_of(user.name);
      const Digest proof = digest_of(user.password, challenge_, "client");
      expected.insert(expected.begin(), proof.begin(), proof.end());
      if (!std::ranges::equal(token, expected)) continue;
      user_ = &user;
      const Digest own = digest_of(user.password, challenge_, "server");
      return server::AcceptorStep{.token = {own.begin(), own.end()}, .done = true};
    }
    return server::refuse(NtStatus::logon_failure);
  }

  Result<server::Logon> logon() override {
    server::Logon who;
    who.user = user_->name;
    who.mechanism = "SIM";
    who.session_key = KeyMaterial(digest_of(user_->password, challenge_, "key"));
    return who;
  }

 private:
  SimAcceptors& factory_;
  std::vector<std::byte> challenge_;
  const server::UserSettings* user_ = nullptr;
};

std::vector<std::byte> SimAcceptors::hint() const { return bytes_of("sim"); }

std::unique_ptr<server::Acceptor> SimAcceptors::make() {
  return std::make_unique<SimAcceptor>(*this);
}

}  // namespace smb3::sim

namespace smb3 {

// Stands in the place of the library's, which asks GSSAPI.
Result<std::unique_ptr<Authenticator>> make_authenticator(const LogonRequest& request,
                                                          std::string) {
  std::string password(request.password ? request.password->view() : std::string_view());
  return std::make_unique<sim::SimAuthenticator>(request.user, std::move(password));
}

}  // namespace smb3
