// smbcp: copies files and trees between shares and the local system.
#include "place.h"
#include "run.h"

#include <sys/stat.h>
#include <unistd.h>

#include <memory>
#include <set>
#include <utility>

namespace smb3::cli {
namespace {

struct Operands {
  std::vector<Place> sources;
  Place destination;
};

Result<Operands> places_of(const std::vector<std::string>& texts, std::uint16_t port) {
  Operands operands;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    auto place = parse_place(texts[i], port);
    if (!place) return std::unexpected(std::move(place).error());
    if (i + 1 == texts.size()) {
      operands.destination = std::move(*place);
    } else {
      operands.sources.push_back(std::move(*place));
    }
  }
  for (const Place& source : operands.sources) {
    if (source.is_local() && operands.destination.is_local()) {
      return std::unexpected(
          Error(ErrorKind::local, "neither the source nor the destination is on a share")
              .on(source.display())
              .advise("cp copies local files"));
    }
  }
  return operands;
}

TreePolicy policy_of(const SmbcpOptions& options) {
  TreePolicy policy;
  policy.recursive = options.recursive;
  policy.preserve_directories = options.preserve;
  policy.dry_run = options.dry_run;
  policy.copy.preserve = options.preserve;
  policy.copy.through_temporary = !options.in_place;
  policy.copy.write_through = options.write_through;
  return policy;
}

// Whether what is written to the destination arrives at standard output.
bool is_stdout(const Place& destination) {
  struct stat named, output;
  return destination.is_local() && ::stat(destination.local.c_str(), &named) == 0 &&
         !S_ISDIR(named.st_mode) && ::fstat(STDOUT_FILENO, &output) == 0 &&
         named.st_dev == output.st_dev && named.st_ino == output.st_ino;
}

// The jobs of one run, all with the same destination.
class Plan {
 public:
  Plan(Run& run, const Place& destination) : run_(run), destination_(destination) {}

  // False: failed, and said so.
  bool look_at_destination(std::size_t sources) {
    if (is_stdout(destination_)) {
      stdout_ = make_stdout_side();
      side_ = stdout_.get();
    } else {
      side_ = destination_.is_local() ? &run_.local_side() : run_.side_of(*destination_.share);
    }
    if (side_ == nullptr) return false;
    Destination found{.trailing_slash = destination_.trailing_slash};
    auto entry = run_.status(*side_, destination_.path());
    if (entry) {
      found.exists = true;
      found.is_directory = entry->kind == EntryKind::directory;
    } else if (entry.error().kind() != ErrorKind::not_found) {
      run_.failed(Phase::file, destination_.display(), entry.error());
      return false;
    }
    auto rule = target_rule(found, sources);
    if (!rule) {
      run_.failed(Phase::file, destination_.display(), rule.error());
      return false;
    }
    rule_ = *rule;
    return true;
  }

  void add(const Place& source) {
    Side* from = source.is_local() ? &run_.local_side() : run_.side_of(*source.share);
    if (from == nullptr) return;
    bool is_below = rule_ == TargetRule::below_the_destination;
    std::string name = is_below ? last_component(source) : "";
    TreeJob job{.from = from,
                .from_path = source.path(),
                .to = side_,
                .to_path = join(destination_.path(), name),
                .target_must_be_directory = !is_below && destination_.trailing_slash,
                .source_must_be_directory = source.trailing_slash};
    if (auto allowed = check(source, name, job.to_path.text()); !allowed) {
      run_.failed(Phase::file, source.display(), allowed.error());
      return;
    }
    jobs_.push_back(std::move(job));
  }

  std::vector<TreeJob> take_jobs() { return std::move(jobs_); }

 private:
  Result<void> check(const Place& source, const std::string& name, const std::string& to_path) {
    if (!name.empty()) {
      if (auto usable = side_->check_name(name); !usable) return usable;
    } else if (!destination_.is_local()) {
      auto usable = check_end_of_share_name(destination_.path());
      if (!usable) return std::unexpected(std::move(usable).error().on(destination_.display()));
    }
    if (!source.is_local() && !destination_.is_local()) {
      SharePath target;
      target.server = destination_.share->server;
      target.port = destination_.share->port;
      target.share = destination_.share->share;
      target.path = to_path;
      if (is_same_or_below(*source.share, target)) {
        return std::unexpected(Error(ErrorKind::exists, "cannot be copied onto or into itself"));
      }
    }
    std::string key = destination_.is_local() ? to_path : folded(to_path);
    if (!targets_.insert(key).second) {
      return std::unexpected(Error(ErrorKind::exists, "another source has the same target")
                                 .on(side_->display(to_path)));
    }
    return {};
  }

  Run& run_;
  const Place& destination_;
  std::unique_ptr<Side> stdout_;
  Side* side_ = nullptr;
  TargetRule rule_{};
  std::set<std::string> targets_;
  std::vector<TreeJob> jobs_;
};

int smbcp(int argc, char** argv) {
  prepare_process();
  auto options = read_smbcp_options(argc, argv);
  if (!options) return refuse_usage("smbcp", options.error(), asks_for_json(argc, argv));
  if (options->show_help) return show("smbcp", smbcp_help());
  if (options->show_version) return show("smbcp", version_text("smbcp"));
  auto operands = places_of(options->operands, options->client.port);
  if (!operands) return refuse_usage("smbcp", operands.error(), options->json);

  bool stdout_is_taken = is_stdout(operands->destination);
  int object = stdout_is_taken ? STDERR_FILENO : STDOUT_FILENO;
  int notes = stdout_is_taken || options->json ? STDERR_FILENO : STDOUT_FILENO;
  Run run("smbcp", *options, {.notes = notes, .object = object});
  if (!run.start()) return run.finish();
  Plan plan(run, operands->destination);
  if (plan.look_at_destination(operands->sources.size())) {
    for (const Place& source : operands->sources) plan.add(source);
    run.copy(plan.take_jobs(), policy_of(*options));
  }
  return run.finish();
}

}  // namespace
}  // namespace smb3::cli

int main(int argc, char** argv) { return smb3::cli::end_process(smb3::cli::smbcp(argc, argv)); }
