// Whole runs: good ones, ones whose faults the checks must see, and how fast a transfer is.
#include "sim/world.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

using namespace smb3;
using namespace smb3::sim;
using namespace std::chrono_literals;

namespace {

class SimWorldTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_NE(::mkdtemp(folder_), nullptr); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // A world without faults, in which nothing but the link takes time.
  static Plan plain(Direction direction) {
    Plan plan;
    plan.seed = 5;
    plan.direction = direction;
    plan.server.users.push_back({.domain = "SIM", .name = "alice", .password = "Passw0rd!"});
    for (const char* name : {"data", "copy"}) {
      server::ShareSettings share;
      share.name = name;
      plan.server.shares.push_back(share);
    }
    plan.link.always_whole = true;
    plan.disk.delay_max = Duration(0);
    return plan;
  }
  static Plan small(Direction direction) {
    Plan plan = plain(direction);
    plan.folders = {"a", "a/b"};
    plan.files = {{.path = "one", .size = 100'000, .contents = 1},
                  {.path = "a/empty", .size = 0, .contents = 2},
                  {.path = "a/b/two", .size = 70'000, .contents = 3, .replaces = 4}};
    return plan;
  }
  Outcome run(const Plan& plan) {
    Trace trace;
    return run_plan(plan, trace, folder_);
  }
  static void add(Plan& plan, server::FaultKind kind, wire::Command command,
                  std::uint64_t value = 0) {
    server::FaultRule rule;
    rule.command = command;
    rule.fault.kind = kind;
    rule.fault.value = value;
    plan.server.faults.add(std::move(rule));
  }

  char folder_[32] = "/dev/shm/smb3-sim-world.XXXXXX";
};

constexpr Direction directions[] = {Direction::down, Direction::up, Direction::relay};

TEST_F(SimWorldTest, CopiesInEachDirection) {
  for (const Direction direction : directions) {
    for (const bool encrypt : {false, true}) {
      Plan plan = small(direction);
      plan.client.encrypt = encrypt;
      plan.two_servers = encrypt;
      const Outcome outcome = run(plan);
      EXPECT_THAT(outcome.violations, testing::IsEmpty());
      EXPECT_EQ(outcome.copied, 3U);
      EXPECT_EQ(outcome.failed, 0U);
      EXPECT_EQ(outcome.sealed_frames > 0, encrypt);
    }
  }
}

TEST_F(SimWorldTest, TheSameSeedIsTheSameRun) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const Plan plan = make_plan(seed);
    EXPECT_EQ(run(plan).hash, run(make_plan(seed)).hash) << describe(plan);
  }
}

// What the checks are worth: lies that nobody told them of.
TEST_F(SimWorldTest, WrongBytesAreSeen) {
  Plan plan = small(Direction::down);
  add(plan, server::FaultKind::damage, wire::Command::read);
  EXPECT_THAT(run(plan).violations, testing::Contains(testing::HasSubstr("differs")));
  plan = small(Direction::up);
  add(plan, server::FaultKind::lose_write, wire::Command::write);
  EXPECT_THAT(run(plan).violations, testing::Not(testing::IsEmpty()));
}

TEST_F(SimWorldTest, AFailureWithoutAReasonIsSeen) {
  Plan plan = small(Direction::up);
  server::FaultRule rule;
  rule.command = wire::Command::write;
  rule.fault.kind = server::FaultKind::status;
  rule.fault.status = NtStatus::access_denied;
  plan.server.faults.add(std::move(rule));
  EXPECT_THAT(run(plan).violations,
              testing::Contains(testing::HasSubstr("failed, though nothing was wrong")));
  plan.may_fail = true;
  EXPECT_THAT(run(plan).violations, testing::IsEmpty());
}

TEST_F(SimWorldTest, AWrongPasswordCopiesNothing) {
  Plan plan = small(Direction::up);
  plan.wrong_password = plan.may_fail = true;
  const Outcome outcome = run(plan);
  EXPECT_THAT(outcome.violations, testing::IsEmpty());
  EXPECT_EQ(outcome.copied, 0U);
}

TEST_F(SimWorldTest, WhatIsTamperedWithIsNotTaken) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Plan plan = small(seed % 2 ? Direction::down : Direction::up);
    plan.seed = seed;
    plan.may_fail = true;
    plan.client.sign = seed % 3 != 0;
    plan.client.encrypt = !plan.client.sign;
    plan.link.tampering_one_in = 10;
    EXPECT_THAT(run(plan).violations, testing::IsEmpty()) << seed;
  }
}

class Goodput : public SimWorldTest {
 protected:
  // Of what the link lets through, without what any copy needs: a connection, an open and a close.
  double share_of_rate(Direction direction, Link link, bool sign) {
    constexpr std::uint64_t size = 64 << 20;
    Plan plan = plain(direction);
    plan.client.sign = sign;
    plan.link.delay = link.delay;
    plan.link.rate_bits = link.rate_bits;
    plan.files = {{.path = "", .size = 0, .contents = 1}};
    const Outcome nothing = run(plan);
    plan.files.front().size = size;
    const Outcome all = run(plan);
    EXPECT_EQ(nothing.copied, 1U);
    EXPECT_EQ(all.copied, 1U);
    EXPECT_THAT(all.violations, testing::IsEmpty());
    const double seconds = std::chrono::duration<double>(all.time - nothing.time).count();
    return static_cast<double>(size) * 8 / seconds / static_cast<double>(link.rate_bits);
  }
};

TEST_F(Goodput, ReachesNineTenthsOfTheLink) {
  const Link links[] = {{.delay = 10ms, .rate_bits = 1'000'000'000},
                        {.delay = 50ms, .rate_bits = 100'000'000},
                        {.delay = 1ms, .rate_bits = 10'000'000'000}};
  for (const Link& link : links) {
    for (const Direction direction : {Direction::down, Direction::up}) {
      for (const bool sign : {false, true}) {
        const double share = share_of_rate(direction, link, sign);
        EXPECT_GE(share, 0.9) << link.rate_bits << " bits a second, "
                              << (direction == Direction::up ? "up" : "down")
                              << (sign ? ", signed" : "");
        EXPECT_LE(share, 1.0);
      }
    }
  }
}

}  // namespace
