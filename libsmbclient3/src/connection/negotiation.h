// NEGOTIATE: what the two sides agree on, checked as [MS-SMB2] 3.2.5.2 demands.
#pragma once

#include "base/algorithms.h"
#include "connection/connection.h"
#include "crypto/preauth_integrity.h"
#include "wire/negotiate.h"

#include <string_view>
#include <vector>

namespace smb3 {

// What to do about a server that is too old.
inline constexpr std::string_view only_smb_3_1_1 =
    "this client speaks SMB 3.1.1 and nothing older; enable it on the server";

struct NegotiateOptions {
  std::string server_name;  // as the user gave it: the NETNAME context
  wire::Guid client_guid{};
  bool signing_required = false;
  bool multi_channel = false;  // more connections may follow
  // In order of preference; what another channel of a session agreed on is offered alone.
  std::vector<Cipher> ciphers;
  std::vector<SigningAlgorithm> signing_algorithms;
};

// [MS-SMB2] 3.2.1.2, what a connection knows once it is negotiated.
struct Negotiated {
  wire::Guid server_guid{};
  Cipher cipher = Cipher::none;
  SigningAlgorithm signing = SigningAlgorithm::aes_128_cmac;
  bool signing_required = false;  // by the server
  wire::Capabilities capabilities{};
  std::uint32_t max_transact_bytes = 0;
  std::uint32_t max_read_bytes = 0;
  std::uint32_t max_write_bytes = 0;
  std::vector<std::byte> security_buffer;  // the server's SPNEGO hint
  PreauthIntegrity preauth;
};

// Offers SMB 3.1.1 alone.
Task<Negotiated> negotiate(Connection& connection, NegotiateOptions options);

}  // namespace smb3
