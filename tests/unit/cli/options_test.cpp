// The command lines of both tools.
#include "options.h"

#include "unit/cli/arguments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace smb3::cli {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

SmbcpOptions smbcp(std::vector<std::string> texts) {
  Arguments arguments(std::move(texts));
  auto options = read_smbcp_options(arguments.count(), arguments.pointers());
  EXPECT_TRUE(options) << describe(options.error());
  return options ? std::move(*options) : SmbcpOptions{};
}

std::string smbcp_refusal(std::vector<std::string> texts) {
  Arguments arguments(std::move(texts));
  auto options = read_smbcp_options(arguments.count(), arguments.pointers());
  EXPECT_FALSE(options);
  return options ? "" : describe(options.error());
}

SmbgetOptions smbget(std::vector<std::string> texts) {
  Arguments arguments(std::move(texts));
  auto options = read_smbget_options(arguments.count(), arguments.pointers());
  EXPECT_TRUE(options) << describe(options.error());
  return options ? std::move(*options) : SmbgetOptions{};
}

std::string smbget_refusal(std::vector<std::string> texts) {
  Arguments arguments(std::move(texts));
  auto options = read_smbget_options(arguments.count(), arguments.pointers());
  EXPECT_FALSE(options);
  return options ? "" : describe(options.error());
}

TEST(SmbcpOptions, HasDefaults) {
  SmbcpOptions options = smbcp({"a", "//h/s"});
  EXPECT_THAT(options.operands, ElementsAre("a", "//h/s"));
  EXPECT_FALSE(options.recursive || options.preserve || options.dry_run || options.in_place);
  EXPECT_FALSE(options.write_through || options.json || options.client.encrypt);
  EXPECT_EQ(options.client.timeout, 30s);
  EXPECT_EQ(options.client.port, 0);
  EXPECT_EQ(options.client.channels, 0U);
  EXPECT_TRUE(options.client.interfaces.empty());
  EXPECT_EQ(options.progress, ProgressMode::automatic);
  EXPECT_EQ(options.verbosity, Verbosity::normal);
  EXPECT_FALSE(options.credentials.user || options.credentials.kerberos);
}

TEST(SmbcpOptions, ReadsEveryOption) {
  SmbcpOptions options = smbcp({"-r",
                                "-p",
                                "-n",
                                "-v",
                                "--inplace",
                                "--writethrough",
                                "--progress=never",
                                "--port=4450",
                                "--address",
                                "127.0.0.9",
                                "--encrypt",
                                "--sign",
                                "--timeout=2.5",
                                "--channels=4",
                                "--interface=eth0,10.0.0.1",
                                "--keylog=keys",
                                "--json",
                                "-U",
                                "D\\u%p",
                                "-A",
                                "file",
                                "-N",
                                "-a",
                                "-W",
                                "WG",
                                "--use-kerberos=off",
                                "--use-krb5-ccache=FILE:/x",
                                "--password=q",
                                "a",
                                "b"});
  EXPECT_TRUE(options.recursive && options.preserve && options.dry_run && options.in_place);
  EXPECT_TRUE(options.write_through && options.json);
  EXPECT_TRUE(options.client.encrypt && options.client.sign);
  EXPECT_EQ(options.client.port, 4450);
  EXPECT_EQ(options.client.address, "127.0.0.9");
  EXPECT_EQ(options.client.timeout, 2500ms);
  EXPECT_EQ(options.client.channels, 4U);
  EXPECT_THAT(options.client.interfaces, ElementsAre("eth0", "10.0.0.1"));
  EXPECT_EQ(options.client.keylog_file, "keys");
  EXPECT_EQ(options.progress, ProgressMode::never);
  EXPECT_EQ(options.verbosity, Verbosity::verbose);
  const CredentialOptions& login = options.credentials;
  EXPECT_EQ(login.user->domain, "D");
  EXPECT_EQ(login.user->user, "u");
  EXPECT_EQ(login.user->password->view(), "p");
  EXPECT_EQ(login.password->view(), "q");
  EXPECT_EQ(login.authentication_file, "file");
  EXPECT_EQ(login.workgroup, "WG");
  EXPECT_EQ(login.kerberos, KerberosUse::off);
  EXPECT_EQ(login.ccache, "FILE:/x");
  EXPECT_TRUE(login.no_password && login.guest);
}

TEST(SmbcpOptions, FlagsDoNotSwallowTheSource) {
  EXPECT_THAT(smbcp({"--writethrough", "SRC", "DST"}).operands, ElementsAre("SRC", "DST"));
  SmbcpOptions options = smbcp({"--progress", "SRC", "DST"});
  EXPECT_THAT(options.operands, ElementsAre("SRC", "DST"));
  EXPECT_EQ(options.progress, ProgressMode::always);
}

TEST(SmbcpOptions, RefusesBadValues) {
  for (const char* port : {"0", "65536", "x", "", "-1", "1x"}) {
    EXPECT_THAT(smbcp_refusal({"--port", port, "a", "b"}), HasSubstr("--port: ")) << port;
  }
  for (const char* seconds : {"0", "-1", "nan", "inf", "1e9", "", "5s"}) {
    EXPECT_THAT(smbcp_refusal({"--timeout", seconds, "a", "b"}), HasSubstr("--timeout: "))
        << seconds;
  }
  for (const char* channels : {"0", "-1", "65", "", "x"}) {
    EXPECT_THAT(smbcp_refusal({"--channels", channels, "a", "b"}), HasSubstr("--channels: "));
  }
  EXPECT_EQ(smbcp({"--channels=auto", "a", "b"}).client.channels, 0U);
  EXPECT_THAT(smbcp_refusal({"--interface=eth0,", "a", "b"}), HasSubstr("empty"));
  EXPECT_THAT(smbcp_refusal({"--use-kerberos=yes", "a", "b"}), HasSubstr("desired, required"));
  EXPECT_THAT(smbcp_refusal({"--progress=yes", "a", "b"}), HasSubstr("auto, always or never"));
  EXPECT_THAT(smbcp_refusal({"--keylog=", "a", "b"}), HasSubstr("empty"));
}

