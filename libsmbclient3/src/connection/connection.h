// One transport connection: frames out, frames in, and who waits for which: [MS-SMB2] 3.2.1.2.
#pragma once

#include "connection/frame_buffer.h"
#include "connection/open_record.h"
#include "connection/protection.h"
#include "connection/request.h"
#include "connection/request_table.h"
#include "connection/sequence_window.h"
#include "reactor/buffer_pool.h"
#include "reactor/event.h"
#include "reactor/reactor.h"
#include "reactor/resolve.h"
#include "reactor/socket.h"

#include <smbclient3/task_group.h>

#include <memory>
#include <string>
#include <sys/uio.h>
#include <vector>

namespace smb3 {

struct ConnectionOptions {
  std::string server_label;  // for messages: the name, and the port where it is not 445
  // The longest silence while something is outstanding, and the longest connect.
  Duration timeout = std::chrono::seconds(30);
};

// Lives on its reactor's thread. One coroutine writes the socket and one reads it, whole frames
// only. Any fault of the peer, the network or the clock fails the connection as a whole: every
// exchange then ends with the same error.
class Connection {
 public:
  // Tries the endpoints in turn, from the local address if one is given.
  static Task<std::unique_ptr<Connection>> open(Reactor& reactor, BufferPool& pool,
                                                std::vector<Endpoint> endpoints,
                                                ConnectionOptions options,
                                                std::optional<LocalInterface> local = std::nullopt,
                                                EarlyEnd* early_end = nullptr);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection();  // precondition: close() has ended

  // Awaitable, yields Result<void>: sends the frame as soon as there are credits for it, and ends
  // when every request in it has its reply. At most one error: the connection's.
  auto transact(Exchange& exchange) noexcept {
    struct Transact {
      Connection& connection;
      Exchange& exchange;
      bool await_ready() { return connection.refuse_if_failed(exchange); }
      void await_suspend(std::coroutine_handle<> handle) {
        exchange.waiter_ = handle;
        connection.enqueue(exchange);
      }
      Result<void> await_resume() {
        if (!exchange.failure) return {};
        return std::unexpected(std::move(*exchange.failure));
      }
    };
    return Transact{*this, exchange};
  }

  // Asks the server to end a request early ([MS-SMB2] 3.2.4.24). Its reply still comes.
  void cancel(const Request& request);
  // The same for everything that the server has said will take long.
  void cancel_pending();

  // Ends everything with this error, now. Later calls change nothing.
  void fail(Error error);
  // Fails what is left and waits until nothing of ours runs any longer. Once.
  Task<void> close();

  bool has_failed() const noexcept { return failure_.has_value(); }
  const std::optional<Error>& failure() const noexcept { return failure_; }
  // Comes with the failure: for waits that are not for an answer of the server's.
  EarlyEnd& early_end() noexcept { return early_end_; }

  // The longest silence from now on.
  void set_patience(Duration longest_silence);

  // The largest CreditCharge that can be hoped for now, at least 1.
  std::uint32_t charge_limit() const noexcept;

  // After NEGOTIATE.
  void set_negotiated(bool large_mtu) noexcept;

  // A session's keys, used for its requests and to know its sealed frames. They stay the session's.
  void attach(Protection& protection) { protections_.push_back(&protection); }
  void detach(Protection& protection) noexcept { std::erase(protections_, &protection); }

  // The opens that an oplock break may name.
  void add_open(OpenRecord& open) { opens_.push_back(&open); }
  void remove_open(OpenRecord& open) noexcept { std::erase(opens_, &open); }

  Reactor& reactor() const noexcept { return reactor_; }
  BufferPool& pool() const noexcept { return pool_; }
  const ConnectionOptions& options() const noexcept { return options_; }
  TimePoint deadline() const noexcept { return reactor_.now() + options_.timeout; }
  Endpoint local_endpoint() const { return reactor_.local_endpoint_of(socket_.fd()); }
  Endpoint remote_endpoint() const { return reactor_.remote_endpoint_of(socket_.fd()); }
  const std::string& local_address() const noexcept { return local_address_; }
  const std::string& remote_address() const noexcept { return remote_address_; }

