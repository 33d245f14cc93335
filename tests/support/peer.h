// A server's end of a TCP connection on loopback, which a test plays itself, frame by frame.
#pragma once

#include "reactor/endpoint.h"
#include "support/running.h"
#include "wire/packet_header.h"

#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <utility>
#include <vector>

namespace smb3::test {

using Octets = std::vector<std::byte>;
using std::chrono::milliseconds;

// Long enough for a message that should not come to be seen.
inline constexpr milliseconds a_while{60};

// One request as it came in.
struct Element {
  Octets bytes;
  wire::PacketHeader header;

  // Its views point into `bytes`: not of an element that ends with the expression.
  template <wire::Message M>
  M as() const&& = delete;
  template <wire::Message M>
  M as() const& {
    auto message = wire::decode<M>(bytes);
    if (message) return *message;
    ADD_FAILURE() << describe(message.error());
    return {};
  }
};

// The elements of a message.
inline std::vector<Element> split(Bytes message) {
  std::vector<Element> elements;
  wire::CompoundSplitter splitter(message);
  while (true) {
    auto element = splitter.next();
    if (!element) ADD_FAILURE() << describe(element.error());
    if (!element || !*element) return elements;
    elements.push_back({{(*element)->bytes.begin(), (*element)->bytes.end()}, (*element)->header});
  }
}

class Peer {
 public:
  // `receive_buffer_bytes`: small, and what we do not read stays with the sender.
  explicit Peer(int receive_buffer_bytes = 0) {
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (receive_buffer_bytes != 0) {
      EXPECT_EQ(::setsockopt(listener_, SOL_SOCKET, SO_RCVBUF, &receive_buffer_bytes,
                             sizeof receive_buffer_bytes),
                0);
    }
    sockaddr_in any{};
    any.sin_family = AF_INET;
    ::inet_pton(AF_INET, "127.0.0.1", &any.sin_addr);
    endpoint_ = make_endpoint(reinterpret_cast<sockaddr*>(&any), sizeof any);
    EXPECT_EQ(::bind(listener_, endpoint_.get(), endpoint_.length), 0);
    EXPECT_EQ(::listen(listener_, 8), 0);
    EXPECT_EQ(::getsockname(listener_, endpoint_.get(), &endpoint_.length), 0);
  }
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;
  ~Peer() {
    close();
    ::close(listener_);
  }

  const Endpoint& endpoint() const { return endpoint_; }
  void accept() {
    ASSERT_TRUE(readable(listener_, patience)) << "nobody connects";
    fd_ = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    ASSERT_GE(fd_, 0);
  }
  void close() {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }

  // Fewer bytes only at the end of the stream, or when nothing comes for too long.
  Octets read(std::size_t count) {
    Octets bytes(count);
    std::size_t done = 0;
    while (done < count && readable(fd_, patience)) {
      const ssize_t more = ::recv(fd_, bytes.data() + done, count - done, 0);
      if (more <= 0) break;
      done += static_cast<std::size_t>(more);
    }
    bytes.resize(done);
    return bytes;
  }
  // What one frame carries; empty at the end of the stream.
  Octets receive_frame() {
    const Octets prefix = read(4);
    if (prefix.size() < 4) return {};
    const std::size_t length = load_be<std::uint32_t>(prefix.data());
    Octets frame = read(length);
    EXPECT_EQ(frame.size(), length);
    return frame;
  }
  std::vector<Element> receive_compound() { return split(receive_frame()); }
  // A frame with one request. At the end of the stream: an element without bytes, and a failure.
  Element receive() {
    const Octets frame = receive_frame();
    if (frame.empty()) {
      ADD_FAILURE() << "the client sends no request";
      close();  // so that nothing of the client waits for us
      return {};
    }
    std::vector<Element> elements = split(frame);
    EXPECT_EQ(elements.size(), 1U);
    return elements.empty() ? Element{} : std::move(elements.front());
  }

  bool is_quiet(milliseconds time = a_while) const { return !readable(fd_, time); }
  // Whether the client ends the connection, whatever it still sends before.
  bool sees_end() {
    std::byte some[4096];
    while (readable(fd_, patience)) {
      if (::recv(fd_, some, sizeof some, 0) <= 0) return true;
    }
    return false;
  }

  void send(Bytes bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent < 0) return;  // the client has gone; the test sees that elsewhere
      bytes = bytes.subspan(static_cast<std::size_t>(sent));
    }
  }
  void send_prefix(std::uint32_t value) {
    std::byte prefix[4];
    store_be(prefix, value);
    send(prefix);
  }
  // In one piece, so that the client receives it at once.
  void send_frame(Bytes message) {
    Octets frame(4);
    store_be(frame.data(), static_cast<std::uint32_t>(message.size()));
    frame.insert(frame.end(), message.begin(), message.end());
    send(frame);
  }

 private:
  static bool readable(int fd, std::chrono::nanoseconds time) {
    pollfd waiting{.fd = fd, .events = POLLIN, .revents = 0};
    const auto wait = std::chrono::ceil<milliseconds>(time);
    return ::poll(&waiting, 1, static_cast<int>(wait.count())) == 1;
  }

  int listener_ = -1;
  int fd_ = -1;
  Endpoint endpoint_;
};

}  // namespace smb3::test
