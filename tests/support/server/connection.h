// One client's TCP connection: frames, credits, signatures, compounds, and the faults of all that.
#pragma once

#include "base/algorithms.h"
#include "crypto/preauth_integrity.h"
#include "reactor/socket.h"
#include "support/server/frame_memory.h"
#include "support/server/outgoing.h"
#include "support/server/request.h"
#include "support/server/sequence_window.h"
#include "support/server/session.h"

#include <smbclient3/task_group.h>

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace smb3::server {

// A frame between its arrival and its last answer.
struct FrameInProgress {
  std::vector<wire::CompoundElement> elements{};
  Chain chain{};
  std::shared_ptr<Protection> sealed_by{};  // none: it came in the clear
  std::optional<NtStatus> refused{};        // all its elements, for the way that they are mixed
  std::vector<Outgoing> answers{};          // not sent yet
};

class Connection {
 public:
  Connection(Server& server, Socket socket, std::uint32_t number);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection();

  Task<void> run();
  // Ends it from outside, at once; run() ends soon after.
  void abort() noexcept;
  // Ends it from inside: nothing more comes in, and what was not sent is dropped.
  void end(FrameEnd how, std::string why);

  Server& server() noexcept { return server_; }
  std::uint32_t number() const noexcept { return number_; }
  // That the client may spend.
  std::uint64_t credits_held() const noexcept { return window_.available(); }
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

  // Connection.SessionTable: also those whose logon goes on.
  std::shared_ptr<Session> session(std::uint64_t id) const;
  void add_session(std::shared_ptr<Session> session);
  // The session has ended, or it leaves this connection.
  void forget_session(std::uint64_t id);
  // Logons by SessionId.
  std::map<std::uint64_t, LogonInProgress> logons;

  // For go_async().
  void send_interim(Request& request);

 private:
  // connection.cpp
  Task<void> receive_loop();
  Task<void> receive_frame();
  Task<void> drain();
  Task<void> fill(std::size_t bytes);
  Task<std::size_t> receive(MutableBytes into, bool all);
  std::uint64_t receivable() const noexcept;
  void check_connection_faults();
  void strike(ConnectionFault::What what);
  void leave_sessions();

  // dispatch.cpp
  Task<void> serve_frame(Frame frame);
  bool open_frame(MutableBytes bytes, FrameInProgress& frame);
  bool read_elements(Bytes message, FrameInProgress& frame);
  Task<void> serve_element(FrameInProgress& frame, std::size_t position);
  bool admit(const wire::CompoundElement& element);
  void log(const Request& request, std::size_t position, std::size_t count);
  Task<Answer> answer_to(Request& request, NtStatus checked);
  static Task<Answer> handle(Request& request);
  void cancel(const Request& request);
  Task<void> pause(Request& request, Duration time);
  void conclude(Request& request, Answer answer);
  static bool must_seal(const Request& request);

  // checks.cpp
  NtStatus check(Request& request);
  NtStatus check_signature(Request& request);
  NtStatus check_session(Request& request);
  NtStatus check_tree(Request& request);
  NtStatus check_chain(const Request& request) const;
  std::shared_ptr<Protection> binding_protection(const Request& request);

  // sending.cpp
  Task<void> send_loop();
  void collect(std::vector<iovec>& pieces);
  Task<void> send_pieces(std::span<const iovec> pieces);
  Task<void> after_batch();
  void clear_queue();
  std::uint16_t grant(const Request& request);
  wire::PacketHeader header_for(const Request& request, const Answer& answer);
  void flush(FrameInProgress& frame);
  void send(std::vector<Outgoing> answers, std::shared_ptr<Protection> seal);
  bool seal(OutgoingFrame& frame, Protection& protection);
  void log_outgoing(const OutgoingFrame& frame, bool sealed);
  void enqueue(std::unique_ptr<OutgoingFrame> frame);
  void enqueue_end(FrameEnd how);
  void fall_silent();

  Server& server_;
  Socket socket_;
  std::uint32_t number_;
  TaskGroup tasks_;
  std::vector<ConnectionFault> faults_;

  // In.
  Operation* receiving_ = nullptr;
  FrameMemory memory_;
  std::vector<std::byte> input_;
  std::size_t input_begin_ = 0, input_end_ = 0;
  std::uint64_t received_bytes_ = 0, received_messages_ = 0;
  SequenceWindow window_;
  std::vector<Request*> requests_;  // that are being carried out
  std::map<std::uint64_t, std::shared_ptr<Session>> sessions_;
  std::uint64_t next_async_id_ = 1;

  // Out.
  Operation* sending_ = nullptr;
  Event sendable_;
  Event drained_;
  std::deque<std::unique_ptr<OutgoingFrame>> queue_;
  std::vector<std::unique_ptr<OutgoingFrame>> batch_;  // being sent
  std::size_t queued_bytes_ = 0;                       // of both
  std::uint64_t sent_bytes_ = 0;

  Event woken_;         // a silent connection waits for its end here
  bool ended_ = false;  // nothing comes in any more
  bool silent_ = false;
  bool draining_ = false;  // FIN was sent; the client's last bytes are thrown away
  FrameEnd how_ended_ = FrameEnd::none;
  std::string why_ended_;
};

}  // namespace smb3::server