  // Of files, both ways.
  std::uint64_t payload_bytes() const noexcept { return payload_bytes_; }

 private:
  Connection(Reactor& reactor, BufferPool& pool, Socket socket, ConnectionOptions options);

  // connection.cpp
  bool refuse_if_failed(Exchange& exchange);
  void enqueue(Exchange& exchange);
  void answered(Request& request);
  void finish_if_over(Exchange& exchange);
  void end_with_failure(Exchange& exchange);
  Task<void> send_one_way(std::unique_ptr<Request> request);

  // send.cpp
  Task<void> send_loop();
  Task<void> send_batch();
  bool fill_lost_payloads();
  bool can_send(Exchange& exchange);
  Result<void> add_to_batch(Exchange& exchange);
  void write_header(Request& request, const Exchange& exchange, std::size_t position,
                    std::size_t element_bytes);
  Result<void> seal_into_batch(Exchange& exchange, std::span<const Bytes> pieces,
                               std::size_t frame_bytes);
  MutableBytes sealed_room(std::size_t bytes);
  void fail_starved();

  // receive.cpp
  Task<void> receive_loop();
  Error ended_by(Error error);
  Task<void> receive_frame();
  Result<void> handle_frame(const FrameBuffer& buffer, MutableBytes frame);
  Result<void> handle_element(const FrameBuffer& buffer, const wire::CompoundElement& element,
                              Protection* sealed_by);
  Result<void> check_identity(const Request& request, const wire::PacketHeader& header);
  Result<void> check_protection(Request& request, const wire::PacketHeader& header, Bytes element,
                                Protection* sealed_by);
  Result<void> handle_interim(Request& request, const wire::PacketHeader& header,
                              Protection* sealed_by);
  Result<void> handle_break(Bytes element);
  Task<void> acknowledge_break(OpenRecord open, std::uint8_t level);
  Protection* protection_of(std::uint64_t session_id) noexcept;
  void count_payload(const Request& request, NtStatus status, Bytes element) noexcept;

  // liveness.cpp
  SocketProgress progress();
  Task<void> echo();
  void watch();
  void set_watch();
  void check_silence();

  // Do not change once the connection stands.
  Reactor& reactor_;
  BufferPool& pool_;
  const ConnectionOptions options_;
  Socket socket_;
  std::string local_address_;
  std::string remote_address_;

  FrameBuffers buffers_;
  SequenceWindow window_;
  RequestTable table_;
  bool negotiated_ = false;
  bool large_mtu_ = false;
  bool large_frames_sealed_ = false;  // the last one was, so the next one will be
  std::vector<Protection*> protections_;
  std::vector<OpenRecord*> opens_;
  std::optional<Error> failure_;
  EarlyEnd early_end_;
  std::uint64_t payload_bytes_ = 0;

  // The send queue, first to last, and the batch that is being built or sent.
  Exchange* queue_first_ = nullptr;
  Exchange* queue_last_ = nullptr;
  Event sendable_;
  std::vector<Exchange*> batch_;
  std::vector<iovec> batch_pieces_;
  // Ciphertext of the batch. Made with the first sealed frame.
  std::unique_ptr<std::byte[]> sealed_;
  std::size_t sealed_used_ = 0;

  // What the silence deadline looks at.
  Duration patience_;
  Timer watch_timer_;
  SocketProgress last_progress_;
  TimePoint last_progress_at_{};
  bool echo_outstanding_ = false;
  TimePoint last_echo_at_{};  // when one was last answered
  // What does not count as progress.
  std::uint64_t echo_bytes_sent_ = 0;
  std::uint64_t echo_bytes_received_ = 0;

  TaskGroup tasks_;  // the two loops, and what the connection sends of its own accord
};

}  // namespace smb3
