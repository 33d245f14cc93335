// What an operand of smbcp names, and where a copy goes: the rules of cp.
#pragma once

#include <smbclient3/share_path.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace smb3::cli {

// A path on a share or a local one.
struct Place {
  std::optional<SharePath> share;  // empty: local
  std::string local;
  bool trailing_slash = false;

  bool is_local() const noexcept { return !share; }
  const std::string& path() const noexcept { return share ? share->path : local; }
  std::string display() const { return share ? share->display() : local; }
};

// `port`: of a share path, instead of the one that it names; 0: none. Errors: kind local: no good
// share path, or an empty one.
Result<Place> parse_place(std::string_view text, std::uint16_t port = 0);

// The name that the copy of a place has inside a directory. Of a share's root it is the share's
// name; empty for what has none of its own ("/", ".", ".."): its copy is the directory itself.
std::string last_component(const Place& place);

// `name` below `directory`; either may be empty.
std::string join(std::string_view directory, std::string_view name);

// Windows drops a dot or a space at the end of a name: a copy would replace a file of another one.
Result<void> check_end_of_share_name(std::string_view name);

// What was found where the destination is.
struct Destination {
  bool exists = false;
  bool is_directory = false;
  bool trailing_slash = false;
};

enum class TargetRule { below_the_destination, the_destination_itself };

// Errors: not_found, exists: several sources, or a trailing slash, and no directory there.
Result<TargetRule> target_rule(const Destination& destination, std::size_t sources);

// Whether two share paths are the same, or `inner` lies below `outer`, for servers that do not
// tell 'a' from 'A'.
bool is_same_or_below(const SharePath& outer, const SharePath& inner);

// For comparing names on such servers.
std::string folded(std::string_view text);

}  // namespace smb3::cli
