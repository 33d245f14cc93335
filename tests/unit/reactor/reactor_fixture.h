// A reactor on its own thread for tests, in each way in which the ring can be set up.
#pragma once

#include "reactor/reactor_thread.h"
#include "reactor/run_on.h"

#include <smbclient3/task_group.h>

#include <gtest/gtest.h>

#include <dirent.h>

#include <memory>
#include <ostream>
#include <string>

namespace smb3 {

class ReactorTest : public testing::Test {
 protected:
  virtual UringOptions options() const { return {}; }
  void SetUp() override {
    auto started = ReactorThread::start(options());
    ASSERT_TRUE(started) << describe(started.error());
    thread_ = std::move(*started);
  }
  Reactor& reactor() { return thread_->reactor(); }
  // Runs a coroutine made by `make(reactor)` there.
  template <class Make>
  auto run(Make make) {
    return run_on(reactor(), [&] { return make(reactor()); });
  }
  std::unique_ptr<ReactorThread> thread_;
};

struct Setup {
  const char* name;
  UringOptions options;
  friend std::ostream& operator<<(std::ostream& out, const Setup& setup) {
    return out << setup.name;
  }
};

// The newest flags; none of them, as on an old kernel; queues so small that they overflow.
inline constexpr Setup setups[] = {
    {"modern", {}},
    {"plain", {.modern = false}},
    {"small", {.entries = 2, .completions = 2}},
    {"small_plain", {.entries = 2, .completions = 2, .modern = false}},
};

class ReactorSetupTest : public ReactorTest, public testing::WithParamInterface<Setup> {
 protected:
  UringOptions options() const override { return GetParam().options; }
};

#define SMB3_IN_EACH_SETUP(suite)                                    \
  INSTANTIATE_TEST_SUITE_P(Setups, suite, testing::ValuesIn(setups), \
                           [](const auto& info) { return std::string(info.param.name); })

// Of this process; the number does not count the folder that is read for it.
inline std::size_t open_files() {
  std::size_t count = 0;
  DIR* folder = opendir("/proc/self/fd");
  while (readdir(folder)) ++count;
  closedir(folder);
  return count - 3;
}

template <class T>
::testing::AssertionResult succeeded(const Result<T>& result) {
  if (result) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << describe(result.error());
}

}  // namespace smb3
