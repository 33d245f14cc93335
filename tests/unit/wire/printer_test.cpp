#include "base/utf16.h"
#include "unit/wire/vector_file.h"
#include "wire/messages.h"

#include <gtest/gtest.h>

namespace smb3::wire::testing {

TEST(Printer, NamesFields) {
  EXPECT_EQ(print(ReadRequest{.flags = ReadFlags::read_unbuffered,
                              .length = 4096,
                              .offset = 7,
                              .file_id = {1, 2},
                              .minimum_count = 0}),
            "READ request: flags=0x1 length=4096 offset=7 file_id={persistent=1 volatile_id=2} "
            "minimum_count=0");
}

TEST(Printer, ShowsTextAndHidesBytes) {
  const auto path = *to_utf16le("\\\\nas\\data");
  EXPECT_EQ(print(TreeConnectRequest{.path = path}),
            "TREE_CONNECT request: flags=0x0 path=\"\\\\nas\\data\"");
  const auto token = from_hex("60480102");
  const SessionSetupResponse response{.security_buffer = token};
  EXPECT_EQ(print(response), "SESSION_SETUP response: session_flags=0x0 security_buffer=<4 bytes>");
  EXPECT_EQ(print(response, {.hex_bytes_max = 4}),
            "SESSION_SETUP response: session_flags=0x0 security_buffer=60480102");
}

TEST(Printer, LetsNoPeerWriteIntoATerminal) {
  const auto name = *to_utf16le("a\x1b[2J\n\"");
  EXPECT_EQ(print(FileNamesInformation{.file_name = name}),
            "FILE_NAMES_INFORMATION: file_index=0 file_name=\"a\\x1b[2J\\x0a\\x22\"");
  const auto wrong = from_hex("00d8");
  EXPECT_EQ(print(FileNamesInformation{.file_name = wrong}),
            "FILE_NAMES_INFORMATION: file_index=0 file_name=<not UTF-16: 00d8>");
}

TEST(Printer, ShowsListsAndNamesOfCommands) {
  EXPECT_EQ(print(SigningCapabilities{.signing_algorithms = {SigningAlgorithm::aes_128_gmac}}),
            "SIGNING_CAPABILITIES: signing_algorithms=[AES-128-GMAC]");
  EXPECT_TRUE(print(PacketHeader{.command = Command::tree_connect}).find("command=TREE_CONNECT") !=
              std::string::npos);
  EXPECT_TRUE(print(PacketHeader{.command = Command{0x99}}).find("command=0x99") !=
              std::string::npos);
  const LockRequest lock{.locks = {LockElement{.offset = 1}, LockElement{.offset = 2}}};
  EXPECT_EQ(print(lock),
            "LOCK request: lock_sequence=0 file_id={persistent=0 volatile_id=0} "
            "locks=[{offset=1 length=0 flags=0x0} {offset=2 length=0 flags=0x0}]");
}

}  // namespace smb3::wire::testing
