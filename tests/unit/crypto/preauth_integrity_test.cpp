#include "crypto/preauth_integrity.h"

#include "unit/crypto/vectors.h"

#include <gtest/gtest.h>

namespace smb3 {
namespace {

using namespace test;

TEST(PreauthIntegrity, BeginsWithZeros) {
  EXPECT_EQ(to_hex(PreauthIntegrity().value()), std::string(128, '0'));
}

TEST(PreauthIntegrity, FollowsThePublishedChains) {
  for (const Vector& vector : vectors_of("preauth_chain")) {
    SCOPED_TRACE(vector.name);
    PreauthIntegrity preauth;
    int steps = 0;
    for (const auto& [field, value] : vector.fields) {
      if (field == "message") {
        ASSERT_TRUE(preauth.update(from_hex(value)));
      } else if (field == "hash_after") {
        EXPECT_EQ(to_hex(preauth.value()), value);
        ++steps;
      }
    }
    EXPECT_EQ(steps, 5);
  }
}

TEST(PreauthIntegrity, ACopyIsAChainOfItsOwn) {
  PreauthIntegrity connection;
  ASSERT_TRUE(connection.update(from_hex("fe534d42")));
  const std::string before = to_hex(connection.value());
  PreauthIntegrity session = connection;
  ASSERT_TRUE(session.update(from_hex("00")));
  EXPECT_EQ(to_hex(connection.value()), before);
  EXPECT_NE(to_hex(session.value()), before);
}

}  // namespace
}  // namespace smb3
