// What a server is: its shares, users, limits and demands. Read from JSON and options, then fixed.
#pragma once

#include "base/algorithms.h"
#include "support/server/faults.h"
#include "wire/network_interface.h"
#include "wire/tree_connect.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace smb3::server {

enum class StoreKind : std::uint8_t { memory, folder, null };

struct ShareSettings {
  std::string name;
  StoreKind store = StoreKind::memory;
  std::string folder;                     // of StoreKind::folder
  std::uint64_t size_bytes = 1ULL << 40;  // where the disk is full; of memory and null
  std::uint64_t null_file_bytes = 0;      // StoreKind::null: what every name that is read has
  bool read_only = false;
  bool encrypt = false;
  bool guest_ok = false;
  wire::ShareType type = wire::ShareType::disk;
  wire::ShareFlags flags = wire::ShareFlags::none;  // encrypt_data is added by `encrypt`
  wire::ShareCapabilities capabilities = wire::ShareCapabilities::none;
  // Other nodes own it: a TREE_CONNECT with REDIRECT_TO_OWNER is answered with these addresses.
  std::vector<std::string> redirect_addresses;
  bool redirect_synchronous = true;
};

struct UserSettings {
  std::string domain;
  std::string name;
  std::string password;
};

enum class SigningPolicy : std::uint8_t { enabled, required };

struct ServerSettings {
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;  // 0: any that is free
  std::string name = "TESTSERVER";
  std::vector<ShareSettings> shares;
  std::vector<UserSettings> users;
  std::string keytab;        // Kerberos by this file; empty: NTLM only
  bool allow_guest = false;  // an unknown user becomes guest
  bool allow_anonymous = false;
  SigningPolicy signing = SigningPolicy::enabled;
  // Preferred first; the first that the client offers too is taken.
  std::vector<SigningAlgorithm> signing_algorithms = {SigningAlgorithm::aes_128_gmac,
                                                      SigningAlgorithm::aes_128_cmac,
                                                      SigningAlgorithm::hmac_sha256};
  std::vector<Cipher> ciphers = {Cipher::aes_128_gcm, Cipher::aes_128_ccm, Cipher::aes_256_gcm,
                                 Cipher::aes_256_ccm};
  bool encrypt = false;  // every session
  bool multichannel = true;
  bool persistent_handles = true;
  bool leasing = true;
  bool large_mtu = true;
  std::uint32_t max_transact_bytes = 8 << 20;
  std::uint32_t max_read_bytes = 8 << 20;
  std::uint32_t max_write_bytes = 8 << 20;
  std::uint16_t credits_max = 8192;                    // that a client may hold
  std::optional<std::uint32_t> session_lifetime_ms;    // then NETWORK_SESSION_EXPIRED
  std::vector<wire::NetworkInterfaceInfo> interfaces;  // of the interface query
  // Refuse what the standard refuses, also where well-known servers are lenient.
  bool strict = false;
  FaultScript faults;
};

}  // namespace smb3::server
