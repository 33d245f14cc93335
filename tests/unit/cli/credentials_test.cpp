// Whose user and whose password count.
#include "credentials.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

namespace smb3::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

SharePath path(std::string_view text) { return std::move(*SharePath::parse(text)); }

struct LoginTest : testing::Test {
  CredentialOptions options;
  std::map<std::string, std::string> environment;
  std::filesystem::path folder = make_folder();

  static std::filesystem::path make_folder() {
    std::string name = (std::filesystem::temp_directory_path() / "credentials-XXXXXX").string();
    return mkdtemp(name.data());
  }
  ~LoginTest() override { std::filesystem::remove_all(folder); }

  std::string file(const std::string& text) {
    std::string name = folder / "file";
    std::ofstream(name, std::ios::binary) << text;
    return name;
  }
  Result<Login> attempt(std::string_view url) {
    CredentialOptions copy = std::move(options);
    Logins logins(std::move(copy), [this](const char* name) -> const char* {
      auto found = environment.find(name);
      return found == environment.end() ? nullptr : found->second.c_str();
    });
    return logins.login_for(path(url));
  }
  Login login(std::string_view url = "smb://host/share") {
    auto result = attempt(url);
    EXPECT_TRUE(result) << describe(result.error());
    return result ? std::move(*result) : Login{};
  }
};

std::string password(const Login& login) {
  return login.credentials.password ? std::string(login.credentials.password->view()) : "(unset)";
}

TEST(ParseUser, KnowsSambasNotations) {
  NamedUser user = parse_user("DOM\\alice%p%w");
  EXPECT_EQ(user.domain, "DOM");
  EXPECT_EQ(user.user, "alice");
  EXPECT_EQ(user.password->view(), "p%w");
  user = parse_user("DOM/alice");
  EXPECT_EQ(user.domain, "DOM");
  EXPECT_EQ(user.user, "alice");
  EXPECT_FALSE(user.password);
  user = parse_user("alice@LAB.TEST%x\\y/z@w");
  EXPECT_EQ(user.domain, "");
  EXPECT_EQ(user.user, "alice@LAB.TEST");
  EXPECT_EQ(user.password->view(), "x\\y/z@w");
  user = parse_user("alice%");
  EXPECT_EQ(user.user, "alice");
  EXPECT_TRUE(user.password && user.password->empty());
  EXPECT_EQ(parse_user("%").user, "");
}

TEST_F(LoginTest, TheUrlBeatsTheOptionBeatsTheFileBeatsTheEnvironment) {
  environment["USER"] = "environment%e";
  EXPECT_EQ(login().credentials.user, "environment");
  EXPECT_EQ(password(login()), "e");

  std::string name = file("username = file\npassword = f\n");
  options.authentication_file = name;
  Login by_file = login();
  EXPECT_EQ(by_file.credentials.user, "file");
  EXPECT_EQ(password(by_file), "f");

  options.authentication_file = name;
  options.user = parse_user("option%o");
  Login by_option = login();
  EXPECT_EQ(by_option.credentials.user, "option");
  EXPECT_EQ(password(by_option), "o");

  options.authentication_file = name;
  options.user = parse_user("option%o");
  Login by_url = login("smb://D;url:u@host/share");
  EXPECT_EQ(by_url.credentials.domain, "D");
  EXPECT_EQ(by_url.credentials.user, "url");
  EXPECT_EQ(password(by_url), "u");
}

TEST_F(LoginTest, APasswordBelongsToItsUser) {
  options.user = parse_user("option%o");
  EXPECT_EQ(password(login("smb://url@host/share")), "(unset)");

  environment["USER"] = "environment%e";
  options.user = parse_user("option");
  EXPECT_EQ(password(login()), "(unset)");

  options.user = parse_user("option");
  options.authentication_file = file("username = file\npassword = f\n");
  EXPECT_EQ(password(login()), "(unset)");
}

