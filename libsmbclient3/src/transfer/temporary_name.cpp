#include "transfer/temporary_name.h"

#include <array>

namespace smb3 {

std::string temporary_name(Reactor& reactor) {
  std::array<std::byte, 8> chance;
  reactor.random(chance);
  std::string name = ".smbcp-";
  constexpr char digits[] = "0123456789abcdef";
  for (std::byte byte : chance) {
    name += digits[std::to_integer<unsigned>(byte) >> 4];
    name += digits[std::to_integer<unsigned>(byte) & 15];
  }
  return name + ".part";
}

std::string beside(std::string_view path, std::string_view name) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return std::string(name);
  return std::string(path.substr(0, slash + 1)) + std::string(name);
}

}  // namespace smb3
