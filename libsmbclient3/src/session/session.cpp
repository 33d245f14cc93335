#include "session/session.h"

#include "wire/logoff.h"

#include <algorithm>

namespace smb3 {
namespace {

// [MS-SMB2] 3.2.4.1 and 3.2.7.1: what may be asked for once more, though it may have been done.
// CREATE may where its caller says so; a listing's position is the caller's concern.
Repetition repetition_of(wire::Command command) noexcept {
  switch (command) {
    case wire::Command::write:
    case wire::Command::set_info:
    case wire::Command::ioctl: return Repetition::marked;
    case wire::Command::read:
    case wire::Command::flush:
    case wire::Command::close:
    case wire::Command::query_info:
    case wire::Command::tree_connect: return Repetition::plain;
    default: return Repetition::never;
  }
}

}  // namespace

Session::~Session() = default;

void Session::prepare(Request& request, bool tree_seals, bool must_sign) {
  request.session_id = id_;
  request.repetition = repetition_of(request.command);
  if (guest_) {
    request.level = ProtectionLevel::plain;
  } else if (seals_ || tree_seals) {
    request.level = ProtectionLevel::seal;
  } else {
    request.level = signs_ || must_sign ? ProtectionLevel::sign : ProtectionLevel::plain;
  }
}

void Session::announce(std::uint64_t bytes, const TreeConnect& tree) {
  if (on_announcement) on_announcement(bytes, tree);
}

void Session::add_open(OpenRecord& open) {
  opens_.push_back(&open);
  for (const auto& channel : channels_) {
    if (channel->is_usable()) channel->connection().add_open(open);
  }
}

void Session::remove_open(OpenRecord& open) noexcept {
  std::erase(opens_, &open);
  for (const auto& channel : channels_) {
    if (channel->is_attached()) channel->connection().remove_open(open);
  }
}

Task<void> Session::logoff() {
  if (usable_channels() == 0) co_return;
  Request request;
  request.set(wire::LogoffRequest{});
  prepare(request);
  Exchange exchange(request);
  auto answered = co_await attempt(send(exchange));
  static_cast<void>(answered);  // the session ends with the connections in any case
}

}  // namespace smb3
