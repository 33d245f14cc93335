#include "session/session.h"

#include "wire/logoff.h"

namespace smb3 {

Session::~Session() {
  if (protection_) connection_.detach(*protection_);
}

void Session::prepare(Request& request, bool tree_seals, bool must_sign) {
  request.session_id = id_;
  request.protection = protection_.get();
  if (!protection_) {
    request.level = ProtectionLevel::plain;
  } else if (seals_ || tree_seals) {
    request.level = ProtectionLevel::seal;
  } else {
    request.level = signs_ || must_sign ? ProtectionLevel::sign : ProtectionLevel::plain;
  }
}

Task<void> Session::logoff() {
  if (connection_.has_failed()) co_return;
  Request request;
  request.set(wire::LogoffRequest{});
  prepare(request);
  Exchange exchange(request);
  auto answered = co_await connection_.transact(exchange);
  static_cast<void>(answered);  // the session ends with the connection in any case
}

}  // namespace smb3
