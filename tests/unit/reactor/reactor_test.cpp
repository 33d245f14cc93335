// Timers, the ready queue, posts and offloaded work.
#include "reactor/worker_threads.h"
#include "unit/reactor/reactor_fixture.h"

#include <smbclient3/task_group.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

using namespace smb3;
using namespace std::chrono_literals;

namespace {

Task<int> seven(Reactor& reactor) {
  co_await sleep_until(reactor, reactor.now() + 1ms);
  co_return 7;
}

TEST_F(ReactorTest, RunsATaskAndReturnsItsValue) { EXPECT_EQ(run(seven).value(), 7); }

Task<void> fails(Reactor&) { co_await Error(ErrorKind::protocol, "no"); }

TEST_F(ReactorTest, ReturnsTheErrorOfATask) {
  Result<void> result = run(fails);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind(), ErrorKind::protocol);
}

Task<void> sleeper(Reactor& reactor, Duration time, int number, std::vector<int>& order) {
  co_await sleep_until(reactor, reactor.now() + time);
  order.push_back(number);
}

Task<std::vector<int>> sleep_sort(Reactor& reactor) {
  std::vector<int> order;
  TaskGroup group;
  const TimePoint start = reactor.now();
  for (int ms : {30, 10, 20, 40, 5, 25}) {
    group.start(sleeper(reactor, std::chrono::milliseconds(ms), ms, order));
  }
  co_await group.join();
  if (reactor.now() - start < 40ms) co_await Error(ErrorKind::local, "too early");
  co_return order;
}

TEST_F(ReactorTest, SleepersWakeInTheOrderOfTheirTimes) {
  EXPECT_EQ(run(sleep_sort).value(), (std::vector{5, 10, 20, 25, 30, 40}));
}

// Many timers, half of them cleared, set anew or destroyed; the rest fire sorted.
struct Marked {
  Timer timer;
  int number;
  std::vector<int>& fired;
  Marked(Reactor& reactor, int n, std::vector<int>& f) : timer(reactor), number(n), fired(f) {}
  void set(TimePoint when) {
    timer.set(
        when,
        [](void* self) {
          static_cast<Marked*>(self)->fired.push_back(static_cast<Marked*>(self)->number);
        },
        this);
  }
};

Task<std::vector<int>> timers_mixed(Reactor& reactor) {
  std::vector<int> fired;
  std::vector<std::unique_ptr<Marked>> all;
  const TimePoint base = reactor.now() + 5ms;
  for (int i = 0; i < 300; ++i) {
    const int number = (i * 7919) % 300;  // each number once, in a mixed order
    all.push_back(std::make_unique<Marked>(reactor, number, fired));
    all.back()->set(base + std::chrono::microseconds(number / 2));  // pairs share a time
  }
  for (auto& marked : all) {
    if (marked->number % 3 == 0) marked->timer.clear();
    if (marked->number % 3 == 1)
      marked->set(base + std::chrono::microseconds(1000 + marked->number));
    if (marked->number % 30 == 2) marked.reset();
  }
  co_await sleep_until(reactor, base + 10ms);
  co_return fired;
}

TEST_F(ReactorTest, ClearedTimersStaySilentAndTheOthersFireInOrder) {
  const std::vector<int> fired = run(timers_mixed).value();
  std::vector<int> expected;
  for (int n = 0; n < 300; ++n) {
    if (n % 3 == 2 && n % 30 != 2) expected.push_back(n);
  }
  for (int n = 1; n < 300; n += 3) expected.push_back(n);
  EXPECT_EQ(fired, expected);
}

Task<std::vector<int>> equal_times(Reactor& reactor) {
  std::vector<int> fired;
  std::vector<std::unique_ptr<Marked>> all;
  const TimePoint when = reactor.now() + 2ms;
  for (int i = 0; i < 50; ++i) {
    all.push_back(std::make_unique<Marked>(reactor, i, fired));
    all.back()->set(when);
  }
  co_await sleep_until(reactor, when + 1ms);
  co_return fired;
}

TEST_F(ReactorTest, TimersForOneTimeFireInTheOrderInWhichTheyWereSet) {
  const std::vector<int> fired = run(equal_times).value();
  ASSERT_EQ(fired.size(), 50u);
  EXPECT_TRUE(std::is_sorted(fired.begin(), fired.end()));
}

