#include <smbclient3/client.h>

#include "client/engine.h"
#include "client/handles.h"
#include "reactor/reactor_thread.h"
#include "reactor/run_on.h"
#include "reactor/worker_threads.h"

namespace smb3 {

struct Client::Impl {
  std::unique_ptr<ReactorThread> thread;
  std::shared_ptr<Engine> engine;

  ~Impl() {
    if (!engine) return;
    auto ended = run_on(engine->reactor(), [this] { return engine->shut_down(); });
    static_cast<void>(ended);  // it has no errors
  }
};

namespace {

// On the reactor's thread, since it alone may register memory with the ring.
Task<std::shared_ptr<Engine>> make_engine(Reactor& reactor, ClientOptions options, KeyLog key_log) {
  co_return std::make_shared<Engine>(reactor, std::move(options), std::move(key_log));
}

}  // namespace

Result<Client> Client::create(ClientOptions options) {
  auto thread = ReactorThread::start();
  if (!thread) return std::unexpected(std::move(thread).error());
  auto key_log = KeyLog::create(options.keylog_file);
  if (!key_log) return std::unexpected(std::move(key_log).error());
  auto impl = std::make_shared<Impl>();
  impl->thread = std::move(*thread);
  Reactor& reactor = impl->thread->reactor();
  auto engine = run_on(
      reactor, [&] { return make_engine(reactor, std::move(options), std::move(*key_log)); });
  if (!engine) return std::unexpected(std::move(engine).error());
  impl->engine = std::move(*engine);
  return Client(std::move(impl));
}

Client::Client(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
Client::Client(Client&&) noexcept = default;
Client& Client::operator=(Client&&) noexcept = default;
Client::~Client() = default;

namespace {

Task<Share> connect_share(std::shared_ptr<Engine> engine, std::string server, std::uint16_t port,
                          std::string share, Credentials credentials) {
  auto impl = std::make_shared<Share::Impl>();
  impl->node = co_await engine->session_for(server, port, std::move(credentials));
  auto tree = co_await attempt(
      TreeConnect::connect(impl->node->session(), std::move(server), std::move(share)));
  if (!tree) {
    impl->closed = true;
    if (impl->node->trees == 0) co_await impl->node->close();
    co_return std::move(tree).error();
  }
  impl->tree = std::move(*tree);
  ++impl->node->trees;
  co_return Share(std::move(impl));
}

}  // namespace

Task<Share> Client::connect(SharePath where, Credentials credentials) {
  if (where.server.empty() || where.share.empty()) {
    co_return Error(ErrorKind::local, "a server and a share are needed").on(where.display());
  }
  co_return co_await connect_share(impl_->engine, std::move(where.server), where.port,
                                   std::move(where.share), std::move(credentials));
}

bool Client::has_abandoned_calls() noexcept { return WorkerThreads::left_behind(); }

void Client::interrupt() {
  impl_->engine->reactor().post([engine = impl_->engine] { engine->interrupt(); });
}

void Client::post(std::function<void()> function) {
  impl_->engine->reactor().post(std::move(function));
}

}  // namespace smb3
