#include "credentials.h"

#include <arpa/inet.h>

#include <utility>

namespace smb3::cli {
namespace {

NamedUser clone(const NamedUser& user) {
  NamedUser copy;
  copy.domain = user.domain;
  copy.user = user.user;
  if (user.password) copy.password = user.password->clone();
  return copy;
}

bool is_address(const std::string& server) {
  in6_addr address;  // large enough for both
  std::string without_zone = server.substr(0, server.find('%'));
  return inet_pton(AF_INET, server.c_str(), &address) == 1 ||
         inet_pton(AF_INET6, without_zone.c_str(), &address) == 1;
}

bool is_set(const char* value) { return value != nullptr && *value != '\0'; }

}  // namespace

std::string Login::user_label() const { return domain.empty() ? user : domain + "\\" + user; }

Credentials Login::with_password(SecretString password) const {
  Credentials complete = credentials.clone();
  complete.domain = domain;
  complete.user = user;
  complete.password = std::move(password);
  return complete;
}

Logins::Logins(CredentialOptions options, Environment environment)
    : options_(std::move(options)), environment_(std::move(environment)) {}

Result<void> Logins::check_file() {
  if (file_ || options_.authentication_file.empty()) return {};
  auto user = read_authentication_file(options_.authentication_file);
  if (!user) return std::unexpected(std::move(user).error());
  file_ = std::move(*user);
  return {};
}

Logins::Chosen Logins::choose(const SharePath& where) const {
  if (where.user) {
    // A name inside the URL may bring its domain along as it may elsewhere.
    Chosen chosen{parse_user_name(*where.user), Origin::url};
    if (where.domain) chosen.user = NamedUser{*where.domain, *where.user, {}};
    if (where.password) chosen.user.password = where.password->clone();
    return chosen;
  }
  if (options_.user) return {clone(*options_.user), Origin::command_line};
  if (file_ && !file_->user.empty()) return {clone(*file_), Origin::file};
  if (const char* user = environment_("USER"); is_set(user)) {
    return {parse_user(user), Origin::environment};
  }
  return {};
}

std::string Logins::domain_for(const NamedUser& user, const SharePath& where) const {
  if (!user.domain.empty() || user.user.contains('@')) return user.domain;
  if (file_ && file_->user.empty() && !file_->domain.empty()) return file_->domain;
  return where.domain.value_or(options_.workgroup);
}

// For a user that came without one: nobody's in particular.
Result<std::optional<SecretString>> Logins::other_password() {
  if (options_.password) return options_.password->clone();
  if (file_ && file_->user.empty() && file_->password) return file_->password->clone();
  if (!environment_was_read_) {
    if (const char* number = environment_("PASSWD_FD"); is_set(number)) {
      auto password = read_password_descriptor(number);
      if (!password) return std::unexpected(std::move(password).error().on("PASSWD_FD"));
      environment_password_ = std::move(*password);
    } else if (const char* path = environment_("PASSWD_FILE"); is_set(path)) {
      auto password = read_password_file(path);
      if (!password) return std::unexpected(std::move(password).error());
      environment_password_ = std::move(*password);
    } else if (const char* text = environment_("PASSWD"); text != nullptr) {
      environment_password_.emplace(text);
    }
    environment_was_read_ = true;
  }
  if (environment_password_) return environment_password_->clone();
  return std::optional<SecretString>();
}

Result<Login> Logins::login_for(const SharePath& where) {
  if (auto loaded = check_file(); !loaded) return std::unexpected(std::move(loaded).error());
  Login login;
  Credentials& credentials = login.credentials;
  KerberosUse otherwise = options_.ccache.empty() ? KerberosUse::desired : KerberosUse::required;
  credentials.kerberos = options_.kerberos.value_or(otherwise);
  if (options_.guest) {
    credentials.guest = true;
    credentials.password.emplace();
    return login;
  }

  Chosen chosen = choose(where);
  bool named = chosen.origin != Origin::environment && chosen.origin != Origin::nowhere;
  // The environment names everybody: it does not tell that -N wants to be somebody.
  if ((named && chosen.user.user.empty()) || (options_.no_password && !named)) {
    credentials.anonymous = true;
    credentials.password.emplace();
    return login;
  }

  login.user = chosen.user.user;
  login.domain = domain_for(chosen.user, where);
  if (options_.no_password) {
    credentials.password.emplace();
  } else if (chosen.user.password) {
    credentials.password = std::move(chosen.user.password);
  } else {
    auto password = other_password();
    if (!password) return std::unexpected(std::move(password).error());
    credentials.password = std::move(*password);
  }

  bool ticket_may_do = credentials.kerberos == KerberosUse::required ||
                       (credentials.kerberos == KerberosUse::desired && !is_address(where.server));
  login.may_ask = !credentials.password && !login.user.empty();
  login.must_ask = !credentials.password && !ticket_may_do;
  if (named || credentials.password || !ticket_may_do) {
    credentials.domain = login.domain;
    credentials.user = login.user;
  }
  return login;
}

}  // namespace smb3::cli
