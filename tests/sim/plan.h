// What one seed decides: the world, the faults, and what is copied.
#pragma once

#include "sim/disk.h"
#include "sim/link.h"
#include "support/server/settings.h"

#include <smbclient3/client.h>
#include <smbclient3/copy.h>

#include <optional>
#include <string>
#include <vector>

namespace smb3::sim {

enum class Direction : std::uint8_t { down, up, relay };

struct PlannedFile {
  std::string path;  // below the tree's top; empty: the top is this file
  std::uint64_t size = 0;
  std::uint64_t contents = 0;               // a seed
  std::optional<std::uint64_t> replaces{};  // the seed of what the target has under this name

  std::uint64_t replaced_size() const { return replaces ? *replaces % 5000 : 0; }
};

struct Plan {
  std::uint64_t seed = 0;
  Direction direction = Direction::down;
  std::vector<std::string> folders;  // parents first
  std::vector<PlannedFile> files;

  ClientOptions client;
  CopyOptions copy;
  std::size_t files_at_once = 16;
  bool preserve_directories = false;
  bool wrong_password = false;
  std::optional<Duration> interrupt_after;

  server::ServerSettings server;  // of the share "data"
  bool two_servers = false;       // a relay goes from one to the other
  Link link;                      // its times count from the start
  DiskSettings disk;

  // Somebody lies in a way that nothing can show: what was copied may differ.
  bool is_lying = false;
  // Something may fail; else everything must succeed.
  bool may_fail = false;

  std::uint64_t bytes() const;
  // What the link lets through in a second, at the least.
  double bytes_per_second() const;
  // No run may take longer.
  Duration time_max() const;
};

Plan make_plan(std::uint64_t seed);
// For people.
std::string describe(const Plan& plan);

// The bytes of a file.
std::vector<std::byte> contents_of(std::uint64_t seed, std::uint64_t size);

}  // namespace smb3::sim
