#include "options.h"

#include <charconv>
#include <chrono>
#include <cstring>
#include <string_view>
#include <utility>

namespace smb3::cli {
namespace {

Error bad_value(std::string what) { return Error(ErrorKind::local, std::move(what)); }

Result<KerberosUse> parse_kerberos(std::string_view value) {
  if (value == "desired") return KerberosUse::desired;
  if (value == "required") return KerberosUse::required;
  if (value == "off") return KerberosUse::off;
  return std::unexpected(bad_value("it is desired, required or off"));
}

Result<ProgressMode> parse_progress(const char* value) {
  if (value == nullptr || std::strcmp(value, "always") == 0) return ProgressMode::always;
  if (std::strcmp(value, "auto") == 0) return ProgressMode::automatic;
  if (std::strcmp(value, "never") == 0) return ProgressMode::never;
  return std::unexpected(bad_value("it is auto, always or never"));
}

template <class Number>
bool parse_number(std::string_view text, Number& number) {
  auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  return code == std::errc{} && end == text.data() + text.size();
}

Result<std::uint16_t> parse_port(std::string_view text) {
  unsigned port = 0;
  if (!parse_number(text, port) || port == 0 || port > 65535) {
    return std::unexpected(bad_value("it is a number from 1 to 65535"));
  }
  return static_cast<std::uint16_t>(port);
}

Result<std::chrono::milliseconds> parse_seconds(std::string_view text) {
  constexpr double seconds_max = 86'400;
  double seconds = 0;
  if (!parse_number(text, seconds) || !(seconds >= 0.001 && seconds <= seconds_max)) {
    return std::unexpected(bad_value("it is a number of seconds from 0.001 to 86400"));
  }
  return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
}

// 0: as many as help.
Result<unsigned> parse_channels(std::string_view text) {
  constexpr unsigned channels_max = 64;
  if (text == "auto") return 0U;
  unsigned channels = 0;
  if (!parse_number(text, channels) || channels == 0 || channels > channels_max) {
    return std::unexpected(bad_value("it is auto, or a number from 1 to 64"));
  }
  return channels;
}

Result<std::vector<std::string>> parse_interfaces(std::string_view text) {
  std::vector<std::string> interfaces;
  while (true) {
    const std::size_t end = std::min(text.find(','), text.size());
    if (end == 0) return std::unexpected(bad_value("a name or an address is empty"));
    interfaces.emplace_back(text.substr(0, end));
    if (end == text.size()) return interfaces;
    text.remove_prefix(end + 1);
  }
}

// Stores what a parser made of the value.
template <class Target, class T>
Result<void> store(Target& target, Result<T> value) {
  if (!value) return std::unexpected(std::move(value).error());
  target = std::move(*value);
  return {};
}

Result<void> store_path(std::string& target, const char* value) {
  if (*value == '\0') return std::unexpected(bad_value("it is empty"));
  target = value;
  return {};
}

}  // namespace

std::vector<Option> credential_options(CommonOptions& options) {
  CredentialOptions& login = options.credentials;
  return {
      {'U', "user", Takes::value, "[DOMAIN\\]USER[%PASSWORD]",
       "log on as this user; also DOMAIN/USER and USER@REALM",
       [&login](char* value) {
         login.user = parse_user(value);
         if (char* percent = std::strchr(value, '%')) overwrite(percent + 1);
         return Result<void>();
       }},
      {0, "password", Takes::value, "PASSWORD", "the password of a user that is named without one",
       [&login](char* value) {
         login.password.emplace(value);
         overwrite(value);
         return Result<void>();
       }},
      {'A', "authentication-file", Takes::value, "FILE",
       "lines 'username = ', 'password = ', 'domain = '",
       [&login](char* value) { return store_path(login.authentication_file, value); }},
      flag('N', "no-pass", "use no password; without a user: log on as nobody", login.no_password),
      flag('a', "guest", "log on as guest", login.guest),
      {'W', "workgroup", Takes::value, "DOMAIN", "the domain of a user that is named without one",
       [&login](char* value) {
         login.workgroup = value;
         return Result<void>();
       }},
      {0, "use-kerberos", Takes::value, "desired|required|off",
       "desired (default): where a ticket, a keytab, or a\npassword with a realm is at hand, else "
       "NTLM",
       [&login](char* value) { return store(login.kerberos, parse_kerberos(value)); }},
      {0, "use-krb5-ccache", Takes::value, "CCACHE", "the ticket cache; Kerberos is required then",
       [&login](char* value) { return store_path(login.ccache, value); }},
  };
}

std::vector<Option> connection_options(CommonOptions& options) {
  ClientOptions& client = options.client;
  return {
      {0, "port", Takes::value, "PORT", "the server's TCP port (445)",
       [&client](char* value) { return store(client.port, parse_port(value)); }},
      {0, "address", Takes::value, "IP", "connect there, and keep the server's name",
       [&client](char* value) { return store_path(client.address, value); }},
      {0, "channels", Takes::value, "N|auto",
       "connections of a session; auto (default): as many as\nhelp, 1: no more than the first",
       [&client](char* value) { return store(client.channels, parse_channels(value)); }},
      {0, "interface", Takes::value, "NAME-OR-ADDRESS[,...]",
       "start further connections only from these",
       [&client](char* value) { return store(client.interfaces, parse_interfaces(value)); }},
      flag(0, "sign", "fail unless everything is signed or encrypted", client.sign),
      {0, "timeout", Takes::value, "SECONDS",
       "the longest silence of the server, and the longest\nconnect (30)",
       [&client](char* value) { return store(client.timeout, parse_seconds(value)); }},
      {0, "keylog", Takes::value, "FILE",
       "write the session keys, for a decoder of captures,\nto this new file",
       [&client](char* value) { return store_path(client.keylog_file, value); }},
  };
}

std::vector<Option> output_options(CommonOptions& options) {
  return {
      {'v', "verbose", Takes::nothing, "",
       "name every file that is copied, and every\nconnection at the end",
       [&options](char*) {
         options.verbosity = Verbosity::verbose;
         return Result<void>();
       }},
      {'q', "quiet", Takes::nothing, "", "say nothing but errors",
       [&options](char*) {
         options.verbosity = Verbosity::quiet;
         return Result<void>();
       }},
      {0, "progress", Takes::maybe_value, "auto|always|never",
       "show progress; auto (default): on a terminal",
       [&options](char* value) { return store(options.progress, parse_progress(value)); }},
      flag(0, "json", "write one object with the results at the end", options.json),
      flag('V', "version", "show the version", options.show_version),
  };
}

std::string exit_code_help() {
  return "Exit codes:\n"
         "    0  all done\n"
         "    1  a file failed (missing, denied, exists, disk full, ...), or some of several\n"
         "    2  wrong usage, an unreadable file of credentials, or io_uring refused\n"
         "    3  the server cannot be found or reached, or the connection was lost\n"
         "    4  the logon or the share was refused\n"
         "    5  the server broke the protocol, or a demand for security was not met\n"
         "  130  interrupted (SIGINT); 143 by SIGTERM\n";
}

std::vector<std::string> take_operands(const std::vector<char*>& operands) {
  std::vector<std::string> taken;
  for (char* operand : operands) {
    taken.emplace_back(operand);
    overwrite_url_password(operand);
  }
  return taken;
}

bool asks_for_json(int argc, char** argv) noexcept {
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--") == 0) return false;
    if (std::strcmp(argv[i], "--json") == 0) return true;
  }
  return false;
}

}  // namespace smb3::cli
