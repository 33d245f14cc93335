// Many seeds, in several processes; a seed that crashes is a failure like any other.
#pragma once

#include <cstdint>
#include <optional>

namespace smb3::sim {

struct RunnerOptions {
  std::uint64_t first = 1;
  std::uint64_t seeds = 1;
  std::optional<double> seconds;  // then as many seeds as there is time for
  unsigned jobs = 0;              // 0: as many as there are processors
  bool twice = false;             // each seed again: it must be the same run
};

// The number of seeds that failed. Tells of each on standard error, and of all at the end on
// standard output.
std::uint64_t run_seeds(const RunnerOptions& options);

// One seed with its whole trace on standard output. Whether it went well.
bool run_traced(std::uint64_t seed);

}  // namespace smb3::sim