// A timer that always sets itself for the past must not lock up the loop.
struct Eager {
  Timer timer;
  int count = 0;
  explicit Eager(Reactor& reactor) : timer(reactor) {}
  void set() {
    timer.set(TimePoint(1), [](void* self) { static_cast<Eager*>(self)->again(); }, this);
  }
  void again() {
    if (++count < 1000) set();
  }
};

Task<int> eager(Reactor& reactor) {
  Eager eager(reactor);
  eager.set();
  co_await sleep_until(reactor, reactor.now() + 1ms);
  while (eager.timer.is_set()) co_await sleep_until(reactor, reactor.now() + 1ms);
  co_return eager.count;
}

TEST_F(ReactorTest, ATimerSetAgainForThePastLeavesRoomForOthers) {
  EXPECT_EQ(run(eager).value(), 1000);
}

TEST_F(ReactorTest, PostsFromManyThreadsAllRunOnTheReactorsThread) {
  constexpr int threads = 8;
  constexpr int posts = 2000;
  std::atomic<int> ran = 0;
  std::atomic<int> elsewhere = 0;
  std::vector<std::thread> posters;
  for (int t = 0; t < threads; ++t) {
    posters.emplace_back([&] {
      for (int i = 0; i < posts; ++i) {
        reactor().post([&] {
          if (!reactor().is_current()) ++elsewhere;
          ++ran;
        });
      }
    });
  }
  for (auto& poster : posters) poster.join();
  OneShotEvent done;
  reactor().post([&] { done.set(); });  // one poster's posts stay in order, so this is the last
  done.wait();
  EXPECT_EQ(ran, threads * posts);
  EXPECT_EQ(elsewhere, 0);
  EXPECT_FALSE(reactor().is_current());
}

TEST_F(ReactorTest, APostWakesASleepingReactorEachTime) {
  for (int i = 0; i < 200; ++i) {
    OneShotEvent done;
    reactor().post([&] { done.set(); });
    done.wait();
  }
}

TEST_F(ReactorTest, WhatWasPostedBeforeStopStillRuns) {
  std::atomic<bool> ran = false;
  Reactor& here = reactor();
  here.post([&] {
    std::this_thread::sleep_for(5ms);
    here.post([&] { ran = true; });
  });
  thread_.reset();
  EXPECT_TRUE(ran);
}

Task<std::string> blocking_answer(Reactor& reactor) {
  std::function<Result<std::string>()> work = [&reactor]() -> Result<std::string> {
    return std::string(reactor.is_current() ? "here" : "elsewhere");
  };
  co_return co_await run_blocking<std::string>(reactor, never, std::move(work));
}

TEST_F(ReactorTest, BlockingWorkRunsOnAnotherThread) {
  EXPECT_EQ(run(blocking_answer).value(), "elsewhere");
}

Task<void> blocking_error(Reactor& reactor) {
  std::function<Result<void>()> work = []() -> Result<void> {
    return std::unexpected(Error(ErrorKind::not_found, "nothing there"));
  };
  co_await run_blocking<void>(reactor, reactor.now() + 30s, std::move(work));
}

TEST_F(ReactorTest, BlockingWorkReturnsItsError) {
  Result<void> result = run(blocking_error);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind(), ErrorKind::not_found);
}

struct Late {
  OneShotEvent go;
  OneShotEvent over;
};

Task<void> late_answer(Reactor& reactor, std::shared_ptr<Late> late) {
  std::function<Result<std::string>()> work = [late]() -> Result<std::string> {
    late->go.wait();
    return std::string("too late");
  };
  co_await run_blocking<std::string>(reactor, reactor.now() + 20ms, std::move(work));
}

TEST_F(ReactorTest, ALateAnswerIsDropped) {
  auto late = std::make_shared<Late>();
  Result<void> result = run([&](Reactor& r) { return late_answer(r, late); });
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind(), ErrorKind::timed_out);
  late->go.set();
  // The late answer comes through the reactor, finds nobody, and does no harm.
  reactor().offload([late] {}, [late] { late->over.set(); });
  late->over.wait();
}

