// smbget: downloads files and trees into the current directory.
#include "place.h"
#include "run.h"
#include "text.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <utility>

namespace smb3::cli {
namespace {

TreePolicy policy_of(const SmbgetOptions& options) {
  TreePolicy policy;
  policy.recursive = options.recursive;
  policy.copy.through_temporary = false;  // what arrived is kept, under the final name
  policy.copy.must_not_exist = !options.to_stdout;
  if (options.to_stdout) policy.files_at_once = 1;  // one behind the other
  return policy;
}

// A file goes under its own name into the current directory, and a directory's members do.
Result<std::string> target_of(Run& run, Side& from, const Place& source,
                              const SmbgetOptions& options) {
  if (!options.output_file.empty()) return options.output_file;
  if (!options.recursive) return last_component(source);
  auto entry = run.status(from, source.path());
  if (!entry) return std::unexpected(std::move(entry).error());
  return entry->kind == EntryKind::directory ? "." : last_component(source);
}

std::vector<TreeJob> jobs_of(Run& run, const std::vector<Place>& sources, Side& to,
                             const SmbgetOptions& options) {
  std::vector<TreeJob> jobs;
  for (const Place& source : sources) {
    Side* from = run.side_of(*source.share);
    if (from == nullptr) continue;
    auto target = target_of(run, *from, source, options);
    if (!target) {
      run.failed(Phase::file, source.display(), target.error());
      continue;
    }
    jobs.push_back({.from = from,
                    .from_path = source.path(),
                    .to = &to,
                    .to_path = *target,
                    .source_must_be_directory = source.trailing_slash});
  }
  return jobs;
}

void summarize(Run& run, const SmbgetOptions& options, double seconds) {
  if (options.verbosity == Verbosity::quiet || run.report().files() == 0) return;
  run.console().answer(
      fmt::format("Downloaded {} in {:.1f} seconds", human_size(run.report().bytes()), seconds));
}

int smbget(int argc, char** argv) {
  prepare_process();
  auto begin = std::chrono::steady_clock::now();
  auto options = read_smbget_options(argc, argv);
  if (!options) return refuse_usage("smbget", options.error(), asks_for_json(argc, argv));
  if (options->show_help) return show("smbget", smbget_help());
  if (options->show_version) return show("smbget", version_text("smbget"));
  std::vector<Place> sources;
  for (const std::string& text : options->operands) {
    auto place = parse_place(text, options->client.port);
    if (!place) return refuse_usage("smbget", place.error(), options->json);
    sources.push_back(std::move(*place));
  }

  Run run("smbget", *options,
          {.notes = STDERR_FILENO, .object = options->to_stdout ? STDERR_FILENO : STDOUT_FILENO});
  if (!run.start()) return run.finish();
  std::unique_ptr<Side> to = options->to_stdout ? make_stdout_side() : make_local_side();
  run.copy(jobs_of(run, sources, *to, *options), policy_of(*options));
  std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  summarize(run, *options, elapsed.count());
  return run.finish();
}

}  // namespace
}  // namespace smb3::cli

int main(int argc, char** argv) { return smb3::cli::end_process(smb3::cli::smbget(argc, argv)); }
