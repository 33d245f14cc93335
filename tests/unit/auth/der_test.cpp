#include "auth/der.h"

#include "unit/auth/support.h"

#include <gtest/gtest.h>

namespace smb3 {
namespace {

using test::from_hex;
using test::Octets;
using test::to_hex;

TEST(Der, EncodesLengthsInTheirShortestForm) {
  EXPECT_EQ(to_hex(der::encode(der::octet_string, {})), "0400");
  EXPECT_EQ(to_hex(der::encode(der::octet_string, {from_hex("AABB"), from_hex("CC")})),
            "0403aabbcc");
  struct Case {
    std::size_t length;
    const char* head;
  };
  for (const Case& c : {Case{127, "047f"}, Case{128, "048180"}, Case{255, "0481ff"},
                        Case{256, "04820100"}, Case{65536, "0483010000"}}) {
    const Octets content(c.length, std::byte{7});
    const auto element = der::encode(der::octet_string, {content});
    const std::string_view head = c.head;
    EXPECT_EQ(to_hex(Bytes(element).first(head.size() / 2)), head);
    der::Reader reader(element);
    const auto read = reader.read(der::octet_string);
    ASSERT_TRUE(read);
    EXPECT_EQ(to_hex(*read), to_hex(content));
    EXPECT_TRUE(reader.at_end());
  }
}

TEST(Der, ReadsElementsInTurn) {
  const auto input = from_hex("0401AA0602BBCC");
  der::Reader reader(input);
  EXPECT_TRUE(reader.next_is(der::octet_string));
  const auto first = reader.read();
  ASSERT_TRUE(first);
  EXPECT_EQ(to_hex(first->whole), "0401aa");
  EXPECT_EQ(to_hex(reader.read(der::object_identifier).value()), "bbcc");
  EXPECT_TRUE(reader.at_end());
  EXPECT_FALSE(reader.next_is(der::octet_string));
  EXPECT_FALSE(reader.read());
}

TEST(Der, RefusesWhatIsNotDer) {
  for (const char* hex : {
           "",                        // nothing
           "04",                      // no length
           "0401",                    // no content
           "0402AA",                  // shorter than it says
           "0480AA0000",              // indefinite
           "048101AA",                // could be shorter
           "04820080",                // could be shorter
           "0484FFFFFFFFAA",          // longer than what holds it
           "0485010000000000",        // a length of five bytes
           "0488FFFFFFFFFFFFFFFFAA",  // one that overflows
           "0482AA",                  // ends within the length
           "1F8101AA",                // a tag of several bytes
       }) {
    const auto input = from_hex(hex);
    const auto element = der::Reader(input).read();
    ASSERT_FALSE(element) << hex;
    EXPECT_EQ(element.error().kind(), ErrorKind::protocol);
  }
}

TEST(Der, RefusesAnotherTagAndWhatFollowsTheLast) {
  const auto input = from_hex("0401AA00");
  EXPECT_FALSE(der::Reader(input).read(der::sequence));
  EXPECT_FALSE(der::Reader(input).read_last(der::octet_string));
  EXPECT_TRUE(der::Reader(Bytes(input).first(3)).read_last(der::octet_string));
}

}  // namespace
}  // namespace smb3
