// What the tools do not need but a session can do, tried on a real server:
//   session_probe PORT requests        FLUSH, QUERY_INFO, SET_INFO, IOCTL, ECHO
//   session_probe PORT hold FILE       opens FILE with a batch oplock, says "held", then "broken"
//                                      when another open has broken it; ends with its input
//   session_probe PORT renew           renews the session and works on; after a line of input once
//                                      more, which shall be refused: says why
//   session_probe PORT logons COUNT    as many refused logons; none may leave a thing
#include "base/limits.h"
#include "connection/connection.h"
#include "connection/negotiation.h"
#include "crypto/available.h"
#include "reactor/reactor_thread.h"
#include "reactor/resolve.h"
#include "reactor/run_on.h"
#include "session/control.h"
#include "session/open.h"
#include "wire/echo.h"
#include "wire/network_interface.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iterator>

namespace {

using namespace smb3;

constexpr auto timeout = std::chrono::seconds(10);
constexpr wire::AccessMask read_and_write =
    wire::AccessMask::read_data | wire::AccessMask::write_data | wire::AccessMask::read_attributes |
    wire::AccessMask::write_attributes | wire::AccessMask::delete_access |
    wire::AccessMask::synchronize;

void say(const char* word) {
  std::puts(word);
  std::fflush(stdout);
}

Task<void> requests(TreeConnect& tree) {
  CreateParameters parameters;
  parameters.desired_access = read_and_write;
  parameters.disposition = wire::CreateDisposition::create;
  auto open = co_await Open::create(tree, "probe", parameters);
  const std::vector<std::byte> data(100'000, std::byte{7});
  co_await open->write(0, data, false);
  co_await open->flush();
  co_await open->set_end_of_file(70'000);
  const FileStatus status = co_await open->status();
  if (status.size_bytes != 70'000) co_await Error(ErrorKind::failed, "the size was not set");

  ControlParameters resume_key{.code = wire::ControlCode::srv_request_resume_key,
                               .file_id = open->file_id(),
                               .max_output_bytes = 32};
  const auto key = co_await control(tree, resume_key);
  if (key.size() < 28) co_await Error(ErrorKind::failed, "the resume key is too short");
  ControlParameters interfaces{.code = wire::ControlCode::query_network_interface_info,
                               .max_output_bytes = limits::credit_bytes,
                               .must_sign = true};
  const auto list = co_await control(tree, interfaces);
  auto decoded = wire::decode_chain<wire::NetworkInterfaceInfo>(list);
  const auto found = co_await std::move(decoded);
  if (found.empty()) co_await Error(ErrorKind::failed, "the server names no interface");

  Request request;
  request.set(wire::EchoRequest{});
  tree.session().prepare(request);
  Exchange exchange(request);
  auto answered = co_await attempt(tree.session().transact(exchange));
  co_await std::move(answered);
  if (request.status() != NtStatus::success) co_await status_error(request.status(), "ECHO");
  co_await open->remove_on_close();
  auto closed = co_await attempt(open->close());
  if (!closed) co_await std::move(closed).error();
  say("done");
}

Task<void> hold(TreeConnect& tree, std::string path) {
  CreateParameters parameters;
  parameters.desired_access = read_and_write;
  parameters.share_access = wire::ShareAccess::read | wire::ShareAccess::write;
  parameters.oplock_level = wire::OplockLevel::batch;
  auto open = co_await Open::create(tree, path, parameters);
  const auto held = static_cast<wire::OplockLevel>(open->oplock_level());
  say(held == wire::OplockLevel::batch ? "held" : "not held");
  Reactor& reactor = tree.connection().reactor();
  while (static_cast<wire::OplockLevel>(open->oplock_level()) == held &&
         !tree.connection().has_failed()) {
    co_await sleep_until(reactor, reactor.now() + std::chrono::milliseconds(10));
  }
  say("broken");
  // The acknowledgement goes out meanwhile; the caller ends our input when it has seen its effect.
  std::function<Result<int>()> wait = []() -> Result<int> { return std::getchar(); };
  co_await run_blocking<int>(reactor, reactor.now() + 6 * timeout, std::move(wait));
  auto closed = co_await attempt(open->close());
  if (!closed) co_await std::move(closed).error();
}

Task<std::unique_ptr<Session>> log_on(Connection& connection, Negotiated& negotiated,
                                      std::string password) {
  NegotiateOptions options;
  options.server_name = "127.0.0.1";
  connection.reactor().random(options.client_guid.bytes);
  options.ciphers = preferred_ciphers();
  options.signing_algorithms = preferred_signing_algorithms();
  negotiated = co_await negotiate(connection, std::move(options));
  auto logon = std::make_shared<LogonRequest>();
  logon->user = "alice";
  logon->password = SecretString(password);
  logon->kerberos = KerberosUse::off;
  const SecurityPolicy policy;
  co_return co_await Session::setup(connection, negotiated, std::move(logon), "127.0.0.1", policy);
}

Task<void> renew(Session& session, TreeConnect& tree) {
  co_await session.renew();
  co_await requests(tree);
  std::function<Result<int>()> wait = []() -> Result<int> { return std::getchar(); };
  Reactor& reactor = tree.connection().reactor();
  co_await run_blocking<int>(reactor, reactor.now() + 6 * timeout, std::move(wait));
  auto refused = co_await attempt(session.renew());
  say(refused ? "renewed" : describe(refused.error()).c_str());
}

Task<void> with_tree(Connection& connection, std::string what, std::string path) {
  Negotiated negotiated;
  auto session = co_await log_on(connection, negotiated, "Passw0rd!");
  auto tree = co_await TreeConnect::connect(*session, "127.0.0.1", "rw");
  if (what == "hold") {
    co_await hold(*tree, std::move(path));
  } else if (what == "renew") {
    co_await renew(*session, *tree);
  } else {
    co_await requests(*tree);
  }
  co_await tree->disconnect();
  co_await session->logoff();
}

std::ptrdiff_t open_descriptors() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
}

Task<std::unique_ptr<Connection>> connect(Reactor& reactor, BufferPool& pool, std::uint16_t port) {
  auto endpoints = co_await resolve(reactor, "127.0.0.1", port, reactor.now() + timeout);
  ConnectionOptions options{.server_label = "127.0.0.1", .timeout = timeout};
  co_return co_await Connection::open(reactor, pool, std::move(endpoints), std::move(options));
}

// Each refused logon gives back all that it took.
Task<void> refused_logons(Reactor& reactor, BufferPool& pool, std::uint16_t port, int count) {
  std::ptrdiff_t after_first = 0;
  for (int i = 0; i < count; ++i) {
    auto connection = co_await connect(reactor, pool, port);
    Negotiated negotiated;
    auto session = co_await attempt(log_on(*connection, negotiated, "wrong"));
    co_await connection->close();
    if (session) co_await Error(ErrorKind::failed, "a wrong password was accepted");
    if (session.error().kind() != ErrorKind::authentication) co_await std::move(session).error();
    if (i == 0) after_first = open_descriptors();
  }
  if (open_descriptors() > after_first) co_await Error(ErrorKind::failed, "descriptors are lost");
  say("done");
}

Task<void> run(Reactor& reactor, std::uint16_t port, std::string what, std::string word) {
  BufferPool pool(reactor, 4, limits::head_room_bytes + limits::large_frame_bytes);
  if (what == "logons") {
    co_await refused_logons(reactor, pool, port, std::atoi(word.c_str()));
    co_return;
  }
  auto connection = co_await connect(reactor, pool, port);
  auto result = co_await attempt(with_tree(*connection, std::move(what), std::move(word)));
  co_await connection->close();
  co_await std::move(result);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3)
    return std::fputs("usage: session_probe PORT requests|hold|renew|logons [FILE|COUNT]\n",
                      stderr),
           2;
  auto thread = smb3::ReactorThread::start();
  if (!thread) return std::fprintf(stderr, "%s\n", describe(thread.error()).c_str()), 1;
  smb3::Reactor& reactor = (*thread)->reactor();
  const auto port = static_cast<std::uint16_t>(std::atoi(argv[1]));
  auto result =
      smb3::run_on(reactor, [&] { return run(reactor, port, argv[2], argc > 3 ? argv[3] : ""); });
  if (!result) return std::fprintf(stderr, "%s\n", describe(result.error()).c_str()), 1;
  return 0;
}
