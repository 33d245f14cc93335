#include "place.h"

#include <utility>

namespace smb3::cli {
namespace {

constexpr std::string_view file_prefix = "file:";

std::string_view without_trailing_slashes(std::string_view path) {
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  return path;
}

}  // namespace

Result<Place> parse_place(std::string_view text, std::uint16_t port) {
  Place place;
  if (SharePath::is_share_path(text)) {
    auto share = SharePath::parse(text);
    if (!share) return std::unexpected(std::move(share).error());
    if (share->share.empty()) {
      return std::unexpected(
          Error(ErrorKind::local, "a server alone cannot be copied; a share is missing")
              .on(share->display()));
    }
    if (port != 0) share->port = port;
    place.trailing_slash = share->trailing_slash;
    place.share = std::move(*share);
    return place;
  }
  if (text.starts_with(file_prefix)) text.remove_prefix(file_prefix.size());
  if (text.empty()) return std::unexpected(Error(ErrorKind::local, "an empty path"));
  place.local = text;
  place.trailing_slash = text.ends_with('/');
  return place;
}

std::string last_component(const Place& place) {
  std::string_view path = place.path();
  if (place.share && path.empty()) return place.share->share;
  path = without_trailing_slashes(path);
  if (auto slash = path.rfind('/'); slash != path.npos) path.remove_prefix(slash + 1);
  return path == "." || path == ".." ? "" : std::string(path);
}

std::string join(std::string_view directory, std::string_view name) {
  if (directory.empty()) return std::string(name);
  if (name.empty()) return std::string(directory);
  std::string path(directory);
  if (!path.ends_with('/')) path += '/';
  return path.append(name);
}

Result<void> check_end_of_share_name(std::string_view name) {
  if (!name.ends_with('.') && !name.ends_with(' ')) return {};
  return std::unexpected(
      Error(ErrorKind::local, "no file on a share can have a name that ends in a dot or a space")
          .advise("Windows drops both; give the copy another name"));
}

Result<TargetRule> target_rule(const Destination& destination, std::size_t sources) {
  if (destination.exists && destination.is_directory) return TargetRule::below_the_destination;
  if (sources > 1) {
    return std::unexpected(
        destination.exists
            ? Error(ErrorKind::exists, "not a directory, and several sources need one")
            : Error(ErrorKind::not_found, "no such directory, and several sources need one"));
  }
  if (destination.exists && destination.trailing_slash) {
    return std::unexpected(Error(ErrorKind::exists, "not a directory"));
  }
  return TargetRule::the_destination_itself;
}

std::string folded(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  }
  return out;
}

bool is_same_or_below(const SharePath& outer, const SharePath& inner) {
  auto port = [](const SharePath& path) { return path.port == 0 ? 445 : path.port; };
  if (folded(outer.server) != folded(inner.server) || port(outer) != port(inner) ||
      folded(outer.share) != folded(inner.share)) {
    return false;
  }
  std::string outside = folded(outer.path), inside = folded(inner.path);
  return outside.empty() || outside == inside || inside.starts_with(outside + "/");
}

}  // namespace smb3::cli