TEST_F(LoginTest, AUserWithoutPasswordGetsTheEnvironments) {
  environment["PASSWD"] = "text";
  options.user = parse_user("option");
  EXPECT_EQ(password(login()), "text");
  EXPECT_EQ(password(login("smb://url@host/share")), "text");

  std::string name = file("from file\nmore\n");
  environment["PASSWD_FILE"] = name;
  options.user = parse_user("option");
  EXPECT_EQ(password(login()), "from file");

  int pipe_ends[2];
  ASSERT_EQ(pipe2(pipe_ends, O_CLOEXEC), 0);
  ASSERT_EQ(write(pipe_ends[1], "from pipe\nrest", 14), 14);
  close(pipe_ends[1]);
  environment["PASSWD_FD"] = std::to_string(pipe_ends[0]);
  options.user = parse_user("option");
  EXPECT_EQ(password(login()), "from pipe");
  char rest[8] = {};
  EXPECT_EQ(read(pipe_ends[0], rest, sizeof rest), 4);
  EXPECT_STREQ(rest, "rest");
  close(pipe_ends[0]);
}

TEST_F(LoginTest, AnOwnPasswordNeedsNoOther) {
  environment["PASSWD_FD"] = "nonsense";
  options.user = parse_user("option%o");
  EXPECT_EQ(password(login()), "o");
}

TEST_F(LoginTest, ADescriptorIsReadOnceForSeveralServers) {
  int pipe_ends[2];
  ASSERT_EQ(pipe2(pipe_ends, O_CLOEXEC), 0);
  ASSERT_EQ(write(pipe_ends[1], "pw", 2), 2);
  close(pipe_ends[1]);
  std::string number = std::to_string(pipe_ends[0]);
  options.user = parse_user("option");
  Logins logins(std::move(options), [&](const char* name) -> const char* {
    return std::string_view(name) == "PASSWD_FD" ? number.c_str() : nullptr;
  });
  for (const char* url : {"//one/s", "//two/s"}) {
    auto login = logins.login_for(path(url));
    ASSERT_TRUE(login);
    EXPECT_EQ(password(*login), "pw");
  }
  close(pipe_ends[0]);
}

TEST_F(LoginTest, APasswordOfNobodyFitsWhoeverHasNone) {
  std::string name = file("password = f\ndomain = FD\n");
  options.authentication_file = name;
  options.user = parse_user("option");
  Login with_file = login();
  EXPECT_EQ(password(with_file), "f");
  EXPECT_EQ(with_file.credentials.domain, "FD");

  options.authentication_file = name;
  options.user = parse_user("option");
  options.password.emplace("q");
  EXPECT_EQ(password(login()), "q");

  options.user = parse_user("option%o");
  options.password.emplace("q");
  EXPECT_EQ(password(login()), "o");
}

TEST_F(LoginTest, WorkgroupIsTheDomainOfWhoeverHasNone) {
  auto domain = [this](const char* user) {
    options.workgroup = "WG";
    options.user = parse_user(user);
    return login().credentials.domain;
  };
  EXPECT_EQ(domain("u%p"), "WG");
  EXPECT_EQ(domain("D\\u%p"), "D");
  EXPECT_EQ(domain("u@REALM%p"), "");
  options.workgroup = "WG";
  options.user = parse_user("u%p");
  EXPECT_EQ(login("smb://UD;@host/share").credentials.domain, "UD");
}

TEST_F(LoginTest, UrlUserMayBringItsDomainAlong) {
  Login by_name = login("smb://D%5Cu:p@host/share");
  EXPECT_EQ(by_name.credentials.domain, "D");
  EXPECT_EQ(by_name.credentials.user, "u");
  EXPECT_EQ(login("smb://u%40REALM:p@host/share").credentials.user, "u@REALM");
}

TEST_F(LoginTest, NoPasswordMeansAnEmptyOneOrNobody) {
  environment["PASSWD"] = "text";
  environment["USER"] = "root";
  options.no_password = true;
  options.user = parse_user("alice%x");
  Login named = login();
  EXPECT_FALSE(named.credentials.anonymous);
  EXPECT_EQ(named.credentials.user, "alice");
  EXPECT_EQ(password(named), "");
  EXPECT_FALSE(named.may_ask || named.must_ask);

  options.no_password = true;
  Login nobody = login();
  EXPECT_TRUE(nobody.credentials.anonymous);
  EXPECT_EQ(nobody.credentials.user, "");
  EXPECT_FALSE(nobody.may_ask || nobody.must_ask);

  options.user = parse_user("%");
  EXPECT_TRUE(login().credentials.anonymous);
}

TEST_F(LoginTest, GuestIsGuest) {
  environment["USER"] = "root%x";
  options.guest = true;
  Login guest = login();
  EXPECT_TRUE(guest.credentials.guest);
  EXPECT_FALSE(guest.may_ask || guest.must_ask);
}

