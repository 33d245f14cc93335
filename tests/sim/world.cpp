#include "sim/world.h"

#include "client/handles.h"
#include "sim/network.h"
#include "support/server/connection.h"

#include <arpa/inet.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>

namespace smb3::sim {
namespace {

constexpr std::uint16_t smb_port = 445;

Endpoint endpoint_of(const std::string& ip) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(smb_port);
  ::inet_pton(AF_INET, ip.c_str(), &address.sin_addr);
  return make_endpoint(reinterpret_cast<sockaddr*>(&address), sizeof address);
}

TimePoint after(TimePoint start, TimePoint time) { return time == never ? never : start + time; }

void reset(Reactor& reactor, const Socket& socket) {
  static_cast<SimReactor&>(reactor).network().reset_when_closed(socket.fd());
}

// Coroutines that wait for ever cannot be left in an orderly way.
[[noreturn]] void give_up(const Plan& plan, const char* why) {
  std::fprintf(stderr, "%s\n%s\n", describe(plan).c_str(), why);
  std::abort();
}

}  // namespace

World::World(const Plan& plan, Trace& trace, std::string folder)
    : plan_(plan),
      trace_(trace),
      folder_(std::move(folder)),
      reactor_(plan.seed, trace),
      began_(reactor_.now()),
      interrupt_timer_(reactor_),
      told_(reactor_, trace) {
  reactor_.disk().set(plan_.disk);
  reactor_.network().set_tap(&tap_);
  const std::string log = trace.is_printed() ? "-" : "";
  log_ = std::make_unique<server::MessageLog>(server::MessageLog::open(log, true).value());
  const bool two = plan_.direction == Direction::relay && plan_.two_servers;
  for (const char* address : {"10.0.0.2", "10.0.0.3"}) {
    auto node = std::make_unique<Node>();
    node->address = address;
    start_node(*node);
    nodes_.push_back(std::move(node));
    if (!two) break;
  }
}

World::~World() = default;

void World::start_node(Node& node) {
  node.cluster = server::Cluster::create(reactor_, plan_.server).value();
  node.acceptors = std::make_unique<SimAcceptors>(plan_.server.users, reactor_.chance().fork());
  node.server = std::make_unique<server::Server>(reactor_, plan_.server, *node.cluster,
                                                 *node.acceptors, *log_);
  node.server->reset_when_closed = &reset;
  const auto link = [this] {
    Link one = plan_.link;
    one.dies_at = after(began_, one.dies_at);
    one.outage_begin = after(began_, one.outage_begin);
    one.outage_end = after(began_, one.outage_end);
    return one;
  };
  reactor_.network().listen(endpoint_of(node.address), link, [this, &node](int fd) {
    node.connections.start(
        node.server->serve(Socket(reactor_, fd, reactor_.remote_address_of(fd))));
  });
}

Outcome World::run() {
  place_files();
  if (plan_.interrupt_after) {
    interrupt_timer_.set(
        began_ + *plan_.interrupt_after, [](void* self) { static_cast<World*>(self)->interrupt(); },
        this);
  }
  Task<void> task = go();
  task.run();
  const bool in_time = reactor_.run([&task] { return task.done(); }, began_ + plan_.time_max());
  if (!task.done()) {
    give_up(plan_, in_time ? "nothing goes on, and the copy has not ended"
                           : "the copy has not ended within its time");
  }
  Outcome outcome;
  outcome.time = reactor_.now() - began_;
  reactor_.run([] { return false; });
  check_nothing_is_left();
  check_servers();
  check(find_target());
  for (const std::string& what : tap_.violations()) wrong(what);
  outcome.violations = std::move(violations_);
  outcome.hash = trace_.hash();
  outcome.events = trace_.events();
  for (const auto& [path, times] : told_.copies) outcome.copied += times;
  for (const auto& [path, texts] : told_.failures) outcome.failed += texts.size();
  outcome.frames = tap_.frames();
  outcome.sealed_frames = tap_.sealed_frames();
  return outcome;
}

