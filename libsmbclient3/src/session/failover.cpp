// The way of a request over the session's channels, and over another one when its channel is lost:
// [MS-SMB2] 3.2.4.1.7 and 3.2.7.1.
#include "session/session.h"

#include <algorithm>

namespace smb3 {
namespace {

// A request that meets more losses than this meets a peer that ends whatever carries it.
constexpr std::size_t losses_max = 16;
// What a channel without a neighbour is silent for may be long; beside others it is noticed sooner.
constexpr auto patience_beside_others = std::chrono::seconds(4);
// While the server still works on what came before the loss.
constexpr auto first_pause = std::chrono::milliseconds(20);
constexpr auto longest_pause = std::chrono::milliseconds(1000);
// What one request costs beside its payload, in bytes.
constexpr std::uint64_t request_cost_bytes = 4096;

std::uint64_t bytes_of(const Exchange& exchange) noexcept {
  std::uint64_t bytes = 0;
  for (const Request* request : exchange.requests()) {
    bytes += request_cost_bytes + (request->credit_charge - 1u) * limits::credit_bytes;
  }
  return bytes;
}

bool may_go_again(const Exchange& exchange) noexcept {
  return std::ranges::all_of(exchange.requests(), [](const Request* request) {
    return request->repetition != Repetition::never;
  });
}

void mark_repeated(Exchange& exchange) noexcept {
  for (Request* request : exchange.requests()) {
    request->repeated = true;
    if (request->repetition == Repetition::marked) {
      request->flags |= wire::HeaderFlags::replay_operation;
    }
  }
}

}  // namespace

std::size_t Session::usable_channels() const noexcept {
  return static_cast<std::size_t>(
      std::ranges::count_if(channels_, [](const auto& channel) { return channel->is_usable(); }));
}

// The one that will be done first with what it has and this. Without any usable one the first,
// which tells why.
std::shared_ptr<Channel> Session::pick(std::uint64_t bytes) const noexcept {
  double fastest = 0;
  for (const auto& channel : channels_) {
    if (channel->is_usable()) fastest = std::max(fastest, channel->rate());
  }
  const std::shared_ptr<Channel>* best = nullptr;
  double least = 0;
  for (const auto& channel : channels_) {
    if (!channel->is_usable()) continue;
    const double rate = channel->rate() != 0 ? channel->rate() : std::max(fastest, 1.0);
    const double time = static_cast<double>(channel->bytes() + bytes) / rate;
    if (best && time >= least) continue;
    best = &channel;
    least = time;
  }
  return best ? *best : channels_.front();
}

void Session::protect(Exchange& exchange, const Channel& channel) const noexcept {
  for (Request* request : exchange.requests()) {
    request->protection = channel.protection();
    request->channel_sequence = channel_sequence_;
  }
}

void Session::lose(Channel& channel) {
  if (std::exchange(channel.is_lost, true)) return;
  if (usable_channels() == 0) return;
  ++channel_sequence_;
  share_patience();
  if (on_loss) on_loss();
}

void Session::share_patience() {
  const bool alone = usable_channels() < 2;
  for (const auto& channel : channels_) {
    if (!channel->is_usable()) continue;
    const Duration longest = channel->connection().options().timeout;
    channel->connection().set_patience(alone ? longest
                                             : std::min<Duration>(longest, patience_beside_others));
  }
}

Task<void> Session::send(Exchange& exchange) {
  const std::uint64_t bytes = bytes_of(exchange);
  const Reactor& reactor = connection_.reactor();
  Duration pause = first_pause;
  std::optional<TimePoint> last_try;
  for (std::size_t losses = 0;;) {
    const std::shared_ptr<Channel> channel = pick(bytes);
    protect(exchange, *channel);
    channel->begin(bytes);
    if (on_request) on_request(*exchange.requests().front());
    auto answered = co_await channel->connection().transact(exchange);
    channel->end(bytes);
    if (answered) {
      if (!is_held_up(exchange)) co_return;
      if (!last_try) last_try = reactor.now() + connection_.options().timeout;
      if (reactor.now() >= *last_try) co_return;
      co_await sleep_until(connection_.reactor(), reactor.now() + pause);
      pause = std::min<Duration>(2 * pause, longest_pause);
      mark_repeated(exchange);
      continue;
    }
    if (exchange.starved || !is_loss(answered.error())) co_await std::move(answered);
    lose(*channel);
    if (usable_channels() == 0 || !may_go_again(exchange) || ++losses > losses_max) {
      co_await std::move(answered);
    }
    mark_repeated(exchange);
  }
}

// [MS-SMB2] 3.3.5.2.10: requests from before the loss are still being carried out.
bool Session::is_held_up(const Exchange& exchange) const noexcept {
  const Request& request = *exchange.requests().front();
  return channel_sequence_ != 0 && request.status() == NtStatus::file_not_available &&
         request.repetition == Repetition::marked;
}

std::size_t Session::requests_in_flight() const noexcept {
  std::size_t sum = 0;
  for (const auto& channel : channels_) sum += channel->requests();
  return sum;
}

std::uint64_t Session::bytes_in_flight() const noexcept {
  std::uint64_t sum = 0;
  for (const auto& channel : channels_) sum += channel->bytes();
  return sum;
}

}  // namespace smb3
