// g++ 12 destroys an aggregate twice that is made with braces inside a co_await expression and has
// a destructor. These are the forms that are fine; our code keeps to them.
#include <smbclient3/task.h>

#include <gtest/gtest.h>

#include <string>

using namespace smb3;

namespace {

// Counts what lives: twice destroyed shows as a negative number, forgotten as a positive one.
struct Counted {
  static inline int living = 0;
  Counted() { ++living; }
  Counted(const Counted&) { ++living; }
  Counted(Counted&&) noexcept { ++living; }
  ~Counted() { --living; }
};

struct Options {
  std::string name;
  Counted counted{};
  int depth = 1;
};

struct Views {
  const char* name = "";
  int depth = 1;
};

std::string forty() { return std::string(40, 'x'); }
Task<int> use(Options options) { co_return static_cast<int>(options.name.size()); }
Task<int> view(Views views) { co_return views.depth; }
Task<std::string> name() { co_return forty(); }

Task<int> named_local_moved_in() {
  Options options{.name = forty(), .depth = 2};
  co_return co_await use(std::move(options));
}

Task<int> task_first_await_later() {
  auto task = use({.name = forty(), .depth = 2});
  co_return co_await std::move(task);
}

Task<int> nothing_to_destroy() { co_return co_await view({.name = "n", .depth = 40}); }

Task<int> awaited_value_first() {
  std::string text = co_await name();
  Options options{.name = std::move(text), .depth = 3};
  co_return static_cast<int>(options.name.size());
}

class Aggregates : public testing::TestWithParam<Task<int> (*)()> {};

TEST_P(Aggregates, AreDestroyedOnce) {
  Counted::living = 0;
  {
    Task<int> task = GetParam()();
    task.run();
    ASSERT_TRUE(task.done());
    EXPECT_EQ(task.result(), 40);
  }
  EXPECT_EQ(Counted::living, 0);
}

INSTANTIATE_TEST_SUITE_P(Forms, Aggregates,
                         testing::Values(&named_local_moved_in, &task_first_await_later,
                                         &nothing_to_destroy, &awaited_value_first));

// Errors leave a coroutine in the middle: its locals go too, once.
Task<int> leaves_early() {
  Options options{.name = forty()};
  co_await Error(ErrorKind::failed, "no");
  co_return options.depth;
}

Task<int> caller_of_leaver() {
  Counted local;
  co_return co_await leaves_early();
}

TEST(EarlyEnd, DestroysTheLocalsOfAllCallers) {
  Counted::living = 0;
  {
    Task<int> task = caller_of_leaver();
    task.run();
    ASSERT_TRUE(task.done());
    EXPECT_EQ(task.result().error().kind(), ErrorKind::failed);
  }
  EXPECT_EQ(Counted::living, 0);
}

}  // namespace
