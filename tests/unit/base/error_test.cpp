// What an Error of the kernel's says.
#include <smbclient3/error.h>

#include <gtest/gtest.h>

#include <cerrno>

namespace smb3 {
namespace {

TEST(SystemError, OfTooManyFilesNamesTheLimit) {
  EXPECT_NE(describe(system_error(EMFILE, "openat2")).find("ulimit -n"), std::string::npos);
  EXPECT_NE(describe(system_error(ENFILE, "openat2")).find("fs.file-max"), std::string::npos);
  EXPECT_EQ(system_error(ENOENT, "openat2").hint(), "");
}

}  // namespace
}  // namespace smb3
