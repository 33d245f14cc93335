#include "run.h"

#include "place.h"
#include "prompt.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace smb3::cli {
namespace {

// Shares are of use, and end, on the client's thread alone.
Task<ConnectionInformation> take_leave(std::unique_ptr<Share> share) {
  std::unique_ptr<Share> held = std::move(share);
  ConnectionInformation information = held->information();
  auto closed = co_await attempt(held->close());
  static_cast<void>(closed);  // every file was closed, and told of, before
  held.reset();
  co_return std::move(information);
}

// What a run needs beside its files: the standard ones, the ring, the connection, a logon's.
constexpr std::size_t descriptors_for_all = 24;
constexpr std::size_t descriptors_of_a_file = 4;  // with its folder, and around the page cache

std::string connection_key(const SharePath& where) {
  std::string user = where.user.value_or("");
  std::string domain = where.domain.value_or("");
  return folded(where.server) + '\0' + std::to_string(where.port) + '\0' + folded(where.share) +
         '\0' + domain + '\0' + user;
}

// The share alone, which is all that a connection needs to know.
SharePath share_of(const SharePath& where) {
  SharePath share;
  share.server = where.server;
  share.port = where.port;
  share.share = where.share;
  return share;
}

}  // namespace

Run::Run(std::string program, CommonOptions& options, Outputs outputs)
    : options_(options),
      outputs_(outputs),
      console_(std::move(program), options.verbosity, outputs.notes) {}

Run::~Run() {
  disconnect();
  signals_.detach();
}

bool Run::start() {
  descriptors_ = descriptor_limit();
  if (descriptors_ < descriptors_for_all) {
    const Error error =
        Error(ErrorKind::local, "only " + std::to_string(descriptors_) +
                                    " files may be open at once, and " +
                                    std::to_string(descriptors_for_all) + " are needed")
            .advise("raise the limit: ulimit -n");
    failed(Phase::setup, "", error);
    return false;
  }
  if (!options_.credentials.ccache.empty()) {
    ::setenv("KRB5CCNAME", options_.credentials.ccache.c_str(), 1);
  }
  logins_.emplace(std::move(options_.credentials),
                  [](const char* name) -> const char* { return std::getenv(name); });
  // Unreadable files are told of before anything is sent.
  if (auto login = logins_->check_file(); !login) {
    failed(Phase::setup, login.error().object(), login.error());
    return false;
  }
  auto client = Client::create(options_.client);
  if (!client) {
    failed(Phase::setup, client.error().object(), client.error());
    return false;
  }
  client_.emplace(std::move(*client));
  interrupt_by_signal();
  return true;
}

void Run::interrupt_by_signal() {
  signals_.attach([this] { client_->interrupt(); });
}

Result<Credentials> Run::ask(const Login& login) {
  if (login.user.empty()) {
    return std::unexpected(
        Error(ErrorKind::local, "no user is named").advise("name one with -U, or use -N or -a"));
  }
  auto password = ask_password("Password for [" + login.user_label() + "]: ");
  if (!password) return std::unexpected(std::move(password).error());
  return login.with_password(std::move(*password));
}

Result<Share> Run::connect(const SharePath& where, Phase& phase) {
  phase = Phase::setup;
  auto login = logins_->login_for(where);
  if (!login) return std::unexpected(std::move(login).error());
  Credentials credentials = login->credentials.clone();
  if (login->must_ask) {
    auto answered = ask(*login);
    if (!answered) return std::unexpected(std::move(answered).error());
    credentials = std::move(*answered);
  }
  phase = Phase::connect;
  auto share = client_->run(client_->connect(share_of(where), std::move(credentials)));
  // A ticket may have done, and did not.
  bool refused = !share && share.error().kind() == ErrorKind::authentication;
  if (!refused || !login->may_ask || login->must_ask || !has_terminal()) return share;
  auto answered = ask(*login);
  if (!answered) return std::unexpected(std::move(answered).error());
  return client_->run(client_->connect(share_of(where), std::move(*answered)));
}

Side* Run::side_of(const SharePath& where) {
  Connection& connection = connections_[connection_key(where)];
  if (!connection.side && !connection.error) {
    auto share = connect(where, connection.phase);
    if (share) {
      connection.share = std::make_unique<Share>(std::move(*share));
      connection.side = make_remote_side(*connection.share);
    } else {
      connection.error = std::move(share).error();
    }
  }
  if (connection.error) failed(connection.phase, where.display(), *connection.error);
  return connection.side.get();
}

Result<Entry> Run::status(Side& side, std::string path) {
  return client_->run(side.status(std::move(path)));
}

void Run::copy(std::vector<TreeJob> jobs, TreePolicy policy) {
  if (jobs.empty()) return;  // what there was has failed
  policy.copy.progress = &counters_.copy;
  const std::size_t files = 1 + (descriptors_ - descriptors_for_all) / descriptors_of_a_file;
  policy.files_at_once = std::min(policy.files_at_once, files);
  TreeCopy tree(policy, *this);
  signals_.attach([this, &tree] {
    tree.stop();
    client_->interrupt();
  });
  if (signals_.received() == 0) {
    std::optional<ProgressDisplay> display;
    if (wants_progress(options_.progress, options_.verbosity, ::isatty(STDERR_FILENO) == 1)) {
      display.emplace(console_, counters_, options_.progress == ProgressMode::always);
    }
    auto ended = client_->run(tree.run(std::move(jobs)));
    static_cast<void>(ended);  // each file's failure was told of
  }
  interrupt_by_signal();  // `tree` ends here
}

void Run::failed(Phase phase, const std::string& path, const Error& error) {
  report_.failed(phase, path, error);
  console_.error(path.empty() ? message_for(path, error) : path + ": " + message_for(path, error));
}

void Run::disconnect() {
  for (auto& [key, connection] : connections_) {
    connection.side.reset();
    if (!connection.share) continue;
    auto information = client_->run(take_leave(std::move(connection.share)));
    if (!information) continue;
    report_.connected(*information);
    for (const std::string& line : channel_table(*information)) console_.note(line);
  }
  connections_.clear();
}

int Run::finish() {
  disconnect();
  signals_.detach();
  client_.reset();
  int signal_number = signals_.received();
  if (options_.json) {
    std::string object = report_.json(std::chrono::steady_clock::now() - begin_);
    if (!write_text(outputs_.object, object)) console_.lost_output();
  }
  int code = report_.exit_code(signal_number);
  return code == exit_code::done && !console_.is_complete() ? exit_code::file_failed : code;
}

void Run::found(std::uint64_t bytes) {
  ++counters_.files_found;
  counters_.bytes_found += bytes;
}

void Run::all_found() { counters_.all_found = true; }

void Run::planned(const std::string& from, const std::string& to) {
  console_.answer(from + " -> " + to);
}

void Run::copied(const std::string& from, const std::string& to, std::uint64_t bytes) {
  ++counters_.files_done;
  report_.copied(bytes);
  console_.note(from + " -> " + to);
}

void Run::left_out(const std::string& path, const std::string& what) {
  console_.warning(path + ": left out: " + what);
}

void Run::failed(const std::string& path, const Error& error) { failed(Phase::file, path, error); }

}  // namespace smb3::cli
