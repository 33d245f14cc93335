// smb3-testserver: the scripted server over TCP, from a JSON file or options.
#include "reactor/one_shot_event.h"
#include "reactor/reactor_thread.h"
#include "reactor/run_on.h"
#include "support/server/field_map.h"
#include "support/server/listener.h"
#include "support/server/message_log.h"
#include "support/server/server.h"
#include "support/server/settings_json.h"

#include <CLI/CLI.hpp>

#include <signal.h>

#include <charconv>
#include <cstdio>
#include <fstream>
#include <iterator>

namespace smb3::server {
namespace {

constexpr Cipher all_ciphers[] = {Cipher::aes_128_gcm, Cipher::aes_128_ccm, Cipher::aes_256_gcm,
                                  Cipher::aes_256_ccm};
constexpr SigningAlgorithm all_algorithms[] = {
    SigningAlgorithm::aes_128_gmac, SigningAlgorithm::aes_128_cmac, SigningAlgorithm::hmac_sha256};

struct Options {
  std::string config, address, log, ready_file, keytab;
  std::optional<std::uint16_t> port;
  std::vector<std::string> shares, nulls, users, faults, ciphers, algorithms;
  bool guest = false, anonymous = false, sign = false, encrypt = false, strict = false;
  bool log_answers = false, help_json = false, list_fields = false;
};

Error usage(std::string what) { return Error(ErrorKind::local, std::move(what)); }

void define(CLI::App& app, Options& options) {
  app.footer(
      "Without --config there is one server; options add to what the file says, for each of its\n"
      "nodes (--port: of the first). SIGTERM and SIGINT end it, SIGUSR1 ends all connections and\n"
      "sessions as the death of a node would: opens that are persistent or durable stay.\n"
      "--help-json shows the grammar of the file and of --fault.");
  app.add_option("--config", options.config, "Settings as JSON")->type_name("FILE");
  app.add_flag("--help-json", options.help_json, "Print what --config and --fault may hold");
  app.add_flag("--list-fields", options.list_fields,
               "Print the fields of all answers, which \"set_field\" may set");
  app.add_option("--address", options.address, "Listen on this IP address (127.0.0.1)");
  app.add_option("--port", options.port, "Listen on this port (any that is free)");
  app.add_option("--share", options.shares,
                 "A share with files in memory, or in a folder (repeatable)")
      ->type_name("NAME[=FOLDER]");
  app.add_option("--null", options.nulls,
                 "A share where each file has so many bytes of a pattern, and what is written is "
                 "thrown away (repeatable)")
      ->type_name("NAME=BYTES");
  app.add_option("--user", options.users, "Who may log on (repeatable)")
      ->type_name("[DOMAIN\\]NAME%PASSWORD");
  app.add_option("--keytab", options.keytab, "Take Kerberos tickets for the keys of this file")
      ->type_name("FILE");
  app.add_flag("--guest", options.guest, "Make unknown users guests");
  app.add_flag("--anonymous", options.anonymous, "Take anonymous logons");
  app.add_flag("--sign", options.sign, "Demand signatures");
  app.add_option("--signing-algorithm", options.algorithms,
                 "AES-128-GMAC, AES-128-CMAC or HMAC-SHA256 (repeatable, preferred first)");
  app.add_flag("--encrypt", options.encrypt, "Demand encryption");
  app.add_option("--cipher", options.ciphers,
                 "AES-128-GCM, AES-128-CCM, AES-256-GCM, AES-256-CCM or none (repeatable, "
                 "preferred first)");
  app.add_flag("--strict", options.strict,
               "Refuse all that the standard refuses, also where known servers are lenient");
  app.add_option("--log", options.log,
                 "Write each message that comes in, and each logon, as a line of JSON; -: to "
                 "standard output")
      ->type_name("FILE");
  app.add_flag("--log-answers", options.log_answers, "Also each message that goes out");
  app.add_option("--fault", options.faults, "A fault as in the file (repeatable)")
      ->type_name("JSON");
  app.add_option("--ready-file", options.ready_file,
                 "Write the addresses to this file, one a line, once all listen")
      ->type_name("FILE");
}

// Each option takes one value, so that values may begin with anything.
void take_one_value_each(CLI::App& app) {
  for (CLI::Option* option : app.get_options()) {
    if (option->get_items_expected_max() > 1) {
      option->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    }
  }
}

template <class T, std::size_t count>
Result<T> find(const T (&all)[count], const std::string& name) {
  for (const T one : all) {
    if (name_of(one) == name) return one;
  }
  return std::unexpected(usage("no such algorithm: " + name));
}

ShareSettings share_of(const std::string& text) {
  ShareSettings share;
  share.guest_ok = true;
  const std::size_t middle = text.find('=');
  share.name = text.substr(0, middle);
  if (middle != text.npos) {
    share.store = StoreKind::folder;
    share.folder = text.substr(middle + 1);
  }
  return share;
}

Result<ShareSettings> null_share_of(const std::string& text) {
  ShareSettings share;
  share.guest_ok = true;
  share.store = StoreKind::null;
  const std::size_t middle = text.find('=');
  share.name = text.substr(0, middle);
  const std::string bytes = middle == text.npos ? "" : text.substr(middle + 1);
  const auto end =
      std::from_chars(bytes.data(), bytes.data() + bytes.size(), share.null_file_bytes);
  if (bytes.empty() || end.ec != std::errc() || end.ptr != bytes.data() + bytes.size()) {
    return std::unexpected(usage("--null needs NAME=BYTES, not " + text));
  }
  return share;
}

Result<UserSettings> user_of(const std::string& text) {
  const std::size_t percent = text.find('%');
  const std::size_t backslash = text.substr(0, percent).find('\\');
  UserSettings user;
  if (backslash != text.npos) user.domain = text.substr(0, backslash);
  const std::size_t name_at = backslash == text.npos ? 0 : backslash + 1;
  if (percent == text.npos || percent == name_at) {
    return std::unexpected(usage("--user needs [DOMAIN\\]NAME%PASSWORD"));
  }
  user.name = text.substr(name_at, percent - name_at);
  user.password = text.substr(percent + 1);
  return user;
}

Result<> add_lists(ServerSettings& node, const Options& options) {
  for (const std::string& text : options.shares) node.shares.push_back(share_of(text));
  for (const std::string& text : options.nulls) {
    auto share = null_share_of(text);
    if (!share) return std::unexpected(std::move(share).error());
    node.shares.push_back(std::move(*share));
  }
  for (const std::string& text : options.users) {
    auto user = user_of(text);
    if (!user) return std::unexpected(std::move(user).error());
    node.users.push_back(std::move(*user));
  }
  if (!options.algorithms.empty()) node.signing_algorithms.clear();
  for (const std::string& name : options.algorithms) {
    auto algorithm = find(all_algorithms, name);
    if (!algorithm) return std::unexpected(std::move(algorithm).error());
    node.signing_algorithms.push_back(*algorithm);
  }
  if (!options.ciphers.empty()) node.ciphers.clear();
  for (const std::string& name : options.ciphers) {
    if (name == "none") continue;
    auto cipher = find(all_ciphers, name);
    if (!cipher) return std::unexpected(std::move(cipher).error());
    node.ciphers.push_back(*cipher);
  }
  for (const std::string& text : options.faults) {
    auto fault = fault_from_json(text);
    if (!fault) return std::unexpected(std::move(fault).error());
    std::visit([&node](auto&& one) { node.faults.add(std::move(one)); }, std::move(*fault));
  }
  return {};
}

Result<> apply(ServerSettings& node, const Options& options) {
  if (!options.address.empty()) node.address = options.address;
  if (!options.keytab.empty()) node.keytab = options.keytab;
  if (options.guest) node.allow_guest = true;
  if (options.anonymous) node.allow_anonymous = true;
  if (options.sign) node.signing = SigningPolicy::required;
  if (options.encrypt) node.encrypt = true;
  if (options.strict) node.strict = true;
  return add_lists(node, options);
}

Result<TestServerSettings> settings_of(const Options& options) {
  TestServerSettings settings;
  settings.nodes.emplace_back();
  if (!options.config.empty()) {
    std::ifstream file(options.config);
    if (!file) return std::unexpected(usage("cannot read " + options.config));
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    auto read = settings_from_json(text);
    if (!read) return std::unexpected(std::move(read).error().on(options.config));
    settings = std::move(*read);
  }
  if (!options.log.empty()) settings.log = options.log;
  if (options.log_answers) settings.log_answers = true;
  if (options.port) settings.nodes.front().port = *options.port;
  for (ServerSettings& node : settings.nodes) {
    if (auto applied = apply(node, options); !applied)
      return std::unexpected(std::move(applied).error());
  }
  return settings;
}

// One server with its port. Lives on the reactor's thread, but for its listener.
struct Node {
  std::unique_ptr<AcceptorFactory> acceptors{};
  std::unique_ptr<Server> server{};
  std::unique_ptr<Listener> listener{};
  TaskGroup connections{};
};
using Nodes = std::vector<std::unique_ptr<Node>>;

template <class Function>
void on_reactor(Reactor& reactor, Function function) {
  OneShotEvent done;
  reactor.post([&] {
    function();
    done.set();
  });
  done.wait();
}

Result<Nodes> make_nodes(Reactor& reactor, const TestServerSettings& settings, Cluster& cluster,
                         MessageLog& log) {
  Nodes nodes;
  for (const ServerSettings& each : settings.nodes) {
    auto node = std::make_unique<Node>();
    auto acceptors = make_gss_acceptors(each);
    if (!acceptors) return std::unexpected(std::move(acceptors).error());
    node->acceptors = std::move(*acceptors);
    auto listener = Listener::open(each.address, each.port);
    if (!listener) return std::unexpected(std::move(listener).error());
    node->listener = std::move(*listener);
    node->server = std::make_unique<Server>(reactor, each, cluster, *node->acceptors, log);
    nodes.push_back(std::move(node));
  }
  return nodes;
}

Result<> tell_addresses(const Nodes& nodes, const std::string& ready_file) {
  for (const auto& node : nodes) {
    std::printf("listening on %s\n", node->listener->address().c_str());
  }
  std::fflush(stdout);
  if (ready_file.empty()) return {};
  // Under its name only when it is whole: somebody waits for it.
  const std::string unfinished = ready_file + ".part";
  std::ofstream file(unfinished);
  for (const auto& node : nodes) file << node->listener->address() << '\n';
  file.close();
  if (!file || std::rename(unfinished.c_str(), ready_file.c_str()) != 0) {
    return std::unexpected(usage("cannot write " + ready_file));
  }
  return {};
}

Task<void> stop(Nodes& nodes) {
  for (const auto& node : nodes) co_await node->server->stop();
  for (const auto& node : nodes) co_await node->connections.below(1);
}

void wait_for_the_end(const sigset_t& signals, Reactor& reactor, Nodes& nodes) {
  while (true) {
    int number = 0;
    if (::sigwait(&signals, &number) != 0) return;
    if (number != SIGUSR1) return;
    on_reactor(reactor, [&nodes] {
      for (const auto& node : nodes) node->server->restart();
    });
  }
}

Result<> serve(const Options& options, const sigset_t& signals) {
  auto settings = settings_of(options);
  if (!settings) return std::unexpected(std::move(settings).error());
  auto log = MessageLog::open(settings->log, settings->log_answers);
  if (!log) return std::unexpected(std::move(log).error());
  auto thread = ReactorThread::start();
  if (!thread) return std::unexpected(std::move(thread).error());
  Reactor& reactor = (*thread)->reactor();

  std::unique_ptr<Cluster> cluster;
  Result<Nodes> nodes;
  on_reactor(reactor, [&] {
    auto made = Cluster::create(reactor, settings->nodes.front());
    if (!made) {
      nodes = std::unexpected(std::move(made).error());
      return;
    }
    cluster = std::move(*made);
    nodes = make_nodes(reactor, *settings, *cluster, *log);
  });
  Result<> done;
  if (!nodes) {
    done = std::unexpected(std::move(nodes).error());
  } else {
    for (const auto& each : *nodes) {
      Node& node = *each;
      node.listener->start(reactor, [&node](Socket socket) {
        node.connections.start(node.server->serve(std::move(socket)));
      });
    }
    done = tell_addresses(*nodes, options.ready_file);
    if (done) wait_for_the_end(signals, reactor, *nodes);
    for (const auto& node : *nodes) node->listener.reset();
    done = run_on(reactor, [&nodes] { return stop(*nodes); });
  }
  on_reactor(reactor, [&] {
    if (nodes) nodes->clear();
    cluster.reset();
  });
  return done;
}

int run(int argc, char** argv) {
  Options options;
  CLI::App app("A scripted SMB 3.1.1 server for tests", "smb3-testserver");
  define(app, options);
  take_one_value_each(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  if (options.list_fields) {
    const std::string fields = list_fields();
    std::fwrite(fields.data(), 1, fields.size(), stdout);
    return 0;
  }
  if (options.help_json) {
    std::fwrite(json_help().data(), 1, json_help().size(), stdout);
    return 0;
  }
  // Before there are threads, so that all of them leave the signals to us.
  sigset_t signals;
  ::sigemptyset(&signals);
  for (const int number : {SIGTERM, SIGINT, SIGUSR1}) ::sigaddset(&signals, number);
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  if (auto served = serve(options, signals); !served) {
    std::fprintf(stderr, "smb3-testserver: %s\n", describe(served.error()).c_str());
    return 2;
  }
  return 0;
}

}  // namespace
}  // namespace smb3::server

int main(int argc, char** argv) { return smb3::server::run(argc, argv); }
