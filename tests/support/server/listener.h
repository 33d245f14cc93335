// Accepts TCP connections on a thread of its own and hands them to a reactor's thread.
#pragma once

#include "reactor/socket.h"

#include <functional>
#include <memory>
#include <string>
#include <thread>

namespace smb3::server {

class Listener {
 public:
  static Result<std::unique_ptr<Listener>> open(const std::string& address, std::uint16_t port);
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  // Accepts no more, at once.
  ~Listener();

  // "ADDRESS:PORT", with the port that was free.
  const std::string& address() const noexcept { return address_; }
  // Once. `accepted` is called on the reactor's thread, and lives until that has run.
  void start(Reactor& reactor, std::function<void(Socket)> accepted);

 private:
  Listener() = default;
  void run(Reactor& reactor);

  int socket_ = -1;
  int end_ = -1;  // an eventfd
  std::string address_;
  std::shared_ptr<const std::function<void(Socket)>> accepted_;
  std::thread thread_;
};

}  // namespace smb3::server
