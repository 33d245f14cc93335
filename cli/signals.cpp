#include "signals.h"

#include "exit_code.h"
#include "prompt.h"

#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cstdint>
#include <utility>

namespace smb3::cli {
namespace {

// What ignores a signal from the start on (nohup, a background job of a script) shall go on so.
bool is_ignored(int number) {
  struct sigaction action{};
  return ::sigaction(number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

Signals::Signals() {
  ::sigemptyset(&watched_);
  for (int number : {SIGINT, SIGTERM, SIGHUP}) {
    if (!is_ignored(number)) ::sigaddset(&watched_, number);
  }
  ::pthread_sigmask(SIG_BLOCK, &watched_, &mask_before_);
  signal_descriptor_ = ::signalfd(-1, &watched_, SFD_CLOEXEC);
  end_descriptor_ = ::eventfd(0, EFD_CLOEXEC);
  thread_ = std::thread([this] { run(); });
}

Signals::~Signals() {
  std::uint64_t one = 1;
  if (::write(end_descriptor_, &one, sizeof one) == sizeof one) thread_.join();
  ::close(signal_descriptor_);
  ::close(end_descriptor_);
  ::pthread_sigmask(SIG_SETMASK, &mask_before_, nullptr);
}

void Signals::attach(std::function<void()> on_first) {
  std::lock_guard lock(mutex_);
  on_first_ = std::move(on_first);
}

void Signals::detach() {
  std::lock_guard lock(mutex_);
  on_first_ = [] {};  // what is left to do is short
}

void Signals::take(int number) {
  std::lock_guard lock(mutex_);
  bool is_first = received_.exchange(number) == 0;
  if (!is_first || !on_first_ || is_asking()) {
    restore_terminal();
    ::_exit(exit_code_of_signal(number));
  }
  on_first_();
}

void Signals::run() {
  pollfd ready[2] = {{signal_descriptor_, POLLIN, 0}, {end_descriptor_, POLLIN, 0}};
  while (true) {
    // After the first signal everything has two seconds to end.
    const int patience_ms = received_ == 0 ? -1 : 2000;
    const int count = ::poll(ready, 2, patience_ms);
    if (count == 0) {
      restore_terminal();
      ::_exit(exit_code_of_signal(received_));
    }
    if (count < 0) continue;
    if (ready[0].revents != 0) {
      signalfd_siginfo information;
      if (::read(signal_descriptor_, &information, sizeof information) == sizeof information) {
        take(static_cast<int>(information.ssi_signo));
      }
      continue;
    }
    if (ready[1].revents != 0) return;
  }
}

}  // namespace smb3::cli
