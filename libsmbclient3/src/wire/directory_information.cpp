#include "wire/directory_information.h"

namespace smb3::wire {

const char* why_not_a_component(Bytes name) {
  if (name.empty()) return "a name is empty";
  if (name.size() % 2) return "a name has an odd number of bytes";
  for (std::size_t at = 0; at < name.size(); at += 2) {
    switch (load_le<std::uint16_t>(name.data() + at)) {
      case u'/': return "a name contains a slash";
      case u'\\': return "a name contains a backslash";
      case 0: return "a name contains a NUL";
      default: break;
    }
  }
  return nullptr;
}

}  // namespace smb3::wire
