// Reading of share paths: a URL, or one of the two forms with two leading slashes.
#include <smbclient3/share_path.h>

#include "client/server_label.h"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>
#include <utility>

namespace smb3 {
namespace {

constexpr std::string_view scheme = "smb://";

constexpr std::string_view form = "a share path is smb://host/share/path or //host/share/path";

Error bad(std::string what, std::string_view hint = form) {
  return Error(ErrorKind::local, std::move(what)).advise(hint);
}

bool same_letter(char a, char b) {
  auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return lower(a) == lower(b);
}

bool has_scheme(std::string_view text) {
  return text.size() >= scheme.size() &&
         std::ranges::equal(text.substr(0, scheme.size()), scheme, same_letter);
}

bool has_two_leading(std::string_view text, char slash) {
  return text.size() >= 3 && text[0] == slash && text[1] == slash && text[2] != slash;
}

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// `name_it`: whether the message may show the escape, which can be a part of a password.
Result<std::string> percent_decoded(std::string_view text, std::string_view where, bool name_it) {
  std::string decoded;
  decoded.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '%') {
      int high = i + 2 < text.size() ? hex_value(text[i + 1]) : -1;
      int low = i + 2 < text.size() ? hex_value(text[i + 2]) : -1;
      if (high < 0 || low < 0) {
        std::string what = "a bad percent escape ";
        if (name_it) what += "'" + std::string(text.substr(i, 3)) + "' ";
        return std::unexpected(bad(what + "in the " + std::string(where), "%25 is a '%'"));
      }
      c = static_cast<char>(high * 16 + low);
      i += 2;
    }
    if (c == '\0') return std::unexpected(bad("a NUL in the " + std::string(where)));
    decoded += c;
  }
  return decoded;
}

bool is_ipv6_address(const std::string& text) {
  in6_addr address;
  std::string without_zone = text.substr(0, text.find('%'));
  return inet_pton(AF_INET6, without_zone.c_str(), &address) == 1;
}

Result<void> set_server(SharePath& path, std::string server) {
  if (server.empty()) return std::unexpected(bad("the host's name is missing"));
  for (char c : server) {
    if (static_cast<unsigned char>(c) <= ' ' || c == 0x7f ||
        std::string_view("@/\\[]").contains(c)) {
      return std::unexpected(bad("the host's name has a character that no host's name can have"));
    }
  }
  if (server.contains(':') && !is_ipv6_address(server)) {
    return std::unexpected(bad("a ':' in the host's name", "an IPv6 address stands in [ ]"));
  }
  path.server = std::move(server);
  return {};
}

Result<void> set_port(SharePath& path, std::string_view digits) {
  unsigned port = 0;
  auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  // The text is not shown: with a '/' in a password, it is a part of the password.
  if (code != std::errc{} || end != digits.data() + digits.size() || port == 0 || port > 65535) {
    return std::unexpected(bad("the port is not a number from 1 to 65535"));
  }
  path.port = static_cast<std::uint16_t>(port);
  return {};
}

// "[address]" in front of `text`: takes it away.
Result<std::string> bracketed_address(std::string_view& text, bool decode) {
  std::size_t end = text.find(']');
  if (end == std::string_view::npos) return std::unexpected(bad("the ']' of the host is missing"));
  std::string address(text.substr(1, end - 1));
  // RFC 6874 writes the zone's '%' as "%25".
  const auto zone = address.find('%');
  if (decode && zone != address.npos && address.compare(zone, 3, "%25") == 0) {
    address.erase(zone + 1, 2);
  }
  if (!is_ipv6_address(address)) {
    return std::unexpected(bad("what stands in [ ] is not an IPv6 address"));
  }
  text.remove_prefix(end + 1);
  return address;
}

// [[domain;]user[:password]]
Result<void> set_user(SharePath& path, std::string_view text) {
  constexpr std::string_view where = "user or password";
  if (auto colon = text.find(':'); colon != std::string_view::npos) {
    auto password = percent_decoded(text.substr(colon + 1), where, false);
    if (!password) return std::unexpected(std::move(password).error());
    path.password.emplace(*password);
    std::ranges::fill(*password, '\0');
    text = text.substr(0, colon);
  }
  if (auto semicolon = text.find(';'); semicolon != std::string_view::npos) {
    auto domain = percent_decoded(text.substr(0, semicolon), where, false);
    if (!domain) return std::unexpected(std::move(domain).error());
    if (!domain->empty()) path.domain = std::move(*domain);
    text.remove_prefix(semicolon + 1);
  }
  auto user = percent_decoded(text, where, false);
  if (!user) return std::unexpected(std::move(user).error());
  if (!user->empty()) path.user = std::move(*user);
  return {};
}

