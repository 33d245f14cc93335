#include "support/server/listener.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace smb3::server {
namespace {

constexpr int backlog = 128;

Result<Endpoint> parse(const std::string& address, std::uint16_t port) {
  sockaddr_in v4{.sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {}, .sin_zero = {}};
  if (::inet_pton(AF_INET, address.c_str(), &v4.sin_addr) == 1) {
    return make_endpoint(reinterpret_cast<const sockaddr*>(&v4), sizeof v4);
  }
  sockaddr_in6 v6{};
  v6.sin6_family = AF_INET6;
  v6.sin6_port = htons(port);
  if (::inet_pton(AF_INET6, address.c_str(), &v6.sin6_addr) == 1) {
    return make_endpoint(reinterpret_cast<const sockaddr*>(&v6), sizeof v6);
  }
  return std::unexpected(Error(ErrorKind::local, "no IP address").on(address));
}

// A socket that has been accepted; it closes itself when nobody takes it.
class Accepted {
 public:
  explicit Accepted(int fd) : fd_(fd) {}
  Accepted(const Accepted&) = delete;
  Accepted& operator=(const Accepted&) = delete;
  ~Accepted() {
    if (fd_ >= 0) ::close(fd_);
  }
  int take() { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

}  // namespace

Result<std::unique_ptr<Listener>> Listener::open(const std::string& address, std::uint16_t port) {
  auto local = parse(address, port);
  if (!local) return std::unexpected(std::move(local).error());
  std::unique_ptr<Listener> self(new Listener());
  const auto failed = [&](const char* operation) {
    return std::unexpected(system_error(errno, operation).on(text_of(*local)));
  };
  self->end_ = ::eventfd(0, EFD_CLOEXEC);
  self->socket_ = ::socket(local->family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (self->end_ < 0 || self->socket_ < 0) return failed("socket");
  const int yes = 1;
  ::setsockopt(self->socket_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (::bind(self->socket_, local->get(), local->length) != 0) return failed("bind");
  if (::listen(self->socket_, backlog) != 0) return failed("listen");
  local->length = sizeof local->address;
  if (::getsockname(self->socket_, local->get(), &local->length) != 0) return failed("getsockname");
  self->address_ = text_of(*local);
  return self;
}

Listener::~Listener() {
  const std::uint64_t one = 1;
  if (thread_.joinable() && ::write(end_, &one, sizeof one) == sizeof one) thread_.join();
  if (socket_ >= 0) ::close(socket_);
  if (end_ >= 0) ::close(end_);
}

void Listener::start(Reactor& reactor, std::function<void(Socket)> accepted) {
  accepted_ = std::make_shared<const std::function<void(Socket)>>(std::move(accepted));
  thread_ = std::thread([this, &reactor] { run(reactor); });
}

void Listener::run(Reactor& reactor) {
  while (true) {
    pollfd waiting[] = {{.fd = socket_, .events = POLLIN, .revents = 0},
                        {.fd = end_, .events = POLLIN, .revents = 0}};
    if (::poll(waiting, std::size(waiting), -1) < 0 && errno != EINTR) return;
    if (waiting[1].revents != 0) return;
    Endpoint peer;
    peer.length = sizeof peer.address;
    const int fd = ::accept4(socket_, peer.get(), &peer.length, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0) continue;
    const int yes = 1;
    ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    auto owner = std::make_shared<Accepted>(fd);
    reactor.post([&reactor, owner, name = text_of(peer), accepted = accepted_] {
      (*accepted)(Socket(reactor, owner->take(), name));
    });
  }
}

}  // namespace smb3::server
