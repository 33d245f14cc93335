// When the rules of a fault script strike.
#include "support/server/faults.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace smb3::server {
namespace {

using testing::ElementsAre;
using wire::Command;

FaultRule rule(std::uint32_t first, std::uint32_t times, std::uint32_t every = 1) {
  FaultRule rule;
  rule.command = Command::read;
  rule.first = first;
  rule.times = times;
  rule.every = every;
  rule.fault.kind = FaultKind::drop;
  return rule;
}

FaultMoment moment(Command command, std::string path = {}, std::uint32_t connection = 1,
                   std::uint32_t information = 0) {
  return {.command = command,
          .connection = connection,
          .path = std::move(path),
          .information = information};
}

// Which of the first READs are struck, counted from 1.
std::vector<int> struck(const FaultRule& rule, int count = 12) {
  FaultScript script;
  script.add(rule);
  std::vector<int> numbers;
  for (int i = 1; i <= count; ++i) {
    EXPECT_TRUE(script.strike(moment(Command::write)).empty()) << "another command";
    if (!script.strike(moment(Command::read)).empty()) numbers.push_back(i);
  }
  return numbers;
}

TEST(Faults, StrikeAtTheNthOccurrence) {
  EXPECT_THAT(struck(rule(1, 1)), ElementsAre(1));
  EXPECT_THAT(struck(rule(4, 1)), ElementsAre(4));
  EXPECT_THAT(struck(rule(3, 2)), ElementsAre(3, 4));
  EXPECT_THAT(struck(rule(10, 0)), ElementsAre(10, 11, 12));
  EXPECT_THAT(struck(rule(2, 0, 4)), ElementsAre(2, 6, 10));
  EXPECT_THAT(struck(rule(2, 2, 3)), ElementsAre(2, 5));
  EXPECT_THAT(struck(rule(0, 2)), ElementsAre(1, 2)) << "0 counts as the first";
  EXPECT_THAT(struck(rule(11, 0, 0)), ElementsAre(11, 12));
}

TEST(Faults, OnlyWhatFitsIsCounted) {
  FaultRule by_path = rule(2, 1);
  by_path.path = "dir/b.bin";
  FaultScript script;
  script.add(by_path);
  EXPECT_TRUE(script.strike(moment(Command::read, "dir/b.bin")).empty());
  EXPECT_TRUE(script.strike(moment(Command::read, "dir/other")).empty());
  EXPECT_TRUE(script.strike(moment(Command::read)).empty());
  EXPECT_EQ(script.strike(moment(Command::read, "x/dir/b.bin")).size(), 1U);
}

TEST(Faults, ConnectionsAndClassesNarrowARule) {
  FaultRule narrow;
  narrow.times = 0;
  narrow.connection = 2;
  narrow.information = "0x1401FC";
  narrow.fault.kind = FaultKind::reset;
  FaultScript script;
  EXPECT_TRUE(script.empty());
  script.add(narrow);
  EXPECT_FALSE(script.empty());
  EXPECT_EQ(script.strike(moment(Command::ioctl, {}, 2, 0x1401FC)).size(), 1U);
  EXPECT_TRUE(script.strike(moment(Command::ioctl, {}, 1, 0x1401FC)).empty());
  EXPECT_TRUE(script.strike(moment(Command::ioctl, {}, 2, 0x144064)).empty());
  narrow.information = "18";
  FaultScript decimal;
  decimal.add(narrow);
  EXPECT_EQ(decimal.strike(moment(Command::query_info, {}, 2, 18)).size(), 1U) << "any command";
}

TEST(Faults, SeveralRulesStrikeTogetherAndCountApart) {
  FaultScript script;
  script.add(rule(1, 2));
  FaultRule delayed = rule(2, 1);
  delayed.fault.kind = FaultKind::delay;
  delayed.fault.delay = std::chrono::milliseconds(7);
  script.add(delayed);
  EXPECT_EQ(script.strike(moment(Command::read)).size(), 1U);
  const auto both = script.strike(moment(Command::read));
  ASSERT_EQ(both.size(), 2U);
  EXPECT_EQ(both[0].kind, FaultKind::drop);
  EXPECT_EQ(both[1].kind, FaultKind::delay);
  EXPECT_EQ(both[1].delay, std::chrono::milliseconds(7));
  EXPECT_TRUE(script.strike(moment(Command::read)).empty());
}

TEST(Faults, ConnectionFaultsBelongToOneOrToAll) {
  FaultScript script;
  ConnectionFault one;
  one.what = ConnectionFault::What::reset;
  one.connection = 2;
  one.sent_bytes = 100;
  ConnectionFault all;
  all.what = ConnectionFault::What::silence;
  all.received_messages = 3;
  script.add(one);
  script.add(all);
  EXPECT_FALSE(script.empty());
  ASSERT_EQ(script.of_connection(1).size(), 1U);
  EXPECT_EQ(script.of_connection(1)[0].what, ConnectionFault::What::silence);
  ASSERT_EQ(script.of_connection(2).size(), 2U);
  EXPECT_EQ(script.of_connection(2)[0].sent_bytes, 100U);
}

}  // namespace
}  // namespace smb3::server
