// Servers on loopback for tests: plain blocking sockets.
#pragma once

#include "reactor/endpoint.h"
#include "reactor/socket.h"

#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace smb3 {

inline Endpoint loopback(std::uint16_t port, const char* ip = "127.0.0.1") {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  inet_pton(AF_INET, ip, &address.sin_addr);
  return make_endpoint(reinterpret_cast<sockaddr*>(&address), sizeof address);
}

class Listener {
 public:
  explicit Listener(int backlog = 128) {
    fd_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    endpoint_ = loopback(0);
    EXPECT_EQ(::bind(fd_, endpoint_.get(), endpoint_.length), 0);
    EXPECT_EQ(::listen(fd_, backlog), 0);
    EXPECT_EQ(::getsockname(fd_, endpoint_.get(), &endpoint_.length), 0);
  }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  ~Listener() { ::close(fd_); }

  int accept() const { return ::accept4(fd_, nullptr, nullptr, SOCK_CLOEXEC); }
  const Endpoint& endpoint() const { return endpoint_; }

 private:
  int fd_ = -1;
  Endpoint endpoint_;
};

// Drops further connections: its queue of those not accepted is full.
class FullListener {
 public:
  FullListener() : listener_(0) {
    for (int i = 0; i < 64; ++i) {
      const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
      fds_.push_back(fd);
      if (::connect(fd, endpoint().get(), endpoint().length) != 0 && !connects(fd)) return;
    }
    ADD_FAILURE() << "the listener's queue does not fill";
  }
  ~FullListener() {
    for (int fd : fds_) ::close(fd);
  }
  const Endpoint& endpoint() const { return listener_.endpoint(); }

 private:
  static bool connects(int fd) {
    pollfd waiting{.fd = fd, .events = POLLOUT, .revents = 0};
    return ::poll(&waiting, 1, 50) == 1;
  }
  Listener listener_;
  std::vector<int> fds_;
};

// Two connected ends, one of ours.
struct Pair {
  int peer = -1;
  Socket socket;
  explicit Pair(Reactor& reactor, int type = SOCK_STREAM) {
    int fds[2];
    EXPECT_EQ(::socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, fds), 0);
    peer = fds[0];
    socket = Socket(reactor, fds[1], "pair");
  }
  Pair(const Pair&) = delete;
  Pair& operator=(const Pair&) = delete;
  ~Pair() { close_peer(); }
  void close_peer() {
    if (peer >= 0) ::close(std::exchange(peer, -1));
  }
  void say(const std::string& text) const {
    EXPECT_EQ(::send(peer, text.data(), text.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(text.size()));
  }
};

inline MutableBytes bytes_of(std::string& text) { return std::as_writable_bytes(std::span(text)); }

// The same bytes for the same seed, and hardly ever twice the same in a row.
inline std::string pattern(std::size_t size, std::uint32_t seed) {
  std::string text(size, '\0');
  for (char& c : text) {
    seed = seed * 1664525 + 1013904223;
    c = static_cast<char>(seed >> 24);
  }
  return text;
}

}  // namespace smb3
