// Which connections are planned for which interfaces.
#include "multichannel/pairing.h"

#include "wire/network_interface.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <arpa/inet.h>

namespace smb3::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

constexpr std::uint64_t gigabit = 1'000'000'000;

Endpoint endpoint(const std::string& text) {
  sockaddr_in v4{};
  if (::inet_pton(AF_INET, text.c_str(), &v4.sin_addr) == 1) {
    v4.sin_family = AF_INET;
    return make_endpoint(reinterpret_cast<sockaddr*>(&v4), sizeof v4);
  }
  sockaddr_in6 v6{};
  EXPECT_EQ(::inet_pton(AF_INET6, text.c_str(), &v6.sin6_addr), 1) << text;
  v6.sin6_family = AF_INET6;
  return make_endpoint(reinterpret_cast<sockaddr*>(&v6), sizeof v6);
}

class PairingTest : public testing::Test {
 protected:
  PairingTest() {
    request_.route_exists = [this](const LocalInterface&, const Endpoint&) {
      ++questions_;
      return true;
    };
  }
  void local(std::uint32_t index, const std::string& address, std::uint64_t speed = gigabit) {
    request_.local.push_back({"eth" + std::to_string(index), index, endpoint(address), 24, speed});
  }
  void remote(std::uint32_t index, const std::string& address, bool rss = true,
              std::uint64_t speed = gigabit) {
    request_.remote.push_back({index, with_port(endpoint(address), 445), speed, rss});
  }
  void first(const std::string& from, const std::string& to) {
    request_.first_local = endpoint(from);
    request_.first_remote = with_port(endpoint(to), 445);
  }
  // So many links, each a network of its own; the first connection is on the first.
  void links(unsigned count, bool rss = true) {
    for (unsigned i = 1; i <= count; ++i) {
      local(i, "10.0." + std::to_string(i) + ".1");
      remote(i, "10.0." + std::to_string(i) + ".2", rss);
    }
    request_.route_exists = [](const LocalInterface& from, const Endpoint& to) {
      return address_bytes(from.address)[2] == address_bytes(to)[2];
    };
    first("10.0.1.1", "10.0.1.2");
  }
  // "from > to x connections"
  std::vector<std::string> plan() {
    std::vector<std::string> shown;
    for (const PlannedPair& pair : plan_pairs(request_)) {
      shown.push_back(address_text(pair.local.address) + " > " + address_text(pair.remote) + " x " +
                      std::to_string(pair.connections));
    }
    return shown;
  }

  PairingRequest request_;
  std::size_t questions_ = 0;
};

TEST_F(PairingTest, EveryLinkIsUsedBeforeOneIsUsedTwice) {
  links(4);
  EXPECT_THAT(plan(), UnorderedElementsAre("10.0.1.1 > 10.0.1.2 x 2", "10.0.2.1 > 10.0.2.2 x 2",
                                           "10.0.3.1 > 10.0.3.2 x 2", "10.0.4.1 > 10.0.4.2 x 2"));
}

TEST_F(PairingTest, ExactlyAsManyAsAskedFor) {
  links(4);
  request_.connections = 4;
  EXPECT_THAT(plan(), UnorderedElementsAre("10.0.1.1 > 10.0.1.2 x 1", "10.0.2.1 > 10.0.2.2 x 1",
                                           "10.0.3.1 > 10.0.3.2 x 1", "10.0.4.1 > 10.0.4.2 x 1"));
  request_.connections = 6;
  std::size_t sum = 0;
  for (const PlannedPair& pair : plan_pairs(request_)) sum += pair.connections;
  EXPECT_EQ(sum, 6U);
}

TEST_F(PairingTest, OneLinkHasFourConnectionsWithReceiveSideScalingAndOneWithout) {
  links(1);
  EXPECT_THAT(plan(), ElementsAre("10.0.1.1 > 10.0.1.2 x 4"));
  request_.remote.front().is_rss_capable = false;
  EXPECT_THAT(plan(), ElementsAre("10.0.1.1 > 10.0.1.2 x 1"));
  request_.connections = 3;
  EXPECT_THAT(plan(), ElementsAre("10.0.1.1 > 10.0.1.2 x 3"));
}

TEST_F(PairingTest, PairsHaveInterfacesOfTheirOwn) {
  for (unsigned i = 1; i <= 3; ++i) {
    local(i, "10.0.0." + std::to_string(i));
    remote(i, "10.0.0.10" + std::to_string(i), false);
  }
  first("10.0.0.2", "10.0.0.103");
  EXPECT_THAT(plan(), UnorderedElementsAre("10.0.0.2 > 10.0.0.103 x 1", testing::_, testing::_));
  std::set<std::string> locals, remotes;
  for (const PlannedPair& pair : plan_pairs(request_)) {
    locals.insert(address_text(pair.local.address));
    remotes.insert(address_text(pair.remote));
  }
  EXPECT_EQ(locals.size(), 3U);
  EXPECT_EQ(remotes.size(), 3U);
}

