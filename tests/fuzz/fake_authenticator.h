// A logon without GSSAPI: whatever the server says is taken, and the key is known to both sides.
// A program that is linked with it has this make_authenticator() in place of the library's.
#pragma once

#include "base/bytes.h"

namespace smb3::fuzz {

// The key of every session that is not anonymous.
Bytes known_session_key();

// A server's token that begins so makes the logon go on; any other ends it.
inline constexpr std::byte another_leg{'+'};

}  // namespace smb3::fuzz
