// g++ 12 destroys the value of a co_await in an arm of ?: twice, and of a ?: inside what is awaited
// it makes both values. These are the forms that are fine; scripts/check looks for the others.
#include <smbclient3/task.h>

#include <gtest/gtest.h>

#include <string>

using namespace smb3;

namespace {

// Twice destroyed shows as a negative number, forgotten as a positive one.
struct Counted {
  static inline int living = 0;
  Counted() { ++living; }
  Counted(const Counted& other) : text(other.text) { ++living; }
  Counted(Counted&& other) noexcept : text(std::move(other.text)) { ++living; }
  Counted& operator=(Counted&&) noexcept = default;
  ~Counted() { --living; }
  std::string text = std::string(40, 'x');
};

Task<Counted> make() { co_return Counted(); }
Task<bool> yes() { co_return true; }

Task<int> if_and_else(bool awaited) {
  Counted value;
  if (awaited) value = co_await make();
  co_return static_cast<int>(value.text.size());
}

Task<int> arm_is_a_task(bool awaited) {
  Task<Counted> chosen = awaited ? make() : make();
  Counted value = co_await std::move(chosen);
  co_return static_cast<int>(value.text.size());
}

Task<int> condition_is_awaited(bool awaited) {
  const bool chosen = co_await yes();
  const Counted value = chosen == awaited ? Counted() : Counted();
  co_return static_cast<int>(value.text.size());
}

Task<int> size_of(Counted value) { co_return static_cast<int>(value.text.size()); }

Task<int> argument_is_chosen_before(bool awaited) {
  Counted chosen = awaited ? Counted() : Counted();
  co_return co_await size_of(std::move(chosen));
}

class Conditionals : public testing::TestWithParam<std::tuple<Task<int> (*)(bool), bool>> {};

TEST_P(Conditionals, DestroyTheirValueOnce) {
  Counted::living = 0;
  {
    const auto& [form, awaited] = GetParam();
    Task<int> task = form(awaited);
    task.run();
    ASSERT_TRUE(task.done());
    EXPECT_EQ(task.result(), 40);
  }
  EXPECT_EQ(Counted::living, 0);
}

INSTANTIATE_TEST_SUITE_P(Forms, Conditionals,
                         testing::Combine(testing::Values(&if_and_else, &arm_is_a_task,
                                                          &condition_is_awaited,
                                                          &argument_is_chosen_before),
                                          testing::Bool()));

}  // namespace
