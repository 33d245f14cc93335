// What a user or a URL says: share paths of all three forms, and names on their way to a share.
#include <smbclient3/share_path.h>

#include "base/utf16.h"
#include "fuzz/fuzz.h"
#include "session/open.h"

namespace smb3::fuzz {

// No component may lead elsewhere.
void check_components(std::string_view path) {
  require(!path.starts_with('/') && !path.ends_with('/'), "a path begins or ends with a slash");
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('/'), path.size());
    const std::string_view name = path.substr(0, end);
    require(!name.empty() && name != "." && name != "..", "a component that is none");
    require(name.find_first_of(std::string_view("\\\0", 2)) == name.npos,
            "a name with a separator");
    path.remove_prefix(std::min(end + 1, path.size()));
  }
}

void check_wire_path(std::string_view path) {
  auto wide = wire_path(path);
  if (!wide) return;
  check_components(path);
  auto back = from_utf16le(*wide);
  require(back.has_value(), "a name is sent that is no text");
  std::ranges::replace(*back, '\\', '/');
  require(*back == path, "a name changes on its way");
}

void check_path(std::string_view text) {
  auto path = SharePath::parse(text);
  if (!path) {
    require(path.error().kind() == ErrorKind::local, "an error of another kind");
    return;
  }
  require(SharePath::is_share_path(text), "a share path that is none");
  require(!path->server.empty(), "a share path without a server");
  check_components(path->share);
  check_components(path->path);
  require(path->share.find('/') == std::string::npos, "a share with a slash");
  require(!path->share.empty() || path->path.empty(), "a path without a share");
  check_wire_path(path->path);

  // What a message shows leads to the same place, unless the port stands in it.
  const std::string shown = path->display();
  require(!path->password || path->password->view().size() < 4 ||
              shown.find(path->password->view()) == std::string::npos ||
              ("//" + path->server + "/" + path->share + "/" + path->path)
                      .find(path->password->view()) != std::string::npos,
          "a message shows the password");
  auto again = SharePath::parse(shown);
  if (!again) return;
  require(again->share == path->share && again->path == path->path && again->server == path->server,
          "what is shown leads elsewhere");
}

}  // namespace smb3::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace smb3::fuzz;
  const Exact exact(input_of(data, size));
  check_path(text_of(exact.bytes()));
  check_wire_path(text_of(exact.bytes()));
  return 0;
}
