// What the machine may lack, and what NTLM must not touch: each in a process of its own, since the
// libraries remember what they have found.
#include "auth/credentials.h"
#include "unit/auth/ntlm_messages.h"
#include "unit/auth/support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <csignal>
#include <cstddef>

namespace smb3 {
namespace {

using test::Outcome;
using test::shell;
using testing::HasSubstr;

LogonRequest alice(KerberosUse use = KerberosUse::desired, std::string realm = {}) {
  LogonRequest request;
  request.user = "alice";
  request.realm = std::move(realm);
  request.password = SecretString("a-secret-password");
  request.kerberos = use;
  return request;
}

// One logon up to AUTHENTICATE; says what went wrong.
void log_on_by_ntlm(const LogonRequest& request) {
  auto client = make_authenticator(request, "fs.lab.test");
  ASSERT_TRUE(client) << describe(client.error());
  for (const test::Octets& from_server :
       {test::Octets{}, test::as_of_now(test::vector("challenge"))}) {
    const auto step = (*client)->step(from_server);
    ASSERT_TRUE(step) << describe(step.error());
  }
  EXPECT_EQ((*client)->mechanism(), "NTLMSSP");
}

// From now on a socket of any kind ends the process.
void forbid_sockets() {
  sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_socket, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{std::size(filter), filter};
  ASSERT_EQ(::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
  ASSERT_EQ(::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), 0);
}

// Runs it in a copy of this process; how that ended, as waitpid gives it.
template <class Function>
int in_a_child(Function function) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::alarm(60);
    function();
    ::_exit(testing::Test::HasFailure() ? 1 : 0);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  return status;
}

class Environment : public testing::Test {
 protected:
  // A realm with a KDC that one could ask, and a name service that one could ask for another.
  Environment() {
    ::setenv("KRB5_CONFIG",
             folder_
                 .write("krb5.conf",
                        "[libdefaults]\ndefault_realm = LAB.TEST\ndns_lookup_kdc = true\n"
                        "dns_lookup_realm = true\n[realms]\nLAB.TEST = {\nkdc = 127.0.0.1:9\n}\n")
                 .c_str(),
             1);
    ::setenv("KRB5CCNAME", ("FILE:" + (folder_ / "none")).c_str(), 1);
    ::setenv("KRB5_CLIENT_KTNAME", (folder_ / "none").c_str(), 1);
  }

  // Another run of this program, with the first test below.
  static Outcome log_on_with(const std::string& variable) {
    const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
    return shell("export " + variable + "; exec '" + self +
                 "' --gtest_filter=Environment.HoldsWhatNtlmNeeds");
  }

  test::TemporaryFolder folder_;
};

TEST_F(Environment, HoldsWhatNtlmNeeds) { log_on_by_ntlm(alice()); }

TEST_F(Environment, NtlmAsksNeitherTheNameServiceNorAKdc) {
  const int ntlm = in_a_child([] {
    forbid_sockets();
    log_on_by_ntlm(alice());
    LogonRequest domain = alice();
    domain.domain = "LAB";
    log_on_by_ntlm(domain);
    log_on_by_ntlm(alice(KerberosUse::off, "LAB.TEST"));
  });
  EXPECT_TRUE(WIFEXITED(ntlm) && WEXITSTATUS(ntlm) == 0) << ntlm;
  // The same trap, where a realm is named and Kerberos is to be tried.
  const int kerberos = in_a_child([] {
    forbid_sockets();
    log_on_by_ntlm(alice(KerberosUse::desired, "LAB.TEST"));
  });
  EXPECT_TRUE(WIFSIGNALED(kerberos) && WTERMSIG(kerberos) == SIGSYS) << kerberos;
}

TEST_F(Environment, AMissingMechanismNamesItsPackage) {
  const Outcome outcome = log_on_with("GSS_MECH_CONFIG=" + folder_.write("mechs", ""));
  EXPECT_TRUE(outcome.exited_with(1)) << outcome.output;
  EXPECT_THAT(outcome.output, HasSubstr("install the package gss-ntlmssp"));
  EXPECT_THAT(outcome.output, testing::Not(HasSubstr("a-secret-password")));
}

TEST_F(Environment, AMechanismThatDoesNotLoadNamesItsPackage) {
  const std::string config =
      folder_.write("mechs", "gssntlmssp_v1 1.3.6.1.4.1.311.2.2.10 /nonexistent/gssntlmssp.so\n");
  const Outcome outcome = log_on_with("GSS_MECH_CONFIG=" + config);
  EXPECT_TRUE(outcome.exited_with(1)) << outcome.output;
  EXPECT_THAT(outcome.output, HasSubstr("install the package gss-ntlmssp"));
}

TEST_F(Environment, AMissingLegacyProviderNamesItsPackage) {
  const Outcome outcome = log_on_with("OPENSSL_MODULES=/nonexistent");
  EXPECT_TRUE(outcome.exited_with(1)) << outcome.output;
  EXPECT_THAT(outcome.output, HasSubstr("install the package openssl-provider-legacy"));
  EXPECT_THAT(outcome.output, testing::Not(HasSubstr("a-secret-password")));
}

}  // namespace
}  // namespace smb3