// The greatest matching, not the first that comes: 1 reaches both, 2 only one of them.
TEST_F(PairingTest, NoLinkIsLeftOutByAGreedyChoice) {
  local(1, "10.0.0.1");
  local(2, "10.0.0.2");
  remote(1, "10.0.0.101", false);
  remote(2, "10.0.0.102", false);
  request_.route_exists = [](const LocalInterface& from, const Endpoint& to) {
    return from.index == 1 || address_text(to) == "10.0.0.101";
  };
  first("10.0.0.1", "10.0.0.101");
  const auto planned = plan();
  EXPECT_THAT(planned, testing::Contains("10.0.0.1 > 10.0.0.102 x 1"));
  EXPECT_THAT(planned, testing::Contains("10.0.0.2 > 10.0.0.101 x 1"));
}

TEST_F(PairingTest, OneInterfaceHereReachesAllOfTheServers) {
  local(1, "10.0.0.1", 10 * gigabit);
  remote(1, "10.0.0.101", false);
  remote(2, "10.0.0.102", false);
  first("10.0.0.1", "10.0.0.101");
  EXPECT_THAT(plan(),
              UnorderedElementsAre("10.0.0.1 > 10.0.0.101 x 1", "10.0.0.1 > 10.0.0.102 x 1"));
}

TEST_F(PairingTest, AddressesThatLeadNowhereAreDropped) {
  links(1, false);
  for (const char* address : {"0.0.0.0", "224.0.0.1", "255.255.255.255", "127.0.0.1", "::", "::1",
                              "ff02::1", "169.254.1.1", "fe80::1"}) {
    remote(9, address);
    local(9, address);
  }
  request_.route_exists = [](const LocalInterface&, const Endpoint&) { return true; };
  EXPECT_THAT(plan(), ElementsAre("10.0.1.1 > 10.0.1.2 x 1"));
}

TEST_F(PairingTest, LinkLocalAddressesAreTakenWhereThereIsNothingBetter) {
  local(1, "169.254.0.1");
  remote(1, "169.254.0.2");
  first("169.254.0.1", "169.254.0.2");
  EXPECT_THAT(plan(), ElementsAre("169.254.0.1 > 169.254.0.2 x 4"));
}

TEST_F(PairingTest, LoopbackIsForThoseWhoBeganThere) {
  local(1, "127.0.0.1");
  remote(1, "127.0.0.1");
  first("127.0.0.1", "127.0.0.1");
  EXPECT_THAT(plan(), ElementsAre("127.0.0.1 > 127.0.0.1 x 4"));
}

TEST_F(PairingTest, TwoFamiliesOfOnePairAreOnePair) {
  local(1, "10.0.0.1");
  local(1, "fd00::1");
  remote(1, "fd00::2", false);
  remote(1, "10.0.0.2", false);
  first("10.0.0.1", "10.0.0.2");
  EXPECT_THAT(plan(), ElementsAre("10.0.0.1 > 10.0.0.2 x 1"));
  first("fd00::1", "fd00::2");
  EXPECT_THAT(plan(), ElementsAre("fd00::1 > fd00::2 x 1"));
}

TEST_F(PairingTest, InterfacesCanBeChosen) {
  links(3, false);
  request_.only = {"eth2", "10.0.3.1"};
  EXPECT_THAT(plan(), UnorderedElementsAre("10.0.2.1 > 10.0.2.2 x 1", "10.0.3.1 > 10.0.3.2 x 1"));
  request_.only = {"eth9"};
  EXPECT_THAT(plan(), IsEmpty());
}

TEST_F(PairingTest, FasterLinksComeFirst) {
  local(1, "10.0.1.1");
  remote(1, "10.0.1.2", false);
  local(2, "10.0.2.1", 0);  // unknown: as usual
  remote(2, "10.0.2.2", false, 0);
  local(3, "10.0.3.1", gigabit / 10);
  remote(3, "10.0.3.2", false);
  local(4, "10.0.4.1", 10 * gigabit);
  remote(4, "10.0.4.2", false, 10 * gigabit);
  request_.route_exists = [](const LocalInterface& from, const Endpoint& to) {
    return address_bytes(from.address)[2] == address_bytes(to)[2];
  };
  first("10.0.1.1", "10.0.1.2");
  request_.connections = 3;
  EXPECT_THAT(plan(), UnorderedElementsAre("10.0.1.1 > 10.0.1.2 x 1", "10.0.4.1 > 10.0.4.2 x 1",
                                           "10.0.2.1 > 10.0.2.2 x 1"));
}

