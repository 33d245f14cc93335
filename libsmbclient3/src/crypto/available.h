// What this machine's OpenSSL offers, and in which order we offer it to a server.
#pragma once

#include "base/algorithms.h"

#include <smbclient3/error.h>

#include <vector>

namespace smb3 {

bool has_cipher(Cipher cipher);
bool has_signing(SigningAlgorithm algorithm);

// Everything that SMB 3.1.1 cannot do without: SHA-512, HMAC-SHA256 and AES-128-CMAC. The error
// says what is missing and where to look. Ciphers are optional here.
Result<> check_crypto();

// What to put into NEGOTIATE ([MS-SMB2] 2.2.3.1.2 and 2.2.3.1.7): what is available, best first.
std::vector<Cipher> preferred_ciphers();
std::vector<SigningAlgorithm> preferred_signing_algorithms();

}  // namespace smb3
