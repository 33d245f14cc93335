// The entrance: connects to shares and runs coroutines.
#pragma once

#include <smbclient3/credentials.h>
#include <smbclient3/share.h>
#include <smbclient3/share_path.h>
#include <smbclient3/task.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <semaphore>
#include <string>
#include <utility>
#include <vector>

namespace smb3 {

struct ClientOptions {
  // The longest silence while something is outstanding, and the longest connect. A slow connection
  // that moves is never timed out.
  std::chrono::milliseconds timeout{30'000};
  bool encrypt = false;    // fail unless everything of the session is encrypted
  bool sign = false;       // fail unless everything is signed (or encrypted)
  std::uint16_t port = 0;  // 0: the path's, else 445
  std::string address;     // connect there instead, and keep the server's name for everything else
  unsigned channels = 0;   // connections of a session in all; 0: as many as help
  // Where they may start: names or addresses of this machine's interfaces; empty: anywhere.
  std::vector<std::string> interfaces;
  std::string keylog_file;  // session keys for a decoder of captures; created new, mode 0600
};

// Has a thread of its own, on which every coroutine of its shares and files runs. Client's members
// may be called from any other thread; what they return belongs to the Client's thread.
class SMB3_API Client {
 public:
  // Errors: io_uring refused (kind local, operation "io_uring_setup").
  static Result<Client> create(ClientOptions options = {});
  Client(Client&&) noexcept;
  Client& operator=(Client&&) noexcept;
  ~Client();

  // Connects, negotiates SMB 3.1.1, logs on and opens the share. Sessions are shared: a second
  // connect with the same server and user uses the same connection.
  // Errors: disconnected, timed_out (no connection); authentication (logon refused); not_found,
  // access_denied (share refused); security, protocol, unsupported.
  Task<Share> connect(SharePath where, Credentials credentials);

  // Runs a task on the client's thread and waits for its end. Not from that thread.
  template <class T>
  Result<T> run(Task<T> task) {
    struct Run : Waiter {
      Client& client;
      Task<T>& task;
      std::binary_semaphore ended{0};
      Run(Client& c, Task<T>& t) : client(c), task(t) {}
    };
    Run run(*this, task);
    // The end is told from a later turn, when nothing of the task is on the thread's stack.
    run.wake = [](Waiter& waiter) noexcept {
      auto& self = static_cast<Run&>(waiter);
      self.client.post([&self] { self.ended.release(); });
    };
    post([&run] {
      run.task.notify(run);
      run.task.run();
    });
    run.ended.acquire();
    return std::move(task.result());
  }

  // Asks everything that runs to end early with kind cancelled: copies remove their temporaries,
  // and what does not end within about a second loses its connection. From any thread.
  void interrupt();

  // Whether some client of this process has ended while a call of its own to the name service or
  // to GSSAPI was given up as too late or interrupted, and may block still. Such a process should
  // end by _exit(): exit() takes the libraries down in which that call runs. From any thread.
  static bool has_abandoned_calls() noexcept;

  // Calls `function` on the client's thread. From any thread.
  void post(std::function<void()> function);

 private:
  struct Impl;
  explicit Client(std::shared_ptr<Impl> impl);
  std::shared_ptr<Impl> impl_;
};

}  // namespace smb3
