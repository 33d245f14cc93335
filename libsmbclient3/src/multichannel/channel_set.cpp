#include "multichannel/channel_set.h"

#include <algorithm>

namespace smb3 {
namespace {

// More connections help when one has more to do than this.
constexpr std::size_t much_requests = 8;
constexpr std::uint64_t much_bytes = 16_MiB;
// [MS-SMB2] 3.2.6: the server's interfaces are asked for again.
constexpr auto refresh = std::chrono::seconds(600);
constexpr std::uint32_t interfaces_bytes_max = limits::credit_bytes;
// Nobody waits for a further connection, so that it is given up sooner than the first one.
constexpr auto connect_timeout_max = std::chrono::seconds(5);
constexpr auto first_pause = std::chrono::milliseconds(500);
constexpr auto longest_pause = std::chrono::seconds(30);
// A channel that dies sooner is not opened again at once.
constexpr auto long_life = std::chrono::seconds(2);
constexpr std::size_t told_max = 64;

bool is_between(const PlannedPair& pair, const Endpoint& local, const Endpoint& remote) {
  return same_address(pair.local.address, local) && same_address(pair.remote, remote);
}

template <class T>
void keep_last(std::deque<T>& told, T one) {
  told.push_back(std::move(one));
  if (told.size() > told_max) told.pop_front();
}

}  // namespace

ChannelSet::ChannelSet(Session& session, ChannelSetOptions options)
    : session_(session),
      reactor_(session.connection().reactor()),
      options_(std::move(options)),
      wake_(reactor_),
      first_local_(session.connection().local_endpoint()),
      first_remote_(session.connection().remote_endpoint()) {
  session_.on_request = [this](const Request& request) { on_request(request); };
  session_.on_announcement = [this](std::uint64_t bytes, const TreeConnect& tree) {
    on_announcement(bytes, tree);
  };
  session_.on_loss = [this] { wake_.set(); };
}

// The question goes out on the tree that was used last; it stands, or the next one does.
void ChannelSet::on_request(const Request& request) {
  if (request.tree_id == 0) return;
  tree_ = {.id = request.tree_id, .seals = request.level == ProtectionLevel::seal};
  if (started_) return;
  if (session_.requests_in_flight() <= much_requests && session_.bytes_in_flight() < much_bytes) {
    return;
  }
  start();
}

// Asked before the data is sent, the question does not stand in line behind it.
void ChannelSet::on_announcement(std::uint64_t bytes, const TreeConnect& tree) {
  if (bytes < much_bytes) return;
  tree_ = {.id = tree.id(), .seals = tree.seals()};
  start();
}

void ChannelSet::start() {
  if (std::exchange(started_, true)) return;
  tasks_.start(run());
}

Task<void> ChannelSet::run() {
  auto ended = co_await attempt(run_until_stopped());
  if (!ended) keep_last(complaints_, "no more channels: " + describe(ended.error()));
}

Task<void> ChannelSet::run_until_stopped() {
  while (!stopping_) {
    co_await bury_lost();
    if (!is_discovered_ || reactor_.now() - discovered_at_ >= refresh) co_await discover();
    if (stopping_) co_return;
    const TimePoint next = open_missing();
    co_await wait_until(std::min(next, discovered_at_ + refresh));
  }
}

Task<void> ChannelSet::discover() {
  is_discovered_ = true;
  discovered_at_ = reactor_.now();
  ControlParameters parameters;
  parameters.code = wire::ControlCode::query_network_interface_info;
  parameters.max_output_bytes = interfaces_bytes_max;
  parameters.must_sign = true;
  const std::vector<std::byte> list = co_await control(session_, tree_, parameters);
  PairingRequest request;
  request.remote = co_await remote_interfaces(list, options_.port);
  if (is_all_there_is(request.remote)) co_return;
  request.local = reactor_.interfaces();
  request.first_local = first_local_;
  request.first_remote = first_remote_;
  request.connections = options_.channels;
  request.only = options_.interfaces;
  request.route_exists = [this](const LocalInterface& local, const Endpoint& remote) {
    return reactor_.route_exists(local, remote);
  };
  plan_ = plan_pairs(request);
  for (const PlannedPair& pair : plan_) {
    if (is_between(pair, first_local_, first_remote_)) {
      session_.channels().front()->speed_bits_per_second = pair.speed_bits_per_second;
    }
  }
}

// To this machine itself one connection is as good as several, unless the server says otherwise.
bool ChannelSet::is_all_there_is(const std::vector<RemoteInterface>& remote) const {
  if (options_.channels || kind_of(first_remote_) != AddressKind::loopback) return false;
  return std::ranges::all_of(remote, [this](const RemoteInterface& interface) {
    return same_address(interface.address, first_remote_) && !interface.is_rss_capable;
  });
}

// The connections of lost channels end; those that they carried are on their way elsewhere.
Task<void> ChannelSet::bury_lost() {
  for (std::size_t i = 0; i < members_.size();) {
    if (members_[i]->channel->is_usable()) {
      ++i;
      continue;
    }
    std::unique_ptr<Member> lost = std::move(members_[i]);
    members_.erase(members_.begin() + static_cast<std::ptrdiff_t>(i));
    if (reactor_.now() - lost->opened_at >= long_life) {
      std::erase_if(setbacks_, [&](const Setback& one) {
        return same_address(one.local, lost->local) && same_address(one.remote, lost->remote);
      });
    } else {
      set_back(lost->local, lost->remote, longest_pause);
    }
    co_await lost->connection->close();
    session_.remove(*lost->channel);
    record(*lost->channel);
  }
}

std::size_t ChannelSet::usable_between(const PlannedPair& pair) const {
  std::size_t count = 0;
  for (const auto& member : members_) {
    if (member->channel->is_usable() && is_between(pair, member->local, member->remote)) ++count;
  }
  for (const PlannedPair& other : opening_) {
    if (is_between(pair, other.local.address, other.remote)) ++count;
  }
  if (session_.channels().front()->is_usable() && is_between(pair, first_local_, first_remote_)) {
    ++count;
  }
  return count;
}

// Begins to open what the plan has and we have not; yields when to try again what was put off.
TimePoint ChannelSet::open_missing() {
  TimePoint next = never;
  const TimePoint now = reactor_.now();
  for (const PlannedPair& pair : plan_) {
    const Setback* setback = setback_of(pair.local.address, pair.remote);
    const std::size_t have = usable_between(pair);
    if (have < pair.connections && setback && setback->until > now) {
      next = std::min(next, setback->until);
      continue;
    }
    for (std::size_t i = have; i < pair.connections; ++i) tasks_.start(open(pair));
  }
  return next;
}

Task<void> ChannelSet::open(PlannedPair pair) {
  opening_.push_back(pair);
  auto member = co_await attempt(connect(pair));
  std::erase_if(opening_, [&, erased = false](const PlannedPair& other) mutable {
    return !erased && is_between(pair, other.local.address, other.remote) && (erased = true);
  });
  if (!member) {
    complain(pair, member.error());
    wake_.set();
    co_return;
  }
  (*member)->channel->speed_bits_per_second = pair.speed_bits_per_second;
  (*member)->opened_at = reactor_.now();
  members_.push_back(std::move(*member));
}

Task<std::unique_ptr<ChannelSet::Member>> ChannelSet::connect(const PlannedPair& pair) {
  auto member = std::make_unique<Member>();
  member->local = pair.local.address;
  member->remote = pair.remote;
  ConnectionOptions connection_options = session_.connection().options();
  const Duration timeout = connection_options.timeout;
  connection_options.timeout = std::min<Duration>(timeout, connect_timeout_max);
  std::vector<Endpoint> endpoints{pair.remote};
  member->connection =
      co_await Connection::open(reactor_, session_.connection().pool(), std::move(endpoints),
                                std::move(connection_options), pair.local, &stop_);
  if (stopping_) member->connection->fail(Error(ErrorKind::cancelled, "not needed any more"));
  binding_.push_back(member->connection.get());
  auto bound = co_await attempt(bind(*member));
  std::erase(binding_, member->connection.get());
  if (!bound) {
    co_await member->connection->close();
    co_return std::move(bound).error();
  }
  co_return std::move(member);
}

Task<void> ChannelSet::bind(Member& member) {
  NegotiateOptions options = options_.negotiate;
  const Negotiated& first = session_.negotiated();
  options.ciphers.clear();
  if (first.cipher != Cipher::none) options.ciphers = {first.cipher};
  options.signing_algorithms = {first.signing};
  member.negotiated = co_await negotiate(*member.connection, std::move(options));
  member.channel = co_await session_.bind(*member.connection, member.negotiated);
}

void ChannelSet::complain(const PlannedPair& pair, const Error& error) {
  if (stopping_) return;
  keep_last(complaints_, "no channel from " + address_text(pair.local.address) + " to " +
                             text_of(pair.remote) + ": " + describe(error));
  // Who refuses will refuse again.
  set_back(pair.local.address, pair.remote, is_loss(error) ? longest_pause : refresh);
}

ChannelSet::Setback* ChannelSet::setback_of(const Endpoint& local, const Endpoint& remote) {
  for (Setback& one : setbacks_) {
    if (same_address(one.local, local) && same_address(one.remote, remote)) return &one;
  }
  return nullptr;
}

void ChannelSet::set_back(const Endpoint& local, const Endpoint& remote, Duration longest) {
  Setback* setback = setback_of(local, remote);
  if (!setback) setback = &setbacks_.emplace_back(Setback{local, remote, Duration::zero(), {}});
  setback->pause = longest > longest_pause
                       ? longest
                       : std::clamp<Duration>(2 * setback->pause, first_pause, longest);
  setback->until = reactor_.now() + setback->pause;
}

Task<void> ChannelSet::wait_until(TimePoint when) {
  Timer timer(reactor_);
  timer.set(when, [](void* wake) { static_cast<Event*>(wake)->set(); }, &wake_);
  co_await wake_.wait();
}

void ChannelSet::record(const Channel& channel) {
  keep_last(ended_,
            EndedChannel{channel.local_address(), channel.remote_address(), channel.payload_bytes(),
                         channel.requests_sent(), channel.speed_bits_per_second});
}

Task<void> ChannelSet::stop() {
  stopping_ = true;
  session_.on_request = nullptr;
  session_.on_announcement = nullptr;
  session_.on_loss = nullptr;
  stop_.come();
  wake_.set();
  for (Connection* connection : binding_) {
    connection->fail(Error(ErrorKind::cancelled, "not needed any more"));
  }
  co_await tasks_.join();
}

Task<void> ChannelSet::close() {
  for (auto& member : members_) co_await member->connection->close();
}

}  // namespace smb3
