#include "connection/connection.h"

#include "wire/cancel.h"

namespace smb3 {

Task<std::unique_ptr<Connection>> Connection::open(Reactor& reactor, BufferPool& pool,
                                                   std::vector<Endpoint> endpoints,
                                                   ConnectionOptions options,
                                                   std::optional<LocalInterface> local,
                                                   EarlyEnd* early_end) {
  std::optional<Error> last;
  for (const Endpoint& endpoint : endpoints) {
    auto socket = co_await attempt(
        Socket::connect(reactor, endpoint, local, reactor.now() + options.timeout, early_end));
    if (socket) {
      std::unique_ptr<Connection> connection(
          new Connection(reactor, pool, std::move(*socket), std::move(options)));
      connection->tasks_.start(connection->receive_loop());
      connection->tasks_.start(connection->send_loop());
      co_return std::move(connection);
    }
    last.emplace(std::move(socket).error());
    if (last->kind() == ErrorKind::cancelled) break;
  }
  if (!last) last.emplace(ErrorKind::disconnected, "the server name has no address");
  co_return std::move(*last);
}

Connection::Connection(Reactor& reactor, BufferPool& pool, Socket socket, ConnectionOptions options)
    : reactor_(reactor),
      pool_(pool),
      options_(std::move(options)),
      socket_(std::move(socket)),
      local_address_(reactor.local_address_of(socket_.fd())),
      remote_address_(reactor.remote_address_of(socket_.fd())),
      buffers_(pool),
      sendable_(reactor),
      patience_(options_.timeout),
      watch_timer_(reactor) {}

Connection::~Connection() { assert(tasks_.running() == 0 && table_.size() == 0); }

std::uint32_t Connection::charge_limit() const noexcept {
  return std::max<std::uint32_t>(window_.available() + window_.spent(), 1);
}

void Connection::set_negotiated(bool large_mtu) noexcept {
  negotiated_ = true;
  large_mtu_ = large_mtu;
}

bool Connection::refuse_if_failed(Exchange& exchange) {
  exchange.failure.reset();
  for (Request* request : exchange.requests()) request->reply.reset();
  if (!failure_) return false;
  exchange.failure.emplace(failure_->clone());
  return true;
}

void Connection::enqueue(Exchange& exchange) {
  exchange.unanswered_ = exchange.count_;
  exchange.sending_ = true;
  exchange.next_ = nullptr;
  (queue_last_ ? queue_last_->next_ : queue_first_) = &exchange;
  queue_last_ = &exchange;
  sendable_.set();
  watch();
}

void Connection::answered(Request& request) {
  window_.finished(request.credit_charge);
  table_.erase(request);
  --request.exchange->unanswered_;
  finish_if_over(*request.exchange);
  sendable_.set();
}

void Connection::finish_if_over(Exchange& exchange) {
  // Until the frame has left, the kernel may still read the requests' bytes.
  if (exchange.unanswered_ != 0 || exchange.sending_) return;
  if (exchange.waiter_) reactor_.ready(std::exchange(exchange.waiter_, {}));
}

void Connection::end_with_failure(Exchange& exchange) {
  exchange.failure.emplace(failure_->clone());
  for (Request* request : exchange.requests()) {
    if (request->in_table) table_.erase(*request);
  }
  exchange.unanswered_ = 0;
  finish_if_over(exchange);
}

void Connection::fail(Error error) {
  if (failure_) return;
  failure_.emplace(std::move(error));
  watch_timer_.clear();
  socket_.abort();

  std::vector<Exchange*> ended;
  table_.for_each([&ended](Request& request) {
    if (std::find(ended.begin(), ended.end(), request.exchange) == ended.end()) {
      ended.push_back(request.exchange);
    }
  });
  for (Exchange* exchange : ended) end_with_failure(*exchange);
  while (Exchange* exchange = queue_first_) {
    queue_first_ = exchange->next_;
    exchange->sending_ = false;
    end_with_failure(*exchange);
  }
  queue_last_ = nullptr;
  sendable_.set();
  early_end_.come();
}

Task<void> Connection::close() {
  fail(Error(ErrorKind::cancelled, "the connection was closed by this side"));
  auto ended = co_await attempt(tasks_.join());
  static_cast<void>(ended);  // the loops' end is failure_, which everybody has been told
  co_await socket_.close();
}

void Connection::cancel(const Request& request) {
  if (failure_ || !request.in_table) return;
  auto cancel = std::make_unique<Request>();
  cancel->set(wire::CancelRequest{});
  cancel->credit_charge = 0;
  cancel->message_id = request.message_id;
  cancel->async_id = request.async_id;
  cancel->interim_seen = request.interim_seen;
  cancel->session_id = request.session_id;
  cancel->tree_id = request.tree_id;
  cancel->protection = request.protection;
  cancel->level = request.level;
  tasks_.start(send_one_way(std::move(cancel)));
}

void Connection::cancel_pending() {
  std::vector<const Request*> pending;
  table_.for_each([&pending](Request& request) {
    if (request.interim_seen) pending.push_back(&request);
  });
  for (const Request* request : pending) cancel(*request);
}

Task<void> Connection::send_one_way(std::unique_ptr<Request> request) {
  Exchange exchange(*request);
  auto sent = co_await transact(exchange);
  static_cast<void>(sent);  // a failed connection has told everybody itself
}

}  // namespace smb3
