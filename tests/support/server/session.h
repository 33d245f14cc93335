// Sessions, channels and tree connects of a server: [MS-SMB2] 3.3.1.8, 3.3.1.13, 3.3.1.9.
#pragma once

#include "connection/protection.h"
#include "crypto/key_derivation.h"
#include "crypto/nonce.h"
#include "reactor/operation.h"
#include "support/server/acceptor.h"
#include "support/server/share.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace smb3::server {

class Connection;
struct Open;
struct Session;

struct Tree {
  std::uint32_t id = 0;
  std::shared_ptr<Share> share;
  bool encrypt = false;
  wire::AccessMask maximal_access = wire::AccessMask::none;
};

// A connection that carries a session, with its own signing key.
struct Channel {
  Connection* connection = nullptr;
  std::shared_ptr<Protection> protection{};  // none for guest and anonymous
};

// A logon between its first SESSION_SETUP and its last: [MS-SMB2] 3.3.5.5. Belongs to a connection.
struct LogonInProgress {
  enum class Kind : std::uint8_t { session, binding, reauthentication } kind = Kind::session;
  std::shared_ptr<Session> session{};
  std::unique_ptr<Acceptor> acceptor{};
  std::shared_ptr<PreauthIntegrity> preauth{};  // none for a reauthentication
  std::shared_ptr<Protection> protection{};     // of a binding: the session's own signing key
};

enum class SessionState : std::uint8_t { in_progress, valid, expired };

struct Session {
  std::uint64_t id = 0;
  SessionState state = SessionState::in_progress;
  Logon logon;
  wire::Guid client_guid;
  bool encrypt = false;  // every request
  bool signing_required = false;
  TimePoint expires = never;
  Cipher cipher = Cipher::none;  // of all its connections
  SigningAlgorithm signing = SigningAlgorithm::aes_128_cmac;
  std::optional<SessionKeys> keys;  // none for guest and anonymous
  NonceSource nonces;
  std::map<const Connection*, Channel> channels;
  std::map<std::uint32_t, std::shared_ptr<Tree>> trees;
  std::map<std::uint64_t, std::shared_ptr<Open>> opens;  // by the volatile part of the FileId
  std::uint32_t next_tree_id = 1;
};

}  // namespace smb3::server
