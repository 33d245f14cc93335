#include "base/secret_string.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <new>
#include <ostream>
#include <string>
#include <type_traits>
#include <utility>

namespace {

// What the bytes at `watched` were at the moment when they were given back.
const void* watched = nullptr;
std::size_t watched_bytes = 0;
std::string last_words;

void look(void* memory) {
  if (memory == nullptr || memory != watched) return;
  last_words.assign(static_cast<const char*>(memory), watched_bytes);
  watched = nullptr;
}

}  // namespace

void* operator new[](std::size_t size) {
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
void operator delete[](void* memory) noexcept {
  look(memory);
  std::free(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
  look(memory);
  std::free(memory);
}

namespace smb3 {
namespace {

template <class T>
concept printable = requires(std::ostream& stream, const T& value) { stream << value; };

static_assert(!printable<SecretString>);
static_assert(!std::is_copy_constructible_v<SecretString>);
static_assert(!std::is_copy_assignable_v<SecretString>);
static_assert(!std::is_convertible_v<std::string, SecretString>);

constexpr std::string_view password = "correct horse battery staple";

void watch(const SecretString& secret) {
  watched = secret.view().data();
  watched_bytes = secret.view().size();
  last_words = "never freed";
}

const std::string zeros(password.size(), '\0');

TEST(SecretString, HoldsWhatItWasGiven) {
  EXPECT_EQ(SecretString(password).view(), password);
  EXPECT_EQ(SecretString(password).clone().view(), password);
  const std::string with_nul("a\0b", 3);
  EXPECT_EQ(SecretString(with_nul).view(), with_nul);
  EXPECT_TRUE(SecretString().empty());
  EXPECT_TRUE(SecretString("").empty());
  EXPECT_EQ(SecretString().clone().view(), "");
}

// A string of a few bytes too: std::string would keep it inside the object.
TEST(SecretString, KeepsItsBytesOnTheHeap) {
  const SecretString secret("pw");
  const auto* object = reinterpret_cast<const char*>(&secret);
  const char* bytes = secret.view().data();
  EXPECT_TRUE(std::less<>()(bytes, object) ||
              std::greater_equal<>()(bytes, object + sizeof secret));
}

TEST(SecretString, IsWipedWhenDestroyed) {
  {
    SecretString secret(password);
    watch(secret);
  }
  EXPECT_EQ(last_words, zeros);
}

TEST(SecretString, IsWipedWhenAssignedTo) {
  SecretString secret(password);
  watch(secret);
  secret = SecretString("another");
  EXPECT_EQ(last_words, zeros);
  EXPECT_EQ(secret.view(), "another");
}

TEST(SecretString, MovingHandsTheOneCopyOver) {
  SecretString from(password);
  const char* bytes = from.view().data();
  SecretString to = std::move(from);
  EXPECT_EQ(to.view().data(), bytes);
  EXPECT_TRUE(from.empty());
  SecretString& same = to;
  to = std::move(same);
  EXPECT_EQ(to.view(), password);
}

}  // namespace
}  // namespace smb3