TEST_F(ReactorTest, AReactorMayEndWhileItsWorkStillBlocks) {
  auto late = std::make_shared<Late>();
  std::atomic<bool> done_called = false;
  OneShotEvent begun;
  struct Last {
    std::shared_ptr<Late> late;
    ~Last() { late->over.set(); }
  };
  auto last = std::make_shared<Last>(late);
  reactor().offload(
      [late, &begun, last] {
        begun.set();
        late->go.wait();
      },
      [&done_called] { done_called = true; });
  last.reset();
  begun.wait();
  thread_.reset();
  EXPECT_TRUE(WorkerThreads::left_behind()) << "whoever ends the process must know";
  late->go.set();
  late->over.wait();  // the work has ended and its function is gone
  EXPECT_FALSE(done_called);
}

TEST_F(ReactorTest, FourBlockingCallsRunSideBySide) {
  struct Meeting {
    std::mutex mutex;
    std::condition_variable changed;
    int here = 0;
  } meeting;
  OneShotEvent all_done;
  std::atomic<int> done = 0;
  for (int i = 0; i < 4; ++i) {
    reactor().offload(
        [&meeting] {
          std::unique_lock lock(meeting.mutex);
          ++meeting.here;
          meeting.changed.notify_all();
          meeting.changed.wait_for(lock, 30s, [&] { return meeting.here == 4; });
        },
        [&] {
          if (++done == 4) all_done.set();
        });
  }
  all_done.wait();
  EXPECT_EQ(meeting.here, 4);
}

Task<void> fifty_calls(Reactor& reactor, std::atomic<int>& ran) {
  struct Once {
    static Task<void> call(Reactor& reactor, std::atomic<int>& ran) {
      std::function<Result<void>()> work = [&ran]() -> Result<void> {
        ++ran;
        return {};
      };
      co_await run_blocking<void>(reactor, never, std::move(work));
    }
  };
  TaskGroup group;
  for (int i = 0; i < 50; ++i) group.start(Once::call(reactor, ran));
  co_await group.join();
}

TEST_F(ReactorTest, MoreBlockingCallsThanThreadsAllRun) {
  std::atomic<int> ran = 0;
  ASSERT_TRUE(run([&](Reactor& r) { return fifty_calls(r, ran); }));
  EXPECT_EQ(ran, 50);
}

TEST_F(ReactorTest, RandomBytesDiffer) {
  std::array<std::byte, 32> a{};
  std::array<std::byte, 32> b{};
  reactor().random(a);
  reactor().random(b);
  EXPECT_NE(a, b);
  EXPECT_NE(a, (std::array<std::byte, 32>{}));
}

// Resumes itself through the ready queue.
struct Yield {
  Reactor& reactor;
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> handle) { reactor.ready(handle); }
  void await_resume() const noexcept {}
};

Task<void> yielder(Reactor& reactor, int times, int& total) {
  for (int i = 0; i < times; ++i) {
    Yield yield{reactor};
    co_await yield;
    ++total;
  }
}

Task<int> thousand_coroutines(Reactor& reactor) {
  int total = 0;
  TaskGroup group;
  for (int i = 0; i < 1000; ++i) group.start(yielder(reactor, 100, total));
  co_await group.join();
  co_return total;
}

TEST_F(ReactorTest, AThousandCoroutinesTakeTurns) {
  EXPECT_EQ(run(thousand_coroutines).value(), 100'000);
}

// Coroutines that make each other ready without end leave timers and posts their turn.
Task<void> busy_until(Reactor& reactor, const bool& stop) {
  while (!stop) {
    Yield yield{reactor};
    co_await yield;
  }
}

TEST_F(ReactorTest, BusyCoroutinesDoNotStarveThePosts) {
  bool stop = false;
  reactor().post([&] { reactor().post([&] { reactor().post([&stop] { stop = true; }); }); });
  EXPECT_TRUE(run([&](Reactor& r) { return busy_until(r, stop); }));
}

TEST(UringReactor, RunsOnTheCallersThreadAndAgainAfterStop) {
  auto reactor = UringReactor::create();
  ASSERT_TRUE(reactor) << describe(reactor.error());
  for (int i = 0; i < 3; ++i) {
    bool ran = false;
    (*reactor)->post([&] {
      ran = true;
      (*reactor)->stop();
    });
    (*reactor)->run();
    EXPECT_TRUE(ran);
  }
}

TEST(UringReactor, StopBeforeRunEndsItAtOnce) {
  auto reactor = UringReactor::create();
  ASSERT_TRUE(reactor);
  (*reactor)->stop();
  (*reactor)->run();
}

}  // namespace
