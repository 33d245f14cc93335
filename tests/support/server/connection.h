// One client's TCP connection: frames, credits, signatures, compounds, and the faults of all that.
#pragma once

#include "base/algorithms.h"
#include "crypto/preauth_integrity.h"
#include "reactor/socket.h"
#include "support/server/request.h"
#include "support/server/session.h"

#include <smbclient3/task_group.h>

namespace smb3::server {

class Connection {
 public:
  Connection(Server& server, Socket socket, std::uint32_t number);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection();

  Task<void> run();
  void abort() noexcept { socket_.abort(); }

  Server& server() noexcept { return server_; }
  std::uint32_t number() const noexcept { return number_; }
  // An oplock or lease break, or another message that nobody asked for.
  void notify(Session& session, Tree* tree, Answer message, wire::Command command);

  // [MS-SMB2] 3.3.1.7, as negotiated.
  struct Negotiated {
    bool done = false;
    wire::Guid client_guid;
    Cipher cipher = Cipher::none;
    SigningAlgorithm signing = SigningAlgorithm::aes_128_cmac;
    bool large_mtu = false;
    std::uint32_t max_transact_bytes = 65536, max_read_bytes = 65536, max_write_bytes = 65536;
    std::uint32_t client_capabilities = 0;
    std::uint16_t client_security_mode = 0;
    std::string netname;
  };
  Negotiated negotiated;
  PreauthIntegrity preauth;  // as NEGOTIATE left it

 private:
  Server& server_;
  Socket socket_;
  std::uint32_t number_;
};

}  // namespace smb3::server
