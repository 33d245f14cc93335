#include "sim/runner.h"

#include "sim/memory_count.h"
#include "sim/world.h"

#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <map>
#include <string>
#include <thread>

namespace smb3::sim {
namespace {

// A small seed takes milliseconds; one that takes this much work goes in circles.
constexpr int cpu_seconds_max = 60;
constexpr std::uint64_t failures_max = 20;
constexpr std::size_t jobs_max = 64;
constexpr std::size_t memory_base_bytes = 96 << 20;

// Shared by the processes.
struct Shared {
  std::atomic<std::uint64_t> next{0}, done{0}, failed{0}, copied{0}, told{0}, frames{0}, sealed{0},
      events{0}, peak_bytes{0};
  std::atomic<std::uint64_t> running[jobs_max]{};  // the seed of each process
};

volatile std::uint64_t current_seed = 0;
volatile bool text_is_kept = false;

void on_crash(int number) {
  char text[64];
  const int length = std::snprintf(text, sizeof text, "seed %llu: signal %d\n",
                                   static_cast<unsigned long long>(current_seed), number);
  if (text_is_kept) Trace::print_last_lines(STDERR_FILENO);
  static_cast<void>(!::write(STDERR_FILENO, text, static_cast<std::size_t>(length)));
  std::signal(number, SIG_DFL);
  std::raise(number);
}

void catch_crashes() {
  for (const int number : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGVTALRM}) {
    std::signal(number, &on_crash);
  }
}

void limit_work() {
  const itimerval limit{.it_interval = {}, .it_value = {.tv_sec = cpu_seconds_max, .tv_usec = 0}};
  ::setitimer(ITIMER_VIRTUAL, &limit, nullptr);
}

std::string folder_of(pid_t process) { return "/dev/shm/smb3-sim." + std::to_string(process); }

// A folder of this process while it lives.
class Folder {
 public:
  Folder() : path_(folder_of(::getpid())) { std::filesystem::create_directory(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { std::filesystem::remove_all(path_); }
  const std::string& path() const noexcept { return path_; }

 private:
  std::string path_;
};

Outcome run_once(const Plan& plan, Trace::Text text, const std::string& folder) {
  current_seed = plan.seed;
  text_is_kept = text == Trace::Text::kept;
  limit_work();
  Trace trace(text);
  return run_plan(plan, trace, folder);
}

// Also what one run cannot know of itself: what it leaves in memory, and whether it comes again.
Outcome run_checked(const Plan& plan, bool twice, const std::string& folder) {
  restart_peak();
  const MemoryCount before = memory_count();
  Outcome outcome = run_once(plan, Trace::Text::none, folder);
  const std::size_t peak = memory_count().peak_bytes - before.live_bytes;
  // At both ends, and read for the comparison; the rest is one client's and two servers'.
  if (peak > memory_base_bytes + 8 * plan.bytes()) {
    outcome.violations.push_back("took " + std::to_string(peak) + " bytes of memory");
  }
  const std::size_t kept = memory_count().live_bytes - before.live_bytes;
  bool again = twice;
  if (kept != 0) again = true;  // what is kept for good is kept once
  if (!again) return outcome;
  const std::size_t live = memory_count().live;
  std::uint64_t hash = 0;
  std::size_t more = 0;
  {
    const Outcome second = run_once(plan, Trace::Text::none, folder);
    hash = second.hash;
    if (second.violations.empty()) more = memory_count().live - live;
  }
  if (hash != outcome.hash) outcome.violations.push_back("a second run was another one");
  if (more != 0 && more < (std::size_t{1} << 40)) {
    outcome.violations.push_back("left " + std::to_string(more) + " allocations behind");
  }
  return outcome;
}

void tell(const Plan& plan, const Outcome& outcome) {
  std::string text = "FAILED " + describe(plan) + "\n";
  for (const std::string& what : outcome.violations) text += "  " + what + "\n";
  text += "  replay: scripts/sim " + std::to_string(plan.seed) + "\n";
  std::fputs(text.c_str(), stderr);
}

void work(Shared& shared, std::size_t place, const RunnerOptions& options,
          std::chrono::steady_clock::time_point end) {
  catch_crashes();
  const Folder folder;
  while (shared.failed < failures_max) {
    const std::uint64_t index = shared.next++;
    if (options.seconds ? std::chrono::steady_clock::now() >= end : index >= options.seeds) break;
    const std::uint64_t seed = options.first + index;
    shared.running[place] = seed;
    const Plan plan = make_plan(seed);
    const Outcome outcome = run_checked(plan, options.twice, folder.path());
    ++shared.done;
    shared.copied += outcome.copied;
    shared.told += outcome.failed;
    shared.frames += outcome.frames;
    shared.sealed += outcome.sealed_frames;
    shared.events += outcome.events;
    if (outcome.violations.empty()) continue;
    ++shared.failed;
    tell(plan, outcome);
    run_once(plan, Trace::Text::kept, folder.path());
    Trace::print_last_lines(STDERR_FILENO);
  }
}

template <class Work>
pid_t fork_for(Work function) {
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child != 0) return child;
  function();
  std::fflush(nullptr);
  ::_exit(0);
}

// What led to a crash, from a run that keeps its lines.
void show_crash(std::uint64_t seed) {
  const Plan plan = make_plan(seed);
  std::fprintf(stderr, "FAILED %s\n  it crashed; replay: scripts/sim %llu\n",
               describe(plan).c_str(), static_cast<unsigned long long>(seed));
  const pid_t child = fork_for([&plan] {
    catch_crashes();
    const Folder folder;
    run_once(plan, Trace::Text::kept, folder.path());
  });
  int status = 0;
  ::waitpid(child, &status, 0);
  std::filesystem::remove_all(folder_of(child));
}

}  // namespace

std::uint64_t run_seeds(const RunnerOptions& options) {
  void* memory =
      ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return 1;
  Shared& shared = *new (memory) Shared;
  const auto begin = std::chrono::steady_clock::now();
  const auto time = std::chrono::duration<double>(options.seconds.value_or(0));
  const auto end = begin + std::chrono::duration_cast<std::chrono::steady_clock::duration>(time);
  const std::size_t wanted = options.jobs ? options.jobs : std::thread::hardware_concurrency();
  const std::size_t jobs = std::clamp<std::size_t>(wanted, 1, jobs_max);
  std::map<pid_t, std::size_t> workers;
  const auto start = [&](std::size_t place) {
    workers[fork_for([&] { work(shared, place, options, end); })] = place;
  };
  for (std::size_t place = 0; place < jobs; ++place) start(place);
  while (!workers.empty()) {
    int status = 0;
    const pid_t ended = ::wait(&status);
    if (ended < 0) break;
    const auto found = workers.find(ended);
    if (found == workers.end()) continue;
    const std::size_t place = found->second;
    workers.erase(found);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) continue;
    ++shared.failed;
    ++shared.done;
    std::filesystem::remove_all(folder_of(ended));
    show_crash(shared.running[place]);
    start(place);
  }
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const auto number = [](const auto& value) { return static_cast<unsigned long long>(value); };
  std::printf(
      "%llu seeds from %llu on, %llu failed; %llu files copied, %llu failures told, "
      "%llu frames, %llu of them sealed, %llu events; %.1f s, %.0f seeds a minute\n",
      number(shared.done.load()), number(options.first), number(shared.failed.load()),
      number(shared.copied.load()), number(shared.told.load()), number(shared.frames.load()),
      number(shared.sealed.load()), number(shared.events.load()), seconds,
      60 * static_cast<double>(shared.done.load()) / std::max(seconds, 1e-3));
  const std::uint64_t failed = shared.failed;
  ::munmap(memory, sizeof(Shared));
  return failed;
}

bool run_traced(std::uint64_t seed) {
  catch_crashes();
  const Folder folder;
  const Plan plan = make_plan(seed);
  std::printf("%s\n", describe(plan).c_str());
  const Outcome outcome = run_once(plan, Trace::Text::printed, folder.path());
  std::printf(
      "%zu files copied, %zu failures told, %llu events, %.3f s of virtual time, "
      "trace %016llx\n",
      outcome.copied, outcome.failed, static_cast<unsigned long long>(outcome.events),
      static_cast<double>(outcome.time.count()) / 1e9,
      static_cast<unsigned long long>(outcome.hash));
  if (outcome.violations.empty()) return true;
  std::fflush(stdout);
  tell(plan, outcome);
  return false;
}

}  // namespace smb3::sim
