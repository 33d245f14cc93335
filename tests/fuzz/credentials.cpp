// The file of -A, and names of users in the notations of the tools.
#include "fuzz/fuzz.h"
#include "password_source.h"

#include <string>

namespace smb3::fuzz {

void check_file(std::string_view text) {
  auto user = cli::parse_authentication_file(text);
  if (user) {
    require(user->user.find('\n') == std::string::npos, "a user of two lines");
    return;
  }
  require(user.error().kind() == ErrorKind::local, "an error of another kind");
  // Never what the line says: it may be a password in the wrong place.
  require(user.error().what().find("is not understood") != std::string::npos, "another error");
  require(user.error().what().size() < 64, "an error that shows the line");
}

void check_user(std::string_view text) {
  const cli::NamedUser user = cli::parse_user(text);
  const std::size_t percent = text.find('%');
  require(user.password.has_value() == (percent != text.npos), "a password that is none");
  require(!user.password || user.password->view() == text.substr(percent + 1), "another password");
  require(user.domain.find('%') == std::string::npos && user.user.find('%') == std::string::npos,
          "a part of the password became a name");
}

}  // namespace smb3::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace smb3::fuzz;
  const Exact exact(input_of(data, size));
  check_file(text_of(exact.bytes()));
  check_user(text_of(exact.bytes()));
  return 0;
}
