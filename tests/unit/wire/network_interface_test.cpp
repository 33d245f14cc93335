#include "unit/wire/vector_file.h"
#include "wire/network_interface.h"

#include <gtest/gtest.h>

namespace smb3::wire::testing {

TEST(NetworkInterface, KeepsAddresses) {
  NetworkInterfaceInfo info;
  IpAddress v4;
  v4.bytes = {std::byte{10}, std::byte{0}, std::byte{0}, std::byte{7}};
  set_address(info, v4);
  EXPECT_EQ(to_hex(Bytes(info.sock_addr_storage).first(8)), "020000000a000007");
  EXPECT_EQ(address_of(info), v4);

  IpAddress v6{.v6 = true, .bytes = {std::byte{0xFE}, std::byte{0x80}}, .scope_id = 5};
  v6.bytes[15] = std::byte{1};
  set_address(info, v6);
  EXPECT_EQ(to_hex(Bytes(info.sock_addr_storage).first(28)),
            "1700000000000000fe80000000000000000000000000000105000000");
  EXPECT_EQ(address_of(info), v6);
}

TEST(NetworkInterface, PassesOverOtherFamilies) {
  NetworkInterfaceInfo info;
  EXPECT_FALSE(address_of(info));
  info.sock_addr_storage[0] = std::byte{0x0A};  // Linux's number of IPv6 is not the wire's
  EXPECT_FALSE(address_of(info));
}

TEST(NetworkInterface, ReadsAList) {
  const std::vector<NetworkInterfaceInfo> list{{.if_index = 1}, {.if_index = 2}};
  ByteBuffer out;
  encode_chain(list, out);
  EXPECT_EQ(out.size(), 2u * 152);
  EXPECT_EQ(load_le<std::uint32_t>(out.data()), 152u);
  const auto read = decode_chain<NetworkInterfaceInfo>(out.bytes());
  ASSERT_TRUE(read);
  ASSERT_EQ(read->size(), 2u);
  EXPECT_EQ((*read)[1].if_index, 2u);
  EXPECT_FALSE(decode_chain<NetworkInterfaceInfo>(Bytes(out.bytes()).first(303)));
}

}  // namespace smb3::wire::testing
