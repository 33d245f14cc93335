#include "server_fixture.h"

#include "wire/tree_disconnect.h"

namespace smb3::server::test {
namespace {

using wire::TreeConnectFlags;

class TreeConnectTest : public ServerTest {
 protected:
  ShareSettings& add_share(const std::string& name) {
    ShareSettings share;
    share.name = name;
    settings_.shares.push_back(share);
    return settings_.shares.back();
  }
};

TEST_F(TreeConnectTest, AShareIsWhatItsSettingsSay) {
  ShareSettings& share = add_share("Cluster");
  share.flags = wire::ShareFlags::force_levelii_oplock;
  share.capabilities =
      wire::ShareCapabilities::continuous_availability | wire::ShareCapabilities::asymmetric;
  start();
  auto client = connect_as("alice");
  const Element answer = client->ask(client->tree_connect("\\\\anyone\\cLUSTER"));
  const auto response = answer.as<wire::TreeConnectResponse>();
  EXPECT_EQ(response.share_type, wire::ShareType::disk);
  EXPECT_EQ(response.share_flags, wire::ShareFlags::force_levelii_oplock);
  EXPECT_EQ(response.capabilities, settings_.shares.back().capabilities);
  const Element other =
      client->ask(client->tree_connect("\\\\s\\cluster", TreeConnectFlags::redirect_to_owner));
  EXPECT_TRUE(wire::has(other.as<wire::TreeConnectResponse>().capabilities,
                        wire::ShareCapabilities::redirect_to_owner));
  EXPECT_NE(other.header.tree_id, answer.header.tree_id);
  const auto pipes = client->ask(client->tree_connect("\\\\s\\IPC$"));
  EXPECT_EQ(pipes.as<wire::TreeConnectResponse>().share_type, wire::ShareType::pipe);
}

TEST_F(TreeConnectTest, WrongPathsAreRefused) {
  start();
  auto client = connect_as("alice");
  EXPECT_EQ(client->status_of(client->tree_connect("\\\\s\\nope")), NtStatus::bad_network_name);
  for (const char* path : {"", "rw", "\\rw", "\\\\rw", "\\\\s\\", "\\\\\\rw", "\\\\s\\rw\\x"}) {
    EXPECT_EQ(client->status_of(client->tree_connect(path)), NtStatus::invalid_parameter) << path;
  }
}

TEST_F(TreeConnectTest, ADisconnectedTreeIsGone) {
  start();
  auto client = connect_as("alice");
  client->connect_share("rw");
  EXPECT_EQ(client->status_of(client->request(wire::TreeDisconnectRequest{})), NtStatus::success);
  EXPECT_EQ(client->status_of(client->request(wire::TreeDisconnectRequest{})),
            NtStatus::network_name_deleted);
}

TEST_F(TreeConnectTest, GuestsComeInWhereTheyMay) {
  settings_.allow_guest = true;
  add_share("closed");
  start();
  auto guest = connect_as("guest");
  EXPECT_EQ(guest->status_of(guest->tree_connect("\\\\s\\closed")), NtStatus::access_denied);
  EXPECT_EQ(guest->status_of(guest->tree_connect("\\\\s\\rw")), NtStatus::success);
}

TEST_F(TreeConnectTest, AnEncryptedShareIsForThoseThatCan) {
  add_share("secret").encrypt = true;
  start();
  auto cannot = connect();
  cannot->cipher = Cipher::none;
  cannot->negotiate();
  cannot->log_on("alice");
  EXPECT_EQ(cannot->status_of(cannot->tree_connect("\\\\s\\secret")), NtStatus::access_denied);

  auto can = connect_as("alice");
  const Element answer = can->ask(can->tree_connect("\\\\s\\secret"), As::signed_message);
  EXPECT_FALSE(can->last_was_sealed);
  EXPECT_EQ(answer.as<wire::TreeConnectResponse>().share_flags, wire::ShareFlags::encrypt_data);
  can->tree_id = answer.header.tree_id;
  const Octets plain = can->request(wire::TreeDisconnectRequest{});
  EXPECT_EQ(can->status_of(plain, As::signed_message), NtStatus::access_denied);
  EXPECT_TRUE(can->last_was_sealed);
  EXPECT_EQ(can->status_of(can->request(wire::TreeDisconnectRequest{}), As::sealed),
            NtStatus::success);
}

TEST_F(TreeConnectTest, AStrictServerEndsUnprotectedOnes) {
  settings_.strict = true;
  start();
  auto client = connect_as("alice");
  client->send(client->tree_connect("\\\\s\\rw"));
  EXPECT_TRUE(client->sees_end());
  client = connect_as("alice");
  EXPECT_EQ(client->status_of(client->tree_connect("\\\\s\\rw"), As::signed_message),
            NtStatus::success);
  client = connect_as("alice");
  EXPECT_EQ(client->status_of(client->tree_connect("\\\\s\\rw"), As::sealed), NtStatus::success);
}

TEST_F(TreeConnectTest, AShareThatIsNotRedirectedAtOnceIsConnected) {
  ShareSettings& share = add_share("moves");
  share.redirect_addresses = {"192.0.2.7"};
  share.redirect_synchronous = false;
  start();
  auto client = connect_as("alice");
  EXPECT_EQ(
      client->status_of(client->tree_connect("\\\\s\\moves", TreeConnectFlags::redirect_to_owner)),
      NtStatus::success);
}

TEST_F(TreeConnectTest, AShareOfAnotherNodeIsRedirectedForWhoAsks) {
  add_share("moved").redirect_addresses = {"192.0.2.7", "2001:db8::7"};
  start();
  auto client = connect_as("alice");
  EXPECT_EQ(client->status_of(client->tree_connect("\\\\s\\moved")), NtStatus::success);
  const Element answer =
      client->ask(client->tree_connect("\\\\s\\moved", TreeConnectFlags::redirect_to_owner));
  EXPECT_EQ(answer.header.nt_status(), NtStatus::bad_network_name);
  const auto contexts = wire::error_contexts(answer.as<wire::ErrorResponse>());
  ASSERT_TRUE(contexts && contexts->size() == 1);
  EXPECT_EQ(contexts->front().error_id, wire::ErrorId::share_redirect);
  const auto redirect =
      wire::decode<wire::ShareRedirectError>(contexts->front().error_context_data);
  ASSERT_TRUE(redirect);
  ASSERT_EQ(redirect->ip_addr_move_list.size(), 2U);
  EXPECT_EQ(redirect->ip_addr_move_list[0].type, wire::MoveDstType::ipv4);
  EXPECT_EQ(redirect->ip_addr_move_list[0].address[3], std::byte{7});
  EXPECT_EQ(redirect->ip_addr_move_list[1].type, wire::MoveDstType::ipv6);
  EXPECT_EQ(Octets(redirect->resource_name.begin(), redirect->resource_name.end()),
            RawClient::to_utf16("moved"));
}

}  // namespace
}  // namespace smb3::server::test
