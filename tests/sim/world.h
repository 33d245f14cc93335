// One run: a client and its servers in one process, from a plan to what became of it.
#pragma once

#include "client/engine.h"
#include "sim/authentication.h"
#include "sim/plan.h"
#include "sim/sim_reactor.h"
#include "sim/told.h"
#include "sim/wire_tap.h"
#include "support/server/server.h"

#include "side.h"
#include "tree_copy.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace smb3::sim {

struct Outcome {
  std::vector<std::string> violations;
  std::uint64_t hash = 0;
  std::uint64_t events = 0;
  Duration time{};
  std::size_t copied = 0, failed = 0;
  std::uint64_t frames = 0, sealed_frames = 0;
};

class World {
 public:
  // `folder` is there and empty, and is emptied again.
  World(const Plan& plan, Trace& trace, std::string folder);
  World(const World&) = delete;
  World& operator=(const World&) = delete;
  ~World();

  // Once.
  Outcome run();

 private:
  // A server on its own machine.
  struct Node {
    std::string address;
    std::unique_ptr<server::Cluster> cluster;
    std::unique_ptr<SimAcceptors> acceptors;
    std::unique_ptr<server::Server> server;
    TaskGroup connections;
  };
  using Contents = std::map<std::string, std::vector<std::byte>>;  // by the path below the top
  struct Found {
    Contents files;
    std::vector<std::string> folders;
    std::vector<std::string> outside;  // where nothing should be
  };

  // world.cpp
  void start_node(Node& node);
  Task<void> go();
  Task<void> copy_all();
  Task<std::unique_ptr<Share>> connect(std::string server, std::string share);
  Task<void> check_credits(Share& share, Node& node);
  void interrupt();

  // placing.cpp
  bool source_is_local() const { return plan_.direction == Direction::up; }
  bool target_is_local() const { return plan_.direction == Direction::down; }
  Node& source_node() { return *nodes_.front(); }
  Node& target_node() { return *nodes_.back(); }
  std::string source_top() const;
  std::string target_top() const;
  void place_files();
  Found find_target();

  // checks.cpp
  void check(const Found& found);
  void check_file(const PlannedFile& file, const Found& found);
  void check_others(const Found& found);
  void check_servers();
  void check_nothing_is_left();
  std::string source_display(const std::string& below) const;
  bool is_named_in_an_error(const std::string& name) const;
  bool is_reported(const PlannedFile& file) const;
  void wrong(std::string what);

  const Plan plan_;
  Trace& trace_;
  const std::string folder_;
  SimReactor reactor_;
  const TimePoint began_;
  WireTap tap_;
  std::unique_ptr<server::MessageLog> log_;
  std::vector<std::unique_ptr<Node>> nodes_;
  std::shared_ptr<Engine> engine_;
  cli::TreeCopy* tree_copy_ = nullptr;
  Timer interrupt_timer_;
  bool interrupted_ = false;
  Told told_;
  std::vector<std::string> violations_;
};

// With a folder of its own below `folder`, which is gone afterwards.
Outcome run_plan(const Plan& plan, Trace& trace, const std::string& folder);

}  // namespace smb3::sim
