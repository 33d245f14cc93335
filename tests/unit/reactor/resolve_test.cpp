// Names and literal addresses. Nothing here asks a name server.
#include "unit/reactor/reactor_fixture.h"

#include "reactor/resolve.h"

using namespace smb3;
using namespace std::chrono_literals;

namespace {

class ResolveTest : public ReactorTest {
 protected:
  Result<std::vector<Endpoint>> find(const std::string& host, std::uint16_t port = 445) {
    return run([&](Reactor& r) { return resolve(r, host, port, r.now() + 30s); });
  }
  std::string literal(const std::string& host) {
    Result<std::vector<Endpoint>> found = find(host);
    if (!found) return describe(found.error());
    EXPECT_EQ(found->size(), 1u);
    EXPECT_EQ(port_of(found->front()), 445);
    return text_of(found->front());
  }
};

TEST_F(ResolveTest, LiteralAddresses) {
  EXPECT_EQ(literal("192.0.2.7"), "192.0.2.7:445");
  EXPECT_EQ(literal("::1"), "[::1]:445");
  EXPECT_EQ(literal("2001:db8::5"), "[2001:db8::5]:445");
  EXPECT_EQ(literal("fe80::1%lo"), "[fe80::1%lo]:445");
}

TEST_F(ResolveTest, ANameOfTheHostsFile) {
  Result<std::vector<Endpoint>> found = find("localhost", 1);
  ASSERT_TRUE(succeeded(found));
  for (const Endpoint& endpoint : *found) {
    EXPECT_TRUE(text_of(endpoint) == "127.0.0.1:1" || text_of(endpoint) == "[::1]:1");
  }
}

TEST_F(ResolveTest, ANameThatCannotBe) {
  for (const std::string& name : {std::string(70, 'a'), std::string("localhost\0x", 11)}) {
    Result<std::vector<Endpoint>> found = find(name);
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().kind(), ErrorKind::disconnected);
    EXPECT_EQ(found.error().what().rfind("cannot resolve the host name: ", 0), 0u);
    EXPECT_GT(found.error().what().size(), 35u);
    EXPECT_EQ(found.error().operation(), "getaddrinfo");
    EXPECT_EQ(found.error().object(), name);
  }
}

}  // namespace
