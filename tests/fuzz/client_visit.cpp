#include "fuzz/client_visit.h"

#include "connection/connection.h"
#include "connection/negotiation.h"
#include "crypto/available.h"
#include "session/control.h"
#include "session/directory_listing.h"
#include "session/open.h"
#include "session/path_status.h"
#include "wire/network_interface.h"

#include <smbclient3/task_group.h>

namespace smb3::fuzz {
namespace {

constexpr Duration timeout = std::chrono::seconds(4);
// No server can keep a client longer than that: the answers of a run are few, and each has its
// deadline.
constexpr Duration longest_visit = std::chrono::hours(2);
constexpr int pages_max = 4;
constexpr wire::AccessMask read_and_write =
    wire::AccessMask::read_data | wire::AccessMask::write_data | wire::AccessMask::delete_access;

// What is wrong is the server's fault or a finding; either way the visit goes on.
template <class T>
Task<void> try_it(Task<T> task) {
  auto tried = co_await attempt(std::move(task));
  if (!tried) require(!describe(tried.error()).empty(), "an error without words");
}

Task<void> list(TreeConnect& tree) {
  auto listing = co_await DirectoryListing::open(tree, "folder");
  for (int page = 0; page < pages_max; ++page) {
    auto entries = co_await attempt(listing->next());
    if (!entries || entries->empty()) break;
    for (const DirectoryEntry& entry : *entries) {
      if (!entry.name) continue;
      const std::string& name = *entry.name;
      require(!name.empty() && name != "." && name != ".." &&
                  name.find_first_of(std::string_view("/\\\0", 3)) == name.npos,
              "a name of a listing leads elsewhere");
    }
  }
  co_await listing->close();
}

Task<void> read(Open& open, std::uint64_t offset, std::uint32_t length) {
  Reservation reservation = co_await open.connection().pool().reserve();
  const ReadResult result = co_await open.read(offset, length);
  require(result.data.size() <= length, "more was read than asked for");
  // A view of memory that is still there.
  unsigned sum = 0;
  for (const std::byte byte : result.data) sum += std::to_integer<unsigned>(byte);
  static_cast<void>(*const_cast<volatile unsigned*>(&sum));
}

Task<void> use_file(TreeConnect& tree) {
  CreateParameters parameters;
  parameters.desired_access = read_and_write;
  parameters.oplock_level = wire::OplockLevel::batch;
  auto open = co_await Open::create(tree, "folder/file", parameters);
  TaskGroup side_by_side;
  side_by_side.start(try_it(read(*open, 0, 4096)));
  side_by_side.start(try_it(read(*open, 4096, 200'000)));
  side_by_side.start(try_it(read(*open, 1'000'000, 100)));
  co_await side_by_side.below(1);
  const Octets data(70'000, std::byte{'w'});
  co_await try_it(open->write(0, data, true));
  co_await try_it(open->flush());
  co_await try_it(open->status());
  co_await try_it(open->set_end_of_file(10));
  const BasicInformation basic{};
  co_await try_it(open->set_basic(basic));
  co_await try_it(open->rename("folder/other", true));
  co_await try_it(open->close());
}

Task<void> ask_for_interfaces(TreeConnect& tree) {
  const ControlParameters parameters{.code = wire::ControlCode::query_network_interface_info,
                                     .max_output_bytes = limits::credit_bytes,
                                     .must_sign = true};
  const auto output = co_await control(tree, parameters);
  static_cast<void>(wire::decode_chain<wire::NetworkInterfaceInfo>(output));
}

Task<void> use_share(Session& session) {
  auto tree = co_await TreeConnect::connect(session, "fs.lab.test", "data");
  co_await try_it(path_status(*tree, "folder/file"));
  co_await try_it(list(*tree));
  co_await try_it(use_file(*tree));
  co_await try_it(ask_for_interfaces(*tree));
  co_await try_it(session.renew());
  co_await tree->disconnect();
}

Task<void> use_connection(Connection& connection, Wishes wishes, Outcome& outcome) {
  NegotiateOptions options;
  options.server_name = "fs.lab.test";
  // Asked for once: it takes OpenSSL longer than all of the visit.
  static const std::vector<Cipher> ciphers = preferred_ciphers();
  static const std::vector<SigningAlgorithm> algorithms = preferred_signing_algorithms();
  options.ciphers = ciphers;
  options.signing_algorithms = algorithms;
  options.signing_required = wishes.sign;
  const Negotiated negotiated = co_await negotiate(connection, std::move(options));
  outcome.negotiated = true;
  if (wishes.negotiate_only) co_return;
  auto logon = std::make_shared<LogonRequest>();
  logon->user = "user";
  logon->anonymous = wishes.anonymous;
  const SecurityPolicy policy{.sign = wishes.sign, .encrypt = wishes.encrypt};
  auto session =
      co_await Session::setup(connection, negotiated, std::move(logon), "fs.lab.test", policy);
  outcome.logged_on = true;
  require(!wishes.encrypt || session->seals(), "a session does not encrypt although it must");
  require(!wishes.sign || session->signs() || session->seals(),
          "a session does not sign although it must");
  co_await try_it(use_share(*session));
  co_await session->logoff();
}

}  // namespace

Task<void> visit(Reactor& reactor, BufferPool& pool, Wishes wishes, Outcome& outcome) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  std::vector<Endpoint> endpoints = {
      make_endpoint(reinterpret_cast<sockaddr*>(&address), sizeof address)};
  ConnectionOptions options{.server_label = "fs.lab.test", .timeout = timeout};
  auto connection =
      co_await Connection::open(reactor, pool, std::move(endpoints), std::move(options));
  co_await try_it(use_connection(*connection, wishes, outcome));
  outcome.failed = connection->has_failed();
  co_await connection->close();
}

Outcome run_visit(MemoryReactor& reactor, Wishes wishes) {
  Outcome outcome;
  BufferPool pool(reactor, 4, limits::head_room_bytes + limits::large_frame_bytes, false);
  TaskGroup group;
  group.start(visit(reactor, pool, wishes, outcome));
  const bool ended = reactor.run([&group] { return group.running() == 0; }, longest_visit);
  require(ended, "the client waits for ever");
  reactor.run_idle();
  require(reactor.open_sockets() == 0, "a socket stays open");
  require(pool.free_buffers() == 4 && pool.reserved() == 0, "a buffer is lost");
  return outcome;
}

void visit_script(Bytes input, bool negotiate_only,
                  const std::function<void(const ServerScript&)>& look) {
  MemoryReactor reactor;
  ServerScript script(reactor, input);
  reactor.set_peer(script);
  const Conversation& conversation = script.conversation();
  const Outcome outcome = run_visit(reactor, {.anonymous = conversation.anonymous,
                                              .sign = conversation.policy_sign,
                                              .encrypt = conversation.policy_encrypt,
                                              .negotiate_only = negotiate_only});
  require(!script.must_have_failed() || outcome.failed,
          "an answer was accepted whose protection is missing or wrong");
  require(!script.must_not_log_on() || !outcome.logged_on,
          "a logon was accepted whose proof is missing or wrong");
  if (look) look(script);
}

}  // namespace smb3::fuzz
