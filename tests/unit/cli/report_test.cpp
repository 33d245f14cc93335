// Exit codes, and the object of --json.
#include "report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <string>

namespace smb3::cli {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

constexpr ErrorKind all_kinds[] = {
    ErrorKind::not_found, ErrorKind::access_denied, ErrorKind::exists,         ErrorKind::no_space,
    ErrorKind::timed_out, ErrorKind::disconnected,  ErrorKind::authentication, ErrorKind::security,
    ErrorKind::protocol,  ErrorKind::unsupported,   ErrorKind::cancelled,      ErrorKind::failed,
    ErrorKind::local};

int code(Phase phase, ErrorKind kind) { return exit_code_of(phase, Error(kind, "x")); }

TEST(ExitCode, OfConnecting) {
  using enum ErrorKind;
  EXPECT_EQ(code(Phase::connect, disconnected), 3);
  EXPECT_EQ(code(Phase::connect, timed_out), 3);
  EXPECT_EQ(code(Phase::connect, authentication), 4);
  EXPECT_EQ(code(Phase::connect, access_denied), 4);
  EXPECT_EQ(code(Phase::connect, not_found), 4);
  EXPECT_EQ(code(Phase::connect, failed), 4);
  EXPECT_EQ(code(Phase::connect, security), 5);
  EXPECT_EQ(code(Phase::connect, protocol), 5);
  EXPECT_EQ(code(Phase::connect, unsupported), 5);
  EXPECT_EQ(code(Phase::connect, local), 2);
}

TEST(ExitCode, OfAFile) {
  using enum ErrorKind;
  for (ErrorKind kind : {not_found, access_denied, exists, no_space, unsupported, failed, local}) {
    EXPECT_EQ(code(Phase::file, kind), 1) << name_of(kind);
  }
  EXPECT_EQ(code(Phase::file, disconnected), 3);
  EXPECT_EQ(code(Phase::file, timed_out), 3);
  EXPECT_EQ(code(Phase::file, authentication), 4);
  EXPECT_EQ(code(Phase::file, security), 5);
  EXPECT_EQ(code(Phase::file, protocol), 5);
  // STATUS_IO_TIMEOUT: the server speaks.
  EXPECT_EQ(exit_code_of(Phase::file, Error(timed_out, "x").status(0xC00000B5)), 1);
}

TEST(ExitCode, OfSetupIsUsage) {
  for (ErrorKind kind : all_kinds) EXPECT_EQ(code(Phase::setup, kind), 2);
}

TEST(Report, ExitCodeFollowsTheFailures) {
  Report report;
  EXPECT_EQ(report.exit_code(0), 0);
  report.failed(Phase::file, "a", Error(ErrorKind::not_found, "x"));
  EXPECT_EQ(report.exit_code(0), 1);
  report.failed(Phase::file, "b", Error(ErrorKind::disconnected, "x"));
  report.failed(Phase::file, "c", Error(ErrorKind::not_found, "x"));
  EXPECT_EQ(report.exit_code(0), 3);
  report.copied(7);
  EXPECT_EQ(report.exit_code(0), 1);
}

TEST(Report, SomethingCopiedAndSomethingFailedIsOne) {
  for (Phase phase : {Phase::connect, Phase::file}) {
    for (ErrorKind kind : all_kinds) {
      Report report;
      report.copied(0);
      EXPECT_EQ(report.exit_code(0), 0);
      report.failed(phase, "a", Error(kind, "x"));
      EXPECT_EQ(report.exit_code(0), 1);
    }
  }
}

TEST(Report, ASignalBeatsAllElse) {
  Report report;
  report.failed(Phase::file, "a", Error(ErrorKind::cancelled, "x"));
  EXPECT_EQ(report.exit_code(SIGINT), 130);
  EXPECT_EQ(report.exit_code(SIGTERM), 143);
  EXPECT_EQ(Report().exit_code(SIGINT), 130);
}

TEST(Report, JsonOfNothing) {
  EXPECT_EQ(Report().json(0s),
            R"({"files":0,"bytes":0,"failed":0,"seconds":0.000000,"dialect":null,"signing":null,)"
            R"("cipher":null,"channels":[],"errors":[]})"
            "\n");
}

ConnectionInformation connection() {
  ConnectionInformation information;
  information.dialect = "3.1.1";
  information.signing = "AES-128-GMAC";
  information.cipher = "none";
  information.channels.push_back(
      {"10.0.0.1:1234", "[::1]:445", 42, ChannelState::up, 7, 1'000'000'000});
  return information;
}

TEST(Report, JsonHasEverything) {
  Report report;
  report.copied(40);
  report.copied(2);
  report.connected(connection());
  report.failed(Phase::file, "//h/s/a\"b\xff",
                Error(ErrorKind::not_found, "no such file").status(0xC0000034));
  EXPECT_EQ(
      report.json(1500ms),
      R"({"files":2,"bytes":42,"failed":1,"seconds":1.500000,"dialect":"3.1.1",)"
      R"("signing":"AES-128-GMAC","cipher":"none","channels":[{"local":"10.0.0.1:1234",)"
      R"("remote":"[::1]:445","bytes":42,"state":"up","requests":7,"speed_bits":1000000000}],)"
      R"("errors":[{"path":"//h/s/a\"b)"
      "\xef\xbf\xbd"
      R"j(","kind":"not_found","message":"no such file (STATUS_OBJECT_NAME_NOT_FOUND)"}]})j"
      "\n");
}

TEST(Report, ChannelsOfSeveralSharesAreListedOnce) {
  Report report;
  report.connected(connection());
  ConnectionInformation other = connection();
  other.dialect = "other";
  other.channels.push_back({"10.0.0.1:99", "10.0.0.2:445", 1, ChannelState::failed});
  report.connected(other);
  std::string json = report.json(0s);
  EXPECT_THAT(json, HasSubstr(R"("dialect":"3.1.1")"));
  EXPECT_EQ(json.find("1234"), json.rfind("1234"));
  EXPECT_THAT(json, HasSubstr(R"("bytes":1,"state":"failed","requests":0,)"));
}

TEST(Report, TheTableTellsOfEachChannel) {
  ConnectionInformation information = connection();
  information.channels.push_back({"10.0.0.1:99", "10.0.0.2:445", 1, ChannelState::failed});
  information.warnings.push_back("no channel from here to there: refused");
  EXPECT_THAT(channel_table(information),
              testing::ElementsAre(
                  "channel 10.0.0.1:1234 -> [::1]:445: 1000 Mbit/s, 42 bytes, 7 requests, up",
                  "channel 10.0.0.1:99 -> 10.0.0.2:445: speed unknown, 1 bytes, 0 requests, failed",
                  "no channel from here to there: refused"));
}

TEST(Report, JsonHasTheKindsThatScriptsKnow) {
  for (ErrorKind kind : all_kinds) {
    Report report;
    report.failed(Phase::file, "p", Error(kind, "m"));
    EXPECT_THAT(report.json(0s), HasSubstr("\"kind\":\"" + std::string(name_of(kind)) + "\""));
  }
}

}  // namespace
}  // namespace smb3::cli
