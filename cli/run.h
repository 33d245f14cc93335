// One run of a tool: its connections, its copies and its end, the same for smbcp and smbget.
#pragma once

#include "console.h"
#include "credentials.h"
#include "options.h"
#include "progress.h"
#include "report.h"
#include "side.h"
#include "signals.h"
#include "tree_copy.h"

#include <smbclient3/client.h>

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace smb3::cli {

class Run : private TreeObserver {
 public:
  // Where notes go, and the object of --json.
  struct Outputs {
    int notes;
    int object;
  };
  Run(std::string program, CommonOptions& options, Outputs outputs);
  ~Run() override;

  // Prepares for connections. False: failed, and said so.
  bool start();
  // The side of the share that `where` lies on, connected at first need; null: failed, and said so.
  Side* side_of(const SharePath& where);
  // What lies at a path of a side.
  Result<Entry> status(Side& side, std::string path);
  Side& local_side() { return *local_side_; }

  void copy(std::vector<TreeJob> jobs, TreePolicy policy);
  void failed(Phase phase, const std::string& path, const Error& error);

  // Disconnects, says what there is to say, and returns the exit code.
  int finish();

  const Report& report() const noexcept { return report_; }
  Console& console() noexcept { return console_; }

 private:
  struct Connection {
    std::unique_ptr<Share> share;
    std::unique_ptr<Side> side;
    Phase phase = Phase::connect;  // in which there was the error
    std::optional<Error> error;
  };

  Result<Share> connect(const SharePath& where, Phase& phase);
  Result<Credentials> ask(const Login& login);
  void disconnect();
  void interrupt_by_signal();

  void found(std::uint64_t bytes) override;
  void all_found() override;
  void planned(const std::string& from, const std::string& to) override;
  void copied(const std::string& from, const std::string& to, std::uint64_t bytes) override;
  void left_out(const std::string& path, const std::string& what) override;
  void failed(const std::string& path, const Error& error) override;

  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  CommonOptions& options_;
  Outputs outputs_;
  Console console_;
  Report report_;
  ProgressCounters counters_;
  Signals signals_;
  std::unique_ptr<Side> local_side_ = make_local_side();
  std::optional<Logins> logins_;
  std::optional<Client> client_;
  std::size_t descriptors_ = 0;
  std::map<std::string, Connection> connections_;
};

// SIGPIPE, and the three standard descriptors.
void prepare_process();
// What main() returns, at the very end.
int end_process(int code);

// How many files may be open at once, raised as far as that is allowed.
std::size_t descriptor_limit();

// For a command line that cannot be carried out: says why, and returns the exit code.
int refuse_usage(std::string_view program, const Error& error, bool json);

// Writes a text for --help or --version, and returns the exit code.
int show(std::string_view program, std::string_view text);
std::string version_text(std::string_view program);

}  // namespace smb3::cli
