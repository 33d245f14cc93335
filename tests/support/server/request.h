// One element of a frame on its way through the server, and its answer.
#pragma once

#include "base/byte_buffer.h"
#include "reactor/event.h"
#include "support/server/faults.h"
#include "support/server/status.h"
#include "wire/codec.h"
#include "wire/error_response.h"
#include "wire/packet_header.h"

#include <smbclient3/task.h>

#include <memory>
#include <string>
#include <vector>

namespace smb3 {
class PreauthIntegrity;
class Protection;
}  // namespace smb3

namespace smb3::server {

class Server;
class Connection;
struct FrameInProgress;
struct Session;
struct Tree;
struct Open;

// What the elements of one frame hand on to each other ([MS-SMB2] 3.3.5.2.7.2).
struct Chain {
  std::uint64_t session_id = 0;
  std::uint32_t tree_id = 0;
  std::shared_ptr<Open> open;           // of the element before
  NtStatus status = NtStatus::success;  // of the element before
};

struct Request {
  Server& server;
  Connection& connection;
  wire::PacketHeader header;
  Bytes element{};  // from its header on; holds until the answer has been given
  bool sealed = false;
  bool verified = false;  // it carried a signature, and that was right
  bool related = false;
  std::shared_ptr<Session> session{};  // none before there is one
  std::shared_ptr<Tree> tree{};
  Chain& chain;
  std::vector<Fault> faults{};
  // Set by a CANCEL, or when the connection ends: whoever waits gives up.
  Event* cancelled = nullptr;
  bool is_cancelled = false;
  bool is_async = false;
  std::uint64_t async_id = 0;

  // The connection's own.
  FrameInProgress* frame = nullptr;
  std::shared_ptr<Protection> protection{};  // of the session on this connection; none: no keys
  std::string path{};                        // for rules and log, "/" between; as far as known
  std::uint32_t information = 0;             // see FaultMoment

  const Fault* fault(FaultKind kind) const {
    for (const Fault& fault : faults) {
      if (fault.kind == kind) return &fault;
    }
    return nullptr;
  }
};

struct Answer {
  NtStatus status = NtStatus::success;
  // Room for the header, then the body.
  std::unique_ptr<ByteBuffer> message = std::make_unique<ByteBuffer>();
  Bytes payload{};                      // sent behind `message`, from where it lies
  std::shared_ptr<const void> owner{};  // of what `payload` points to
  // Set by the answer itself where that is not the request's: SESSION_SETUP, TREE_CONNECT.
  std::optional<std::uint64_t> session_id{};
  std::optional<std::uint32_t> tree_id{};
  bool none = false;  // nothing is answered (CANCEL)
  // SESSION_SETUP and NEGOTIATE: what signs the answer if it is not what the request was verified
  // with, whether it is signed though the request was not, and the hash chain that it belongs to.
  std::shared_ptr<Protection> protection{};
  bool sign = false;
  std::shared_ptr<PreauthIntegrity> preauth{};

  // An answer with a body; a payload that the wire layer does not copy must outlive it.
  template <wire::Message M>
  static Answer of(const M& body, NtStatus status = NtStatus::success) {
    Answer answer;
    answer.status = status;
    answer.message->extend(wire::header_bytes);
    wire::encode(body, *answer.message, {.payload = &answer.payload});
    return answer;
  }
  static Answer refusal(NtStatus status, wire::ErrorResponse body = {}) {
    Answer answer = of(body, status);
    // What error data it has is copied: it need not live as long as the answer.
    answer.message->append(answer.payload);
    answer.payload = {};
    return answer;
  }
};

// STATUS_PENDING goes out now, and the request goes on as an asynchronous one. Only once a request;
// a second call does nothing.
void go_async(Request& request);

}  // namespace smb3::server
