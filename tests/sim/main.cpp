// The simulation's program: scripts/sim.
#include "sim/runner.h"

#include <sys/random.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

constexpr const char* help =
    "sim SEED                     runs one seed and prints what happens in it\n"
    "sim --seeds N [--first S]    runs so many, from S (1) on\n"
    "sim --minutes N [--first S]  runs seeds as long as that, from a random one on\n"
    "    --fresh                  from a random one on\n"
    "    --twice                  each again: the same seed must be the same run\n"
    "    --jobs N                 so many processes; else one a processor\n";

std::uint64_t random_first() {
  std::uint64_t first = 0;
  if (::getrandom(&first, sizeof first, 0) != sizeof first) std::abort();
  return first >> 16;  // short enough to be typed, and far from wrapping around
}

}  // namespace

int main(int argc, char** argv) {
  smb3::sim::RunnerOptions options;
  bool many = false, fresh = false, first_given = false;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    char* end = nullptr;
    const char* value = i + 1 < argc ? argv[i + 1] : "";
    const auto number = [&] {
      ++i;
      return std::strtoull(value, &end, 10);
    };
    if (word == "--seeds") {
      options.seeds = number();
      many = true;
    } else if (word == "--minutes") {
      ++i;
      options.seconds = 60 * std::strtod(value, &end);
      many = true;
    } else if (word == "--first") {
      options.first = number();
      first_given = true;
    } else if (word == "--jobs") {
      options.jobs = static_cast<unsigned>(number());
    } else if (word == "--twice") {
      options.twice = true;
      continue;
    } else if (word == "--fresh") {
      fresh = true;
      continue;
    } else {
      options.first = std::strtoull(word.c_str(), &end, 10);
      if (argc != 2) end = nullptr;
    }
    if (end == nullptr || *end != '\0' || end == value) {
      std::fputs(help, word == "--help" ? stdout : stderr);
      return word == "--help" ? 0 : 2;
    }
  }
  if (argc < 2) {
    std::fputs(help, stderr);
    return 2;
  }
  if (!many) return smb3::sim::run_traced(options.first) ? 0 : 1;
  if (fresh || (options.seconds && !first_given)) options.first = random_first();
  return smb3::sim::run_seeds(options) == 0 ? 0 : 1;
}
