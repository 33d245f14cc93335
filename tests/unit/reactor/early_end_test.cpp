// Waits that end before their time.
#include "reactor/early_end.h"
#include "reactor/one_shot_event.h"
#include "unit/reactor/reactor_fixture.h"

#include <smbclient3/task_group.h>

#include <chrono>
#include <string>

using namespace smb3;
using namespace std::chrono_literals;

namespace {

struct Late {
  OneShotEvent go;
};

class EarlyEndTest : public ReactorTest {};

Task<void> ended_early(Reactor& reactor, std::shared_ptr<Late> late, EarlyEnd& end) {
  std::function<Result<std::string>()> work = [late]() -> Result<std::string> {
    late->go.wait();
    return std::string("too late");
  };
  co_await run_blocking<std::string>(reactor, reactor.now() + 60s, std::move(work), &end);
}

Task<void> come_soon(Reactor& reactor, EarlyEnd& end) {
  co_await sleep_until(reactor, reactor.now() + 5ms);
  end.come();
}

Task<void> end_from_within(Reactor& reactor, EarlyEnd& end) {
  TaskGroup group;
  group.start(sleep_until(reactor, reactor.now() + 60s, &end));
  group.start(come_soon(reactor, end));
  co_await group.join();
}

TEST_F(EarlyEndTest, WaitsEndAtOnce) {
  auto late = std::make_shared<Late>();
  EarlyEnd end;
  const auto began = std::chrono::steady_clock::now();
  Result<void> result = run([&](Reactor& r) -> Task<void> {
    r.post([&end] { end.come(); });
    return ended_early(r, late, end);
  });
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind(), ErrorKind::timed_out);
  // From within the reactor's own turn, after which it waits for nothing else.
  EarlyEnd other;
  EXPECT_TRUE(run([&](Reactor& r) { return end_from_within(r, other); }));
  // One that begins after the end ends as well.
  EXPECT_TRUE(run([&](Reactor& r) { return sleep_until(r, r.now() + 60s, &end); }));
  EXPECT_LT(std::chrono::steady_clock::now() - began, 30s);
  late->go.set();
}

}  // namespace
