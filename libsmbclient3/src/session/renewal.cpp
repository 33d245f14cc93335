// Sessions that expire: [MS-SMB2] 3.2.5.1.6.
#include "session/session.h"

#include <utility>

namespace smb3 {
namespace {

// A server that finds every renewal expired at once is given up after so many.
constexpr std::size_t renewals_in_vain_max = 4;
// Of one request, while others are carried out.
constexpr std::size_t renewals_of_one_max = 16;
// Before the second renewal in a row, and doubled from then on. Tickets end at whole seconds, and
// clocks differ: one that has ended for the server may not have for us, and is used once more.
constexpr auto first_pause = std::chrono::milliseconds(500);

// A server takes these also from an expired session: [MS-SMB2] 3.3.5.2.9.
bool is_close(const Exchange& exchange) {
  return exchange.requests().front()->command == wire::Command::close;
}

// Of a compound whose first member was carried out, the rest is its caller's concern.
bool is_expired(const Exchange& exchange) {
  return exchange.requests().front()->status() == NtStatus::network_session_expired;
}

Error not_renewed(const Error& cause) {
  const bool is_logon = cause.kind() == ErrorKind::local || cause.kind() == ErrorKind::failed ||
                        cause.kind() == ErrorKind::not_found ||
                        cause.kind() == ErrorKind::access_denied;
  Error error(is_logon ? ErrorKind::authentication : cause.kind(),
              "the session has expired and could not be renewed: " + cause.what());
  return std::move(error)
      .status(cause.nt_status())
      .system(cause.system_errno())
      .during(cause.operation())
      .advise(cause.hint());
}

Error expires_again() {
  return status_error(NtStatus::network_session_expired, "SESSION_SETUP")
      .advise(
          "it expires again as soon as it is renewed; check the lifetime of tickets, and the "
          "clocks of server, KDC and this machine");
}

}  // namespace

Task<void> Session::transact(Exchange& exchange) {
  for (std::size_t renewals = 0;; ++renewals) {
    if (!is_close(exchange)) co_await await_renewal();
    const std::uint64_t count = renewal_.count;
    co_await send(exchange);
    if (!is_expired(exchange)) {
      if (!is_close(exchange)) renewal_.in_vain = 0;
      co_return;
    }
    if (renewals == renewals_of_one_max && !renewal_.failure) {
      renewal_.failure.emplace(expires_again());
    }
    co_await await_renewal();
    // Unless it was renewed since the request was sent.
    if (renewal_.count == count) co_await renew_for_all();
    // Should the server have moved on in spite of its answer, a page would be missing.
    if (exchange.requests().front()->command == wire::Command::query_directory) co_return;
  }
}

// Ends when no renewal runs, with the error of one that has failed.
Task<void> Session::await_renewal() {
  struct Wait {
    Renewal& renewal;
    bool await_ready() const noexcept { return !renewal.running; }
    void await_suspend(std::coroutine_handle<> handle) const { renewal.waiting.push_back(handle); }
    void await_resume() const noexcept {}
  };
  Wait wait{renewal_};
  while (renewal_.running) co_await wait;
  if (renewal_.failure) co_await renewal_.failure->clone();
}

Task<void> Session::renew_for_all() {
  renewal_.running = true;
  auto renewed = co_await attempt(renew_after_a_pause());
  renewal_.running = false;
  if (renewed) {
    ++renewal_.count;
  } else {
    renewal_.failure.emplace(std::move(renewed).error());
  }
  for (std::coroutine_handle<> handle : std::exchange(renewal_.waiting, {})) {
    connection_.reactor().ready(handle);
  }
  if (renewal_.failure) co_await renewal_.failure->clone();
}

Task<void> Session::renew_after_a_pause() {
  if (renewal_.in_vain == renewals_in_vain_max) co_await expires_again();
  if (renewal_.in_vain != 0) {
    const Reactor& reactor = connection_.reactor();
    const auto pause = first_pause * (1 << (renewal_.in_vain - 1));
    const std::shared_ptr<Channel> channel = pick(0);
    Connection& connection = channel->connection();
    co_await sleep_until(connection_.reactor(), reactor.now() + pause, &connection.early_end());
    if (usable_channels() == 0) co_await connection.failure()->clone();
  }
  ++renewal_.in_vain;
  auto renewed = co_await attempt(renew());
  // Over another channel, if it was only this one that could not.
  for (std::size_t more = channels_.size(); more > 1 && !renewed && usable_channels() != 0;
       --more) {
    if (!is_loss(renewed.error())) break;
    renewed = co_await attempt(renew());
  }
  if (!renewed) co_await not_renewed(renewed.error());
}

}  // namespace smb3
