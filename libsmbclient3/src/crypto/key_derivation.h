// The keys of a session and of its channels, [MS-SMB2] 3.1.4.2.
#pragma once

#include "base/algorithms.h"
#include "base/bytes.h"
#include "crypto/preauth_integrity.h"
#include "crypto/secret.h"

#include <smbclient3/error.h>

#include <cstddef>
#include <string_view>

namespace smb3 {

struct SessionKeys {
  Key signing;      // also the signing key of the channel that the session was made on
  Key application;  // [MS-SMB2] 3.2.1.3, for protocols above SMB
  Key encryption;   // client to server; empty without a cipher
  Key decryption;   // server to client; empty without a cipher
};

// `full_session_key` is what the authentication mechanism exports, unshortened; `preauth` ends with
// the last SESSION_SETUP request. An empty session key (guest, anonymous) is refused.
Result<SessionKeys> derive_session_keys(Bytes full_session_key, Cipher cipher,
                                        const PreauthIntegrity& preauth);

// For a channel that was bound to a session ([MS-SMB2] 3.2.5.3.3): the key that the authentication
// of the binding exports and the chain of the binding on its own connection.
Result<Key> derive_channel_signing_key(Bytes full_session_key, const PreauthIntegrity& binding);

// SP800-108 in counter mode, one iteration: HMAC-SHA256(kdk, 1 || label || 0 || context || bits).
// `label` includes its terminating NUL. Precondition: size <= 32.
Result<Key> derive_key(Bytes kdk, std::string_view label, Bytes context, std::size_t size);
// The same with the fixed input already put together.
Result<Key> derive_key(Bytes kdk, Bytes fixed_input, std::size_t size);

}  // namespace smb3