TEST(SmbcpOptions, NeedsASourceAndADestination) {
  EXPECT_THAT(smbcp_refusal({}), HasSubstr("no source"));
  EXPECT_THAT(smbcp_refusal({"a"}), HasSubstr("no destination"));
  EXPECT_TRUE(smbcp({"--help"}).show_help);
  EXPECT_TRUE(smbcp({"-h"}).show_help);
  EXPECT_TRUE(smbcp({"--version"}).show_version);
}

TEST(SmbcpOptions, OverwritesSecretsInArgv) {
  Arguments arguments({"-rUalice%hush1", "--user=bob%hush2", "-U", "D/eve%hush%3", "--password",
                       "hush4", "--password=hush5", "smb://u:hush6@h/s", "-N", "--",
                       "smb://D;u:hush/7@h/s"});
  auto options = read_smbcp_options(arguments.count(), arguments.pointers());
  ASSERT_TRUE(options);
  EXPECT_THAT(arguments.seen(), Not(HasSubstr("hush")));
  EXPECT_THAT(arguments.seen(), HasSubstr("alice%*"));
  EXPECT_EQ(options->credentials.user->password->view(), "hush%3");
  EXPECT_EQ(options->credentials.password->view(), "hush5");
  EXPECT_THAT(options->operands, ElementsAre("smb://u:hush6@h/s", "smb://D;u:hush/7@h/s"));
}

TEST(SmbgetOptions, ReadsSambasOptions) {
  SmbgetOptions options = smbget({"-a", "-e", "--recursive", "-q", "-U", "S/u%p", "-m", "SMB3",
                                  "--workgroup=WG", "smb://h/s/1", "smb://h/s/2"});
  EXPECT_TRUE(options.credentials.guest && options.client.encrypt && options.recursive);
  EXPECT_EQ(options.verbosity, Verbosity::quiet);
  EXPECT_EQ(options.credentials.user->domain, "S");
  EXPECT_EQ(options.credentials.workgroup, "WG");
  EXPECT_EQ(options.operands.size(), 2u);
  options = smbget({"-o", "[x]", "--client-protection=encrypt", "smb://h/s/1"});
  EXPECT_EQ(options.output_file, "[x]");
  EXPECT_TRUE(options.client.encrypt);
  EXPECT_TRUE(smbget({"--client-protection=sign", "smb://h/s/1"}).client.sign);
  EXPECT_TRUE(smbget({"--stdout", "smb://h/s/1"}).to_stdout);
  EXPECT_TRUE(smbget({"-?"}).show_help);
  EXPECT_TRUE(smbget({"--help"}).show_help);
  EXPECT_TRUE(smbget({"-V"}).show_version);
}

TEST(SmbgetOptions, RefusesWhatCannotBe) {
  EXPECT_THAT(smbget_refusal({}), HasSubstr("no URL"));
  EXPECT_THAT(smbget_refusal({"/tmp/x"}), HasSubstr("/tmp/x"));
  EXPECT_THAT(smbget_refusal({"-m", "SMB2", "smb://h/s/x"}), HasSubstr("SMB3_11"));
  EXPECT_THAT(smbget_refusal({"--max-protocol=NT1", "smb://h/s/x"}), HasSubstr("SMB3_11"));
  EXPECT_THAT(smbget_refusal({"--stdout", "-o", "x", "smb://h/s/x"}), HasSubstr("exclude"));
  EXPECT_THAT(smbget_refusal({"--recursive", "--stdout", "smb://h/s"}), HasSubstr("--recursive"));
  EXPECT_THAT(smbget_refusal({"--recursive", "-o", "x", "smb://h/s"}), HasSubstr("--recursive"));
  EXPECT_THAT(smbget_refusal({"-o", "x", "smb://h/s/1", "smb://h/s/2"}), HasSubstr("one URL"));
  EXPECT_THAT(smbget_refusal({"-R", "smb://h/s"}), HasSubstr("unknown option -R"));
  EXPECT_THAT(smbget_refusal({"--client-protection=x", "smb://h/s"}), HasSubstr("sign, encrypt"));
}

TEST(Help, NamesOptionsExitCodesAndExamples) {
  for (const std::string& help : {smbcp_help(), smbget_help()}) {
    for (const char* part : {"--user", "--authentication-file", "--use-kerberos", "--timeout",
                             "--json", "--encrypt", "Exit codes:", "130", "143", "Examples:"}) {
      EXPECT_THAT(help, HasSubstr(part));
    }
    std::size_t widest = 0;
    for (std::size_t begin = 0; begin < help.size();) {
      std::size_t end = help.find('\n', begin);
      widest = std::max(widest, end - begin);
      begin = end + 1;
    }
    EXPECT_LE(widest, 100u);
  }
}

TEST(AsksForJson, LooksAtOptionsOnly) {
  Arguments yes({"--bad", "--json"});
  EXPECT_TRUE(asks_for_json(yes.count(), yes.pointers()));
  Arguments no({"--", "--json"});
  EXPECT_FALSE(asks_for_json(no.count(), no.pointers()));
}

}  // namespace
}  // namespace smb3::cli