// [user@]host[:port]
Result<void> set_authority(SharePath& path, std::string_view text) {
  if (auto at = text.rfind('@'); at != std::string_view::npos) {
    if (auto user = set_user(path, text.substr(0, at)); !user) return user;
    text.remove_prefix(at + 1);
  }
  Result<std::string> server;
  if (text.starts_with('[')) {
    server = bracketed_address(text, true);
  } else {
    std::size_t colon = std::min(text.find(':'), text.size());
    server = percent_decoded(text.substr(0, colon), "host", false);
    text.remove_prefix(colon);
  }
  if (!server) return std::unexpected(std::move(server).error());
  if (!text.empty()) {
    if (text.front() != ':') return std::unexpected(bad("something follows the ']' of the host"));
    if (auto port = set_port(path, text.substr(1)); !port) return port;
  }
  return set_server(path, std::move(*server));
}

Result<void> add_component(SharePath& path, std::string name) {
  if (name == ".") return {};
  if (name == "..") return std::unexpected(bad("'..' in the path", "write the path itself"));
  // As text of one component these would name something else than they say.
  if (name.find_first_of("/\\") != std::string::npos) {
    return std::unexpected(bad("a slash inside the name '" + name + "'"));
  }
  if (path.share.empty()) {
    path.share = std::move(name);
  } else {
    if (!path.path.empty()) path.path += '/';
    path.path += name;
  }
  return {};
}

Result<void> set_components(SharePath& path, std::string_view text, std::string_view separators,
                            bool decode) {
  path.trailing_slash = !text.empty() && separators.contains(text.back());
  while (!text.empty()) {
    std::size_t end = std::min(text.find_first_of(separators), text.size());
    Result<std::string> name = std::string(text.substr(0, end));
    if (decode) name = percent_decoded(text.substr(0, end), "path", true);
    if (!name) return std::unexpected(std::move(name).error());
    if (!name->empty()) {
      if (auto added = add_component(path, std::move(*name)); !added) return added;
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return {};
}

// The host of "//host/share": nothing but a name or an address.
Result<void> set_plain_server(SharePath& path, std::string_view text) {
  if (text.starts_with('[')) {
    auto address = bracketed_address(text, false);
    if (!address) return std::unexpected(std::move(address).error());
    if (!text.empty()) return std::unexpected(bad("something follows the ']' of the host"));
    return set_server(path, std::move(*address));
  }
  std::string server(text);
  if (server.contains('@')) {
    return std::unexpected(bad("a user cannot be named here", "use -U or an smb:// URL"));
  }
  if (server.contains(':') && !is_ipv6_address(server)) {
    return std::unexpected(bad("a port cannot be named here", "use --port or smb://"));
  }
  return set_server(path, std::move(server));
}

Result<SharePath> parse_url(std::string_view text) {
  text.remove_prefix(scheme.size());
  std::size_t slash = std::min(text.find('/'), text.size());
  SharePath path;
  if (auto set = set_authority(path, text.substr(0, slash)); !set) {
    // With a '/' in it, what should be a password ends the host.
    const bool cut = text.substr(slash).contains('@');
    Error error = std::move(set).error();
    if (!cut) return std::unexpected(std::move(error));
    return std::unexpected(bad(error.what(), "a '/' in a user name or a password is written %2F"));
  }
  if (auto set = set_components(path, text.substr(slash), "/", true); !set) {
    return std::unexpected(std::move(set).error().on(path.display()));
  }
  return path;
}

Result<SharePath> parse_plain(std::string_view text) {
  // No name on a share holds either of them, so that both can only separate.
  constexpr std::string_view separators = "/\\";
  text.remove_prefix(2);
  std::size_t slash = std::min(text.find_first_of(separators), text.size());
  SharePath path;
  if (auto set = set_plain_server(path, text.substr(0, slash)); !set) {
    return std::unexpected(std::move(set).error());
  }
  if (auto set = set_components(path, text.substr(slash), separators, false); !set) {
    return std::unexpected(std::move(set).error().on(path.display()));
  }
  return path;
}

}  // namespace

bool SharePath::is_share_path(std::string_view text) noexcept {
  return has_scheme(text) || has_two_leading(text, '/') || has_two_leading(text, '\\');
}

Result<SharePath> SharePath::parse(std::string_view text) {
  if (text.contains('\0')) return std::unexpected(bad("a NUL in the path"));
  if (has_scheme(text)) return parse_url(text);
  if (is_share_path(text)) return parse_plain(text);
  return std::unexpected(bad("not a share path"));
}

std::string SharePath::display() const {
  std::string text = "//" + server_label(server, port);
  if (!share.empty()) text += "/" + share;
  if (!path.empty()) text += "/" + path;
  return text;
}

}  // namespace smb3