void World::interrupt() {
  interrupted_ = true;
  trace_.note(reactor_.now(), "interrupt");
  if (tree_copy_) tree_copy_->stop();
  if (engine_) engine_->interrupt();
}

Task<void> World::go() {
  engine_ = std::make_shared<Engine>(reactor_, plan_.client, KeyLog());
  auto copied = co_await attempt(copy_all());
  if (!copied) told_.failed_as_a_whole(copied.error());
  co_await engine_->shut_down();
  interrupt_timer_.clear();
  engine_.reset();
  for (const auto& node : nodes_) {
    co_await node->server->stop();
    co_await node->connections.below(1);
  }
}

Task<void> World::copy_all() {
  std::unique_ptr<Share> source, target;
  std::unique_ptr<cli::Side> from = cli::make_local_side(), to = cli::make_local_side();
  if (!source_is_local()) {
    source = co_await connect(source_node().address, "data");
    from = cli::make_remote_side(*source);
  }
  if (!target_is_local()) {
    auto connected = co_await attempt(connect(target_node().address, "copy"));
    if (!connected) {
      if (source) co_await source->close();
      co_await std::move(connected).error();
    }
    target = std::move(*connected);
    to = cli::make_remote_side(*target);
  }
  cli::TreePolicy policy;
  policy.recursive = true;
  policy.preserve_directories = plan_.preserve_directories;
  policy.files_at_once = plan_.files_at_once;
  policy.copy = plan_.copy;
  cli::TreeJob job;
  job.from = from.get();
  job.from_path = source_top();
  job.to = to.get();
  job.to_path = target_top();
  std::vector<cli::TreeJob> jobs;
  jobs.push_back(std::move(job));
  cli::TreeCopy tree(policy, told_);
  tree_copy_ = &tree;
  if (interrupted_) tree.stop();
  co_await tree.run(std::move(jobs));
  tree_copy_ = nullptr;
  if (source) co_await check_credits(*source, source_node());
  if (target) co_await check_credits(*target, target_node());
  if (source) co_await source->close();
  if (target) co_await target->close();
}

Task<std::unique_ptr<Share>> World::connect(std::string server, std::string share) {
  Credentials credentials;
  credentials.user = "alice";
  credentials.password.emplace(plan_.wrong_password ? "guess" : "Passw0rd!");
  auto impl = std::make_shared<Share::Impl>();
  impl->node = co_await engine_->session_for(server, 0, std::move(credentials));
  auto tree = co_await attempt(TreeConnect::connect(impl->node->session(), server, share));
  if (!tree) {
    impl->closed = true;
    if (impl->node->trees == 0) co_await impl->node->close();
    co_await std::move(tree).error();
  }
  impl->tree = std::move(*tree);
  ++impl->node->trees;
  co_return std::make_unique<Share>(std::move(impl));
}

// With nothing outstanding, both sides hold the same number of credits. An ECHO may still be on
// its way, and what the user has cancelled.
Task<void> World::check_credits(Share& share, Node& node) {
  if (plan_.is_lying || plan_.link.tampering_one_in != 0) co_return;
  for (int looks = 0; looks < 5; ++looks) {
    const smb3::Connection& connection = *share.impl().node->connection();
    const auto& served = node.server->connections();
    if (connection.has_failed() || served.size() != 1) co_return;
    if (connection.charge_limit() == std::max<std::uint64_t>(served.front()->credits_held(), 1)) {
      co_return;
    }
    co_await sleep_until(reactor_, reactor_.now() + plan_.client.timeout);
  }
  wrong("client and server disagree about the credits");
}

Outcome run_plan(const Plan& plan, Trace& trace, const std::string& folder) {
  const std::string own = folder + "/run";
  std::filesystem::remove_all(own);
  std::filesystem::create_directory(own);
  Outcome outcome = World(plan, trace, own).run();
  std::filesystem::remove_all(own);
  return outcome;
}

}  // namespace smb3::sim
