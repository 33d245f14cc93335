#include "support/server/ntlm_acceptor.h"

#include "base/utf16.h"
#include "support/ntlm_authenticate.h"

#include <stdlib.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fstream>

namespace smb3::server {

namespace {

constexpr std::size_t negotiate_bytes_min = 32;
constexpr std::size_t version_bytes = 8;
constexpr const char* users_variable = "NTLM_USER_FILE";

// Names of other scripts are compared as they are.
bool same(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return std::ranges::equal(a, b, {}, lower, lower);
}

std::unexpected<Error> bad_user(const UserSettings& user, const char* why) {
  return std::unexpected(Error(ErrorKind::local, "a user whose " + std::string(why)).on(user.name));
}

Result<void> check(const UserSettings& user) {
  const auto has = [](std::string_view text, const char* any) {
    return text.find_first_of(any) != std::string_view::npos;
  };
  if (user.name.empty()) return bad_user(user, "name is empty");
  if (has(user.name, ":\n") || has(user.domain, ":\n")) {
    return bad_user(user, "name or domain has a colon or a line's end in it");
  }
  // gss-ntlmssp reads no further.
  if (has(user.password, ":\n")) {
    return bad_user(user, "password has a colon or a line's end in it");
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<NtlmUsers>> NtlmUsers::create(const ServerSettings& settings) {
  std::unique_ptr<NtlmUsers> users(new NtlmUsers(settings));
  if (auto written = users->make_folder(); !written)
    return std::unexpected(std::move(written.error()));
  users->select();
  auto credential = acquire_ntlm_acceptor();
  if (!credential) return std::unexpected(std::move(credential.error()));
  users->credential_ = std::move(*credential);
  return users;
}

NtlmUsers::~NtlmUsers() {
  if (folder_.empty()) return;
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

// A folder of 0700 of its own: the passwords are test passwords, but they look like others.
Result<void> NtlmUsers::make_folder() {
  for (const UserSettings& user : users_) {
    if (auto checked = check(user); !checked) return checked;
  }
  std::error_code unknown;
  std::filesystem::path parent = std::filesystem::temp_directory_path(unknown);
  if (unknown) parent = "/tmp";
  std::string name = (parent / "smb3-testserver-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) {
    return std::unexpected(system_error(errno, "mkdtemp").on(name));
  }
  folder_ = name;
  return write({});
}

Result<void> NtlmUsers::write(std::string_view line) const {
  const std::filesystem::path path = folder_ / "users";
  std::ofstream file(path);
  std::error_code failed;
  std::filesystem::permissions(
      path, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write, failed);
  file << line;
  file.close();
  if (!file || failed) {
    return std::unexpected(
        Error(ErrorKind::local, "the file of users cannot be written").on(path.string()));
  }
  return {};
}

// gss-ntlmssp compares with regard to case, and wants a domain in every line.
Result<void> NtlmUsers::admit(const UserSettings& user, std::string_view client_domain,
                              std::string_view client_name) const {
  std::string_view domain = client_domain.empty() ? user.domain : client_domain;
  if (domain.empty()) domain = "WORKGROUP";
  if (domain.find_first_of(":\n") != std::string_view::npos) {
    return std::unexpected(Error(ErrorKind::authentication, "no such domain"));
  }
  std::string line(domain);
  line.append(":").append(client_name).append(":").append(user.password).append("\n");
  return write(line);
}

void NtlmUsers::select() const {
  const std::string path = (folder_ / "users").string();
  const char* current = std::getenv(users_variable);
  if (current == nullptr || path != current) ::setenv(users_variable, path.c_str(), 1);
}

const UserSettings* NtlmUsers::find(std::string_view domain, std::string_view name) const {
  const auto found = std::ranges::find_if(users_, [&](const UserSettings& user) {
    const bool fits = domain.empty() || user.domain.empty() || same(user.domain, domain);
    return fits && same(user.name, name);
  });
  return found == users_.end() ? nullptr : &*found;
}

StatusOr<std::vector<std::byte>> NtlmAcceptor::step(Bytes client_token) {
  if (complete_) return refuse(NtStatus::invalid_parameter);
  users_.select();
  if (challenged_) return authenticate(client_token);
  // gss-ntlmssp demands the Version that [MS-NLMP] 2.2.1.1 lets a client leave out.
  std::vector<std::byte> negotiate(client_token.begin(), client_token.end());
  if (negotiate.size() >= negotiate_bytes_min) {
    negotiate.resize(std::max(negotiate.size(), negotiate_bytes_min + version_bytes));
  }
  auto challenge = context_.step(negotiate);
  if (!challenge || context_.complete()) return refuse(NtStatus::invalid_parameter);
  challenged_ = true;
  return std::move(*challenge);
}

StatusOr<std::vector<std::byte>> NtlmAcceptor::authenticate(Bytes message) {
  const test::Authenticate token(message);
  if (!token.well_formed()) return refuse(NtStatus::invalid_parameter);
  const auto name = from_utf16le(token.user_utf16());
  const auto domain = from_utf16le(token.domain_utf16());
  if (!name || !domain) return refuse(NtStatus::invalid_parameter);
  logon_.mechanism = gss::name_of(gss::MechanismKind::ntlm);
  logon_.mic = token.has_mic();
  const auto pairs = token.pairs();
  if (const auto target = pairs.find(token.av_target_name); target != pairs.end()) {
    logon_.spn = from_utf16le(target->second).value_or(std::string());
  }
  if (name->empty() && token.nt_response().empty()) {
    if (!users_.allow_anonymous()) return refuse(NtStatus::logon_failure);
    logon_.anonymous = true;
    complete_ = true;
    return std::vector<std::byte>();
  }
  const UserSettings* user = users_.find(*domain, *name);
  const std::string_view shown =
      domain->empty() && user != nullptr ? std::string_view(user->domain) : *domain;
  logon_.user = shown.empty() ? *name : std::string(shown) + '\\' + *name;
  if (user == nullptr) {
    if (!users_.allow_guest()) return refuse(NtStatus::logon_failure);
    logon_.guest = true;
    complete_ = true;
    return std::vector<std::byte>();
  }
  if (!users_.admit(*user, *domain, *name)) return refuse(NtStatus::logon_failure);
  auto last = context_.step(message);
  if (!last || !context_.complete()) {
    const bool garbage = !last && last.error().kind() == ErrorKind::protocol;
    return refuse(garbage ? NtStatus::invalid_parameter : NtStatus::logon_failure);
  }
  complete_ = true;
  return std::move(*last);
}

Result<Logon> NtlmAcceptor::logon() {
  if (has_key() && logon_.session_key.empty()) {
    auto key = context_.session_key();
    if (!key) return std::unexpected(std::move(key.error()));
    logon_.session_key = std::move(*key);
  }
  Logon copy{.user = logon_.user,
             .mechanism = logon_.mechanism,
             .spn = logon_.spn,
             .guest = logon_.guest,
             .anonymous = logon_.anonymous,
             .mic = logon_.mic,
             .session_key = logon_.session_key.clone()};
  return copy;
}

}  // namespace smb3::server
