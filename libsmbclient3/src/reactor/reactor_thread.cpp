// io_uring's SINGLE_ISSUER binds a ring to the thread that makes it, so the thread makes it.
#include "reactor/reactor_thread.h"

#include "reactor/one_shot_event.h"

#include <system_error>

namespace smb3 {

Result<std::unique_ptr<ReactorThread>> ReactorThread::start(UringOptions options) {
  std::unique_ptr<ReactorThread> self(new ReactorThread());
  Result<void> created;
  OneShotEvent ready;
  try {
    self->thread_ = std::thread([&, options] {
      auto reactor = UringReactor::create(options);
      if (!reactor) {
        created = std::unexpected(std::move(reactor).error());
        ready.set();
        return;
      }
      self->reactor_ = reactor->get();
      ready.set();  // what is captured by reference may be gone from here on
      (*reactor)->run();
    });
  } catch (const std::system_error& refused) {
    return std::unexpected(system_error(refused.code().value(), "pthread_create"));
  }
  ready.wait();
  if (!created) return std::unexpected(std::move(created).error());
  return self;
}

ReactorThread::~ReactorThread() {
  if (reactor_) reactor_->stop();
  if (thread_.joinable()) thread_.join();
}

}  // namespace smb3
