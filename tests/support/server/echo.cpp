// ECHO: [MS-SMB2] 3.3.5.17.
#include "wire/echo.h"

#include "support/server/handlers.h"

namespace smb3::server {

Task<Answer> echo(Request& request) {
  if (!wire::decode<wire::EchoRequest>(request.element)) {
    co_return Answer::refusal(NtStatus::invalid_parameter);
  }
  co_return Answer::of(wire::EchoResponse{});
}

}  // namespace smb3::server
