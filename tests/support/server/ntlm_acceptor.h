// NTLM by gss-ntlmssp, and around it what that does not do: guests, and nobody.
#pragma once

#include "support/server/gss_acceptor.h"

#include <filesystem>
#include <optional>

namespace smb3::server {

// Users and passwords, in the file that gss-ntlmssp reads; removed with it.
class NtlmUsers {
 public:
  // The users, guest and anonymous of the settings.
  static Result<std::unique_ptr<NtlmUsers>> create(const ServerSettings& settings);
  NtlmUsers(const NtlmUsers&) = delete;
  NtlmUsers& operator=(const NtlmUsers&) = delete;
  ~NtlmUsers();

  // Without regard to case; an empty domain fits every other one. nullptr: unknown.
  const UserSettings* find(std::string_view domain, std::string_view name) const;
  bool allow_guest() const noexcept { return allow_guest_; }
  bool allow_anonymous() const noexcept { return allow_anonymous_; }
  const gss::Credential& credential() const noexcept { return credential_; }
  // The variable is the whole process's, and there may be several servers in one.
  void select() const;
  // Lets gss-ntlmssp know this user alone, as the client wrote the name.
  Result<void> admit(const UserSettings& user, std::string_view client_domain,
                     std::string_view client_name) const;

 private:
  explicit NtlmUsers(const ServerSettings& settings)
      : users_(settings.users),
        allow_guest_(settings.allow_guest),
        allow_anonymous_(settings.allow_anonymous) {}
  Result<void> make_folder();
  Result<void> write(std::string_view line) const;

  std::vector<UserSettings> users_;
  bool allow_guest_;
  bool allow_anonymous_;
  std::filesystem::path folder_;
  gss::Credential credential_;
};

class NtlmAcceptor final : public AcceptorMechanism {
 public:
  explicit NtlmAcceptor(const NtlmUsers& users)
      : users_(users), context_(gss::MechanismKind::ntlm, users.credential()) {}

  StatusOr<std::vector<std::byte>> step(Bytes client_token) override;
  bool complete() const noexcept override { return complete_; }
  bool has_key() const noexcept override { return !logon_.guest && !logon_.anonymous; }
  Result<std::vector<std::byte>> sign(Bytes message) override { return context_.sign(message); }
  Result<void> verify(Bytes message, Bytes signature) override {
    return context_.verify(message, signature);
  }
  Result<Logon> logon() override;

 private:
  StatusOr<std::vector<std::byte>> authenticate(Bytes message);

  const NtlmUsers& users_;
  GssContext context_;
  bool challenged_ = false;
  bool complete_ = false;
  Logon logon_;
};

}  // namespace smb3::server
