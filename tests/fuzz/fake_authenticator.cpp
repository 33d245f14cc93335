#include "fuzz/fake_authenticator.h"

#include "auth/credentials.h"

#include <array>

namespace smb3 {
namespace {

class FakeAuthenticator final : public Authenticator {
 public:
  explicit FakeAuthenticator(bool anonymous) : anonymous_(anonymous) {}

  Result<AuthenticationStep> step(Bytes server_token) override {
    const bool goes_on = !server_token.empty() && server_token[0] == fuzz::another_leg;
    if (!std::exchange(started_, true) || goes_on) {
      return AuthenticationStep{.token = {std::byte{'t'}}, .done = false};
    }
    complete_ = true;
    return AuthenticationStep{.token = {}, .done = true};
  }
  bool complete() const noexcept override { return complete_; }
  Result<KeyMaterial> session_key() override {
    return anonymous_ ? KeyMaterial() : KeyMaterial(fuzz::known_session_key());
  }
  std::string mechanism() const override { return "none"; }

 private:
  bool anonymous_;
  bool started_ = false;
  bool complete_ = false;
};

}  // namespace

Bytes fuzz::known_session_key() {
  static constexpr std::array<std::byte, 16> key{std::byte{'k'}, std::byte{'e'}, std::byte{'y'}};
  return key;
}

// Nobody copies one here; defined so that the library's object of both stays out.
LogonRequest LogonRequest::clone() const {
  LogonRequest copy;
  copy.user = user;
  copy.anonymous = anonymous;
  return copy;
}

Result<std::unique_ptr<Authenticator>> make_authenticator(const LogonRequest& request,
                                                          std::string) {
  return std::make_unique<FakeAuthenticator>(request.anonymous);
}

}  // namespace smb3