// Wherever the first connection happens to be.
TEST_F(PairingTest, FastOnesAreNotPairedWithSlowOnes) {
  const std::uint64_t speeds[] = {gigabit, 10 * gigabit, gigabit / 10};
  for (std::uint32_t i = 0; i < 3; ++i) {
    local(i, "10.0.0." + std::to_string(i + 1), speeds[i]);
    remote(i, "10.0.0.10" + std::to_string(i + 1), false, speeds[i]);
  }
  first("10.0.0.1", "10.0.0.102");
  EXPECT_THAT(plan(),
              UnorderedElementsAre("10.0.0.2 > 10.0.0.102 x 1", "10.0.0.1 > 10.0.0.101 x 1",
                                   "10.0.0.3 > 10.0.0.103 x 1", "10.0.0.1 > 10.0.0.102 x 1"));
}

TEST_F(PairingTest, AnAddressThatBothSidesHaveLeadsNowhere) {
  links(1, false);
  local(7, "172.17.0.1");
  remote(7, "172.17.0.1");
  EXPECT_THAT(plan(), ElementsAre("10.0.1.1 > 10.0.1.2 x 1"));
  first("10.0.1.1", "172.17.0.1");  // the server is this machine
  EXPECT_THAT(plan(), testing::Contains(testing::HasSubstr("> 172.17.0.1")));
}

TEST_F(PairingTest, AnAddressUnderManyIndicesIsOne) {
  local(1, "10.0.1.1");
  for (std::uint32_t i = 0; i < 71; ++i) remote(i, "10.0.1.2", false);
  first("10.0.1.1", "10.0.1.2");
  EXPECT_THAT(plan(), ElementsAre("10.0.1.1 > 10.0.1.2 x 1"));
}

TEST_F(PairingTest, ManyInterfacesAreBoundedWork) {
  for (std::uint32_t i = 0; i < 200; ++i) {
    const std::string end = std::to_string(i % 250 + 1);
    local(i, "10.1.0." + end);
    remote(i, "10.2.0." + end);
  }
  first("10.1.0.1", "10.2.0.1");
  std::size_t sum = 0;
  for (const PlannedPair& pair : plan_pairs(request_)) sum += pair.connections;
  EXPECT_EQ(sum, 8U);
  EXPECT_LE(questions_, 256U);
}

// One more than there are pairs for: it is behind an address that the server does not name.
TEST_F(PairingTest, AFirstConnectionElsewhereCounts) {
  links(1, false);
  first("10.0.1.1", "192.0.2.1");
  request_.connections = 2;
  EXPECT_THAT(plan(), ElementsAre("10.0.1.1 > 10.0.1.2 x 1"));
}

TEST(RemoteInterfaces, AreReadFromTheAnswer) {
  ByteBuffer answer;
  std::vector<wire::NetworkInterfaceInfo> entries(3);
  wire::IpAddress v4;
  ::inet_pton(AF_INET, "10.0.0.2", v4.bytes.data());
  wire::set_address(entries[0], v4);
  entries[0].if_index = 7;
  entries[0].capability = wire::InterfaceCapability::rss_capable;
  entries[0].link_speed = 4294967295000000;
  entries[1].sock_addr_storage[0] = std::byte{99};  // a family of nobody's
  wire::IpAddress v6;
  v6.v6 = true;
  ::inet_pton(AF_INET6, "fd00::2", v6.bytes.data());
  wire::set_address(entries[2], v6);
  entries[2].link_speed = gigabit;
  wire::encode_chain(entries, answer);
  const auto read = remote_interfaces(answer.bytes(), 4450).value();
  ASSERT_EQ(read.size(), 2U);
  EXPECT_EQ(text_of(read[0].address), "10.0.0.2:4450");
  EXPECT_EQ(read[0].index, 7U);
  EXPECT_TRUE(read[0].is_rss_capable);
  EXPECT_EQ(read[0].speed_bits_per_second, 400 * gigabit);
  EXPECT_EQ(text_of(read[1].address), "[fd00::2]:4450");
  EXPECT_FALSE(read[1].is_rss_capable);
  EXPECT_FALSE(remote_interfaces(answer.bytes().first(100), 445).has_value());
}

}  // namespace
}  // namespace smb3::test
