#include "support/server/request_moment.h"

#include "base/utf16.h"
#include "support/server/connection.h"
#include "support/server/open.h"
#include "wire/create.h"

#include <algorithm>

namespace smb3::server {
namespace {

using wire::Command;

// Where the FileId of a request lies in its body; 0: it has none.
std::size_t file_id_offset(Command command) {
  switch (command) {
    case Command::close:
    case Command::flush:
    case Command::lock:
    case Command::ioctl:
    case Command::query_directory:
    case Command::change_notify:
    case Command::oplock_break: return 8;
    case Command::read:
    case Command::write:
    case Command::set_info: return 16;
    case Command::query_info: return 24;
    default: return 0;
  }
}

std::string path_of_open(const Request& request) {
  const std::size_t offset = file_id_offset(request.header.command);
  if (offset == 0 || !request.session) return {};
  if (request.related) return request.chain.open ? text_of_path(request.chain.open->path) : "";
  const std::size_t volatile_at = wire::header_bytes + offset + sizeof(std::uint64_t);
  if (request.element.size() < volatile_at + sizeof(std::uint64_t)) return {};
  const auto id = load_le<std::uint64_t>(request.element.data() + volatile_at);
  const auto open = request.session->opens.find(id);
  return open == request.session->opens.end() ? "" : text_of_path(open->second->path);
}

std::string path_of_create(const Request& request) {
  const auto create = wire::decode<wire::CreateRequest>(request.element);
  if (!create) return {};
  std::u16string path(create->name.size() / 2, u'\0');
  for (std::size_t i = 0; i < path.size(); ++i) {
    path[i] = static_cast<char16_t>(load_le<std::uint16_t>(create->name.data() + 2 * i));
  }
  return text_of_path(path);
}

}  // namespace

std::string text_of_path(std::u16string_view path) {
  std::vector<std::byte> units;
  const auto add = [&units](char16_t unit) {
    units.resize(units.size() + 2);
    store_le(units.data() + units.size() - 2, static_cast<std::uint16_t>(unit));
  };
  for (std::size_t i = 0; i < path.size(); ++i) {
    const char16_t unit = path[i];
    const bool pair =
        (unit & 0xFC00) == 0xD800 && i + 1 < path.size() && (path[i + 1] & 0xFC00) == 0xDC00;
    if (pair) {
      add(unit);
      add(path[++i]);
    } else if ((unit & 0xF800) == 0xD800) {
      add(0xFFFD);
    } else {
      add(unit == u'\\' ? u'/' : unit);
    }
  }
  return from_utf16le(units).value_or("");
}

FaultMoment moment_of(const Request& request) {
  FaultMoment moment;
  moment.command = request.header.command;
  moment.connection = request.connection.number();
  moment.path = moment.command == Command::create ? path_of_create(request) : path_of_open(request);
  const Bytes element = request.element;
  if (moment.command == Command::ioctl && element.size() >= wire::header_bytes + 8) {
    moment.information = load_le<std::uint32_t>(element.data() + wire::header_bytes + 4);
  } else if ((moment.command == Command::query_info || moment.command == Command::set_info) &&
             element.size() >= wire::header_bytes + 4) {
    moment.information = std::to_integer<std::uint32_t>(element[wire::header_bytes + 3]);
  }
  return moment;
}

}  // namespace smb3::server