TEST_F(LoginTest, ATicketMayDoWithoutAPasswordWhereTheServerHasAName) {
  options.user = parse_user("alice");
  Login named = login();
  EXPECT_TRUE(named.may_ask);
  EXPECT_FALSE(named.must_ask);
  EXPECT_EQ(named.credentials.user, "alice");
  for (const char* url : {"//127.0.0.1/s", "smb://[::1]/s", "//fe80::1%eth0/s"}) {
    options.user = parse_user("alice");
    EXPECT_TRUE(login(url).must_ask) << url;
  }
  options.user = parse_user("alice");
  options.kerberos = KerberosUse::off;
  EXPECT_TRUE(login().must_ask);
  options.user = parse_user("alice%p");
  EXPECT_FALSE(login("//127.0.0.1/s").must_ask);
}

TEST_F(LoginTest, TheEnvironmentsUserIsNoOwnerOfATicket) {
  environment["USER"] = "root";
  Login guessed = login();
  EXPECT_EQ(guessed.credentials.user, "");
  EXPECT_EQ(guessed.user_label(), "root");
  EXPECT_TRUE(guessed.may_ask);
  Credentials answered = guessed.with_password(SecretString("pw"));
  EXPECT_EQ(answered.user, "root");
  EXPECT_EQ(answered.password->view(), "pw");
  EXPECT_EQ(login("//127.0.0.1/s").credentials.user, "root");
  environment.clear();
  EXPECT_FALSE(login().may_ask);
  EXPECT_TRUE(login("//127.0.0.1/s").must_ask);
}

TEST_F(LoginTest, ATicketCacheRequiresKerberosUnlessToldOtherwise) {
  EXPECT_EQ(login().credentials.kerberos, KerberosUse::desired);
  options.ccache = "FILE:/x";
  EXPECT_EQ(login().credentials.kerberos, KerberosUse::required);
  options.ccache = "FILE:/x";
  options.kerberos = KerberosUse::desired;
  EXPECT_EQ(login().credentials.kerberos, KerberosUse::desired);
}

TEST_F(LoginTest, UnreadableSourcesAreErrors) {
  options.authentication_file = folder / "missing";
  auto missing = attempt("//h/s");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().kind(), ErrorKind::not_found);
  EXPECT_THAT(describe(missing.error()), HasSubstr("missing"));

  environment["PASSWD_FILE"] = folder / "none";
  options.user = parse_user("u");
  EXPECT_FALSE(attempt("//h/s"));
  environment["PASSWD_FD"] = "987";
  options.user = parse_user("u");
  auto descriptor = attempt("//h/s");
  ASSERT_FALSE(descriptor);
  EXPECT_THAT(describe(descriptor.error()), HasSubstr("PASSWD_FD"));
  environment["PASSWD_FD"] = "3x";
  options.user = parse_user("u");
  EXPECT_FALSE(attempt("//h/s"));
}

TEST(AuthenticationFile, IsReadAsSambaDoes) {
  auto user = parse_authentication_file(
      "# comment\n\n  USERNAME=SRV/alice \r\n\tpassword =  p =w# \nrealm = X\n");
  ASSERT_TRUE(user);
  EXPECT_EQ(user->domain, "SRV");
  EXPECT_EQ(user->user, "alice");
  EXPECT_EQ(user->password->view(), "p =w# ");
  user = parse_authentication_file("username = alice\ndomain = LAB");
  ASSERT_TRUE(user);
  EXPECT_EQ(user->domain, "LAB");
  EXPECT_FALSE(user->password);
  user = parse_authentication_file("username = alice\npassword =\n");
  ASSERT_TRUE(user);
  EXPECT_TRUE(user->password && user->password->empty());
}

TEST(AuthenticationFile, AMalformedLineIsNamedByItsNumberOnly) {
  for (const char* text : {"username = alice\nhush\n", "username = alice\npasswort = hush\n"}) {
    auto user = parse_authentication_file(text);
    ASSERT_FALSE(user);
    EXPECT_THAT(describe(user.error()), HasSubstr("line 2"));
    EXPECT_THAT(describe(user.error()), Not(HasSubstr("hush")));
  }
}

}  // namespace
}  // namespace smb3::cli
