// Settings and faults from JSON: every knob, and what is said about a wrong one.
#include "support/server/fault_json.h"
#include "support/server/settings_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace smb3::server {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

ServerSettings node_of(std::string_view json) {
  auto settings = settings_from_json(json);
  EXPECT_TRUE(settings) << describe(settings.error());
  if (!settings || settings->nodes.size() != 1) return {};
  return std::move(settings->nodes[0]);
}

std::string complaint(std::string_view json) {
  const auto settings = settings_from_json(json);
  EXPECT_FALSE(settings) << json;
  return settings ? std::string() : settings.error().what();
}

FaultRule rule_of(std::string_view json) {
  auto fault = fault_from_json(json);
  EXPECT_TRUE(fault) << describe(fault.error());
  if (!fault || !std::holds_alternative<FaultRule>(*fault)) return {};
  return std::get<FaultRule>(std::move(*fault));
}

std::string fault_complaint(std::string_view json) {
  const auto fault = fault_from_json(json);
  EXPECT_FALSE(fault) << json;
  return fault ? std::string() : fault.error().what();
}

TEST(SettingsJson, NothingGivenIsOneNodeWithTheDefaults) {
  const auto settings = settings_from_json("{}").value();
  EXPECT_EQ(settings.log, "");
  EXPECT_FALSE(settings.log_answers);
  ASSERT_EQ(settings.nodes.size(), 1U);
  const ServerSettings defaults;
  const ServerSettings& node = settings.nodes[0];
  EXPECT_EQ(node.address, defaults.address);
  EXPECT_EQ(node.name, defaults.name);
  EXPECT_EQ(node.max_read_bytes, defaults.max_read_bytes);
  EXPECT_EQ(node.credits_max, defaults.credits_max);
  EXPECT_TRUE(node.multichannel && node.persistent_handles && node.leasing && node.large_mtu);
  EXPECT_TRUE(node.faults.empty());
}

TEST(SettingsJson, EverySettingOfANodeIsRead) {
  const ServerSettings node = node_of(R"({
    // what a comment may say
    "address": "::1", "port": 4450, "name": "NODE1",
    "users": [{"domain": "LAB", "name": "alice", "password": "pw"}, {"name": "bob"}],
    "keytab": "/k", "allow_guest": true, "allow_anonymous": true, "signing": "required",
    "signing_algorithms": ["AES-128-GMAC", "AES-128-CMAC", "HMAC-SHA256"],
    "ciphers": ["AES-256-GCM", "AES-256-CCM", "AES-128-GCM", "AES-128-CCM"],
    "encrypt": true, "multichannel": false, "persistent_handles": false, "leasing": false,
    "large_mtu": false, "max_transact_bytes": 65536, "max_read_bytes": "0x20000",
    "max_write_bytes": 4294967295, "credits_max": 1, "session_lifetime_ms": 0, "strict": true,
    "interfaces": [
      {"index": 7, "speed_bits": 10000000000, "rss": true, "rdma": true, "address": "192.0.2.1"},
      {"address": "fe80::1%3"}],
    "faults": [{"fault": "drop"}, {"connection_fault": "close", "sent_bytes": 5}]})");
  EXPECT_EQ(node.address, "::1");
  EXPECT_EQ(node.port, 4450);
  EXPECT_EQ(node.name, "NODE1");
  ASSERT_EQ(node.users.size(), 2U);
  EXPECT_EQ(node.users[0].domain + node.users[0].name + node.users[0].password, "LABalicepw");
  EXPECT_EQ(node.users[1].name, "bob");
  EXPECT_EQ(node.keytab, "/k");
  EXPECT_TRUE(node.allow_guest && node.allow_anonymous && node.encrypt && node.strict);
  EXPECT_FALSE(node.multichannel || node.persistent_handles || node.leasing || node.large_mtu);
  EXPECT_EQ(node.signing, SigningPolicy::required);
  EXPECT_THAT(node.signing_algorithms,
              ElementsAre(SigningAlgorithm::aes_128_gmac, SigningAlgorithm::aes_128_cmac,
                          SigningAlgorithm::hmac_sha256));
  EXPECT_THAT(node.ciphers, ElementsAre(Cipher::aes_256_gcm, Cipher::aes_256_ccm,
                                        Cipher::aes_128_gcm, Cipher::aes_128_ccm));
  EXPECT_EQ(node.max_transact_bytes, 65536U);
  EXPECT_EQ(node.max_read_bytes, 0x20000U);
  EXPECT_EQ(node.max_write_bytes, 4294967295U);
  EXPECT_EQ(node.credits_max, 1);
  EXPECT_EQ(node.session_lifetime_ms, 0U);
  ASSERT_EQ(node.interfaces.size(), 2U);
  EXPECT_EQ(node.interfaces[0].if_index, 7U);
  EXPECT_EQ(node.interfaces[0].link_speed, 10'000'000'000U);
  EXPECT_EQ(node.interfaces[0].capability,
            wire::InterfaceCapability::rss_capable | wire::InterfaceCapability::rdma_capable);
  EXPECT_EQ(wire::address_of(node.interfaces[0])->bytes[0], std::byte{192});
  EXPECT_EQ(wire::address_of(node.interfaces[1])->scope_id, 3U);
  EXPECT_EQ(node.faults.of_connection(1).size(), 1U);
  EXPECT_EQ(node_of(R"({"session_lifetime_ms": null})").session_lifetime_ms, std::nullopt);
}

TEST(SettingsJson, EverySettingOfAShareIsRead) {
  const ServerSettings node = node_of(R"({"shares": [
    {"name": "f", "store": "folder", "folder": "/tmp", "size_bytes": 10, "read_only": true,
     "encrypt": true, "guest_ok": true, "type": "print",
     "flags": ["dfs", "restrict_exclusive_opens"],
     "capabilities": ["continuous_availability", "scaleout"],
     "redirect_addresses": ["192.0.2.9", "2001:db8::1"], "redirect_synchronous": false},
    {"name": "n", "store": "null", "null_file_bytes": 1000}, {"name": "m"}]})");
  ASSERT_EQ(node.shares.size(), 3U);
  const ShareSettings& share = node.shares[0];
  EXPECT_EQ(share.name + share.folder, "f/tmp");
  EXPECT_EQ(share.store, StoreKind::folder);
  EXPECT_EQ(share.size_bytes, 10U);
  EXPECT_TRUE(share.read_only && share.encrypt && share.guest_ok);
  EXPECT_EQ(share.type, wire::ShareType::print);
  EXPECT_EQ(share.flags, wire::ShareFlags::dfs | wire::ShareFlags::restrict_exclusive_opens);
  EXPECT_EQ(share.capabilities,
            wire::ShareCapabilities::continuous_availability | wire::ShareCapabilities::scaleout);
  EXPECT_THAT(share.redirect_addresses, ElementsAre("192.0.2.9", "2001:db8::1"));
  EXPECT_FALSE(share.redirect_synchronous);
  EXPECT_EQ(node.shares[1].store, StoreKind::null);
  EXPECT_EQ(node.shares[1].null_file_bytes, 1000U);
  EXPECT_EQ(node.shares[2].store, StoreKind::memory);
}

TEST(SettingsJson, NodesTakeWhatStandsBesideThem) {
  const auto settings = settings_from_json(R"({"log": "-", "log_answers": true, "strict": true,
    "shares": [{"name": "rw"}], "nodes": [{"port": 1}, {"port": 2, "strict": false,
    "shares": [{"name": "a"}, {"name": "b"}]}]})")
                            .value();
  EXPECT_EQ(settings.log, "-");
  EXPECT_TRUE(settings.log_answers);
  ASSERT_EQ(settings.nodes.size(), 2U);
  EXPECT_EQ(settings.nodes[0].port, 1);
  EXPECT_TRUE(settings.nodes[0].strict);
  EXPECT_EQ(settings.nodes[0].shares.size(), 1U);
  EXPECT_EQ(settings.nodes[1].port, 2);
  EXPECT_FALSE(settings.nodes[1].strict);
  EXPECT_EQ(settings.nodes[1].shares.size(), 2U);
}

TEST(SettingsJson, ErrorsNameTheKeyAndWhatIsAllowed) {
  EXPECT_THAT(complaint(R"({"prot": 1})"), AllOf(HasSubstr("prot"), HasSubstr("port, name")));
  EXPECT_THAT(complaint(R"({"nodes": [{}, {"log": "x"}]})"), HasSubstr("nodes[1].log"));
  EXPECT_THAT(complaint(R"({"port": 65536})"), AllOf(HasSubstr("port"), HasSubstr("65535")));
  EXPECT_THAT(complaint(R"({"port": -1})"), HasSubstr("port"));
  EXPECT_THAT(complaint(R"({"port": 1.5})"), HasSubstr("port"));
  EXPECT_THAT(complaint(R"({"port": "0xZ"})"), HasSubstr("port"));
  EXPECT_THAT(complaint(R"({"port": ""})"), HasSubstr("port"));
  EXPECT_THAT(complaint(R"({"credits_max": 0})"), HasSubstr("from 1 to 65535"));
  EXPECT_THAT(complaint(R"({"strict": 1})"),
              AllOf(HasSubstr("strict"), HasSubstr("true or false")));
  EXPECT_THAT(complaint(R"({"address": "localhost"})"), HasSubstr("127.0.0.1"));
  EXPECT_THAT(complaint(R"({"ciphers": ["AES-512"]})"), HasSubstr("\"AES-256-GCM\""));
  EXPECT_THAT(complaint(R"({"ciphers": "AES-128-GCM"})"), HasSubstr("a list of"));
  EXPECT_THAT(complaint(R"({"signing": "maybe"})"), HasSubstr("\"enabled\", \"required\""));
  EXPECT_THAT(complaint(R"({"shares": [{}]})"), HasSubstr("shares[0].name"));
  EXPECT_THAT(complaint(R"({"shares": {"name": "a"}})"), HasSubstr("a list of objects"));
  EXPECT_THAT(complaint(R"({"shares": ["a"]})"), HasSubstr("shares[0]: expected an object"));
  EXPECT_THAT(complaint(R"({"shares": [{"name": "a", "store": "folder"}]})"),
              HasSubstr("shares[0].folder"));
  EXPECT_THAT(complaint(R"({"shares": [{"name": "a", "folder": "/tmp"}]})"),
              HasSubstr("shares[0].folder"));
  EXPECT_THAT(complaint(R"({"shares": [{"name": "a", "flags": ["x"]}]})"),
              HasSubstr("\"force_shared_delete\""));
  EXPECT_THAT(complaint(R"({"shares": [{"name": "a", "redirect_addresses": ["x"]}]})"),
              HasSubstr("shares[0].redirect_addresses[0]"));
  EXPECT_THAT(complaint(R"({"users": [{"domain": "LAB"}]})"), HasSubstr("users[0].name"));
  EXPECT_THAT(complaint(R"({"interfaces": [{"index": 1}]})"), HasSubstr("interfaces[0].address"));
  EXPECT_THAT(complaint(R"({"interfaces": [{"address": "::1%x"}]})"), HasSubstr("address"));
  EXPECT_THAT(complaint(R"({"nodes": []})"), HasSubstr("at least one"));
  EXPECT_THAT(complaint("[]"), HasSubstr("expected an object"));
  EXPECT_THAT(complaint("{"), HasSubstr("parse error"));
  EXPECT_THAT(complaint(""), HasSubstr("parse error"));
  EXPECT_THAT(complaint("{\"name\": \"\xFF\"}"), HasSubstr("invalid"));
  EXPECT_THAT(complaint(R"({"faults": [{"fault": "drop"}, {"fault": "dorp"}]})"),
              HasSubstr("faults[1].fault"));
}

// The least that JSON must say for a kind.
std::string sample(const FaultWord& word) {
  const auto value_of = [](std::string_view key) -> std::string {
    if (key == "status") return "\"STATUS_DISK_FULL\"";
    if (key == "field") return "\"credits\"";
    if (key == "data") return "\"00ff\"";
    return "12";
  };
  std::string json = "{\"fault\": \"" + std::string(word.word) + '"';
  std::istringstream keys(std::string(word.required) +
                          (word.kind == FaultKind::entry_name ? " data" : ""));
  for (std::string key; keys >> key;) json.append(", \"" + key + "\": " + value_of(key));
  return json + '}';
}

TEST(FaultJson, EveryKindHasAWordAndIsRead) {
  const auto words = fault_words();
  ASSERT_EQ(words.size(), static_cast<std::size_t>(FaultKind::restart_node) + 1);
  for (std::size_t i = 0; i < words.size(); ++i) {
    EXPECT_EQ(words[i].kind, static_cast<FaultKind>(i)) << words[i].word;
    const std::string json = sample(words[i]);
    const FaultRule rule = rule_of(json);
    EXPECT_EQ(rule.fault.kind, words[i].kind) << json;
    EXPECT_EQ(rule.first, 1U);
    EXPECT_EQ(rule.times, 1U);
    EXPECT_EQ(rule.every, 1U);
    EXPECT_FALSE(rule.command || rule.connection);
    const auto needs = [&](std::string_view key) {
      return (' ' + std::string(words[i].required) + ' ').find(' ' + std::string(key) + ' ') !=
             std::string::npos;
    };
    EXPECT_EQ(rule.fault.status, needs("status") ? NtStatus::disk_full : NtStatus::success);
    EXPECT_EQ(rule.fault.delay.count(), needs("delay_ms") ? 12 : 0);
    EXPECT_EQ(rule.fault.value, needs("value") ? 12U : 0U);
    EXPECT_EQ(rule.fault.offset, needs("offset") ? 12U : 0U);
    // What it has no use for is a mistake.
    std::string surplus = json;
    surplus.insert(1, "\"surplus\": 1, ");
    EXPECT_THAT(fault_complaint(surplus), HasSubstr("surplus: no such key"));
    // And without what it needs it is not a fault.
    if (words[i].required.empty()) continue;
    EXPECT_THAT(fault_complaint("{\"fault\": \"" + std::string(words[i].word) + "\"}"),
                HasSubstr("needs one"));
  }
}

TEST(FaultJson, TheMomentIsRead) {
  const FaultRule rule = rule_of(R"({"fault": "drop", "command": "QUERY_INFO", "first": 3,
    "times": 0, "every": 5, "connection": 2, "path": "a/b", "information": "0x12"})");
  EXPECT_EQ(rule.command, wire::Command::query_info);
  EXPECT_EQ(rule.first, 3U);
  EXPECT_EQ(rule.times, 0U);
  EXPECT_EQ(rule.every, 5U);
  EXPECT_EQ(rule.connection, 2U);
  EXPECT_EQ(rule.path, "a/b");
  EXPECT_EQ(rule.information, "18");
  for (unsigned i = 0; i <= 0x13; ++i) {
    const auto command = static_cast<wire::Command>(i);
    EXPECT_EQ(rule_of("{\"fault\": \"drop\", \"command\": \"" +
                      std::string(wire::name_of(command)) + "\"}")
                  .command,
              command);
  }
}

TEST(FaultJson, ValuesOfEveryForm) {
  EXPECT_EQ(rule_of(R"({"fault": "status", "status": "0xC0001234"})").fault.status,
            NtStatus{0xC0001234});
  EXPECT_EQ(rule_of(R"({"fault": "status", "status": 3221225506})").fault.status,
            NtStatus::access_denied);
  EXPECT_EQ(
      rule_of(R"({"fault": "patch", "offset": 70, "value": "0xFFFFFFFFFFFFFFFF", "width": 8})")
          .fault.value,
      ~std::uint64_t{0});
  EXPECT_EQ(rule_of(R"({"fault": "patch", "offset": 70, "value": 1})").fault.width, 4U);
  const Fault named =
      rule_of(R"({"fault": "set_field", "field": "data_offset", "value": 9})").fault;
  EXPECT_EQ(named.field, "data_offset");
  EXPECT_EQ(rule_of(R"({"fault": "set_field", "index": 2, "value": 9})").fault.index, 2U);
  EXPECT_THAT(rule_of(R"({"fault": "entry_name", "name": "aé"})").fault.data,
              ElementsAre(std::byte{'a'}, std::byte{0}, std::byte{0xE9}, std::byte{0}));
  EXPECT_THAT(rule_of(R"({"fault": "entry_name", "data": "00D8"})").fault.data,
              ElementsAre(std::byte{0}, std::byte{0xD8}));
  EXPECT_TRUE(rule_of(R"({"fault": "entry_name", "name": ""})").fault.data.empty());
}

TEST(FaultJson, ErrorsNameTheKeyAndWhatIsAllowed) {
  EXPECT_THAT(fault_complaint("{}"), HasSubstr("fault: expected what goes wrong"));
  EXPECT_THAT(fault_complaint(R"({"fault": "x"})"), HasSubstr("\"restart_node\""));
  EXPECT_THAT(fault_complaint(R"({"fault": "drop", "command": "READS"})"),
              AllOf(HasSubstr("command"), HasSubstr("\"QUERY_DIRECTORY\"")));
  EXPECT_THAT(fault_complaint(R"({"fault": "status", "status": "ACCESS_DENIED"})"),
              HasSubstr("STATUS_ACCESS_DENIED"));
  EXPECT_THAT(fault_complaint(R"({"fault": "drop", "first": 0})"), HasSubstr("first"));
  EXPECT_THAT(fault_complaint(R"({"fault": "drop", "information": "all"})"),
              HasSubstr("information"));
  EXPECT_THAT(fault_complaint(R"({"fault": "patch", "offset": 1, "value": 1, "width": 9})"),
              HasSubstr("from 1 to 8"));
  for (const char* hex : {"f", "0g", "+1", "0x00"}) {
    EXPECT_THAT(fault_complaint(R"({"fault": "raw_bytes", "data": ")" + std::string(hex) + "\"}"),
                HasSubstr("bytes in hex"));
  }
  EXPECT_THAT(fault_complaint(R"({"fault": "entry_name"})"), HasSubstr("needs one of them"));
  EXPECT_THAT(fault_complaint(R"({"fault": "entry_name", "name": "a", "data": "00"})"),
              HasSubstr("needs one of them"));
  EXPECT_THAT(fault_complaint(R"({"fault": 7})"), HasSubstr("fault"));
}

TEST(FaultJson, ConnectionFaultsAreRead) {
  const auto of = [](std::string_view json) {
    return std::get<ConnectionFault>(fault_from_json(json).value());
  };
  const auto reset = of(R"({"connection_fault": "reset", "connection": 4, "sent_bytes": 1})");
  EXPECT_EQ(reset.what, ConnectionFault::What::reset);
  EXPECT_EQ(reset.connection, 4U);
  EXPECT_EQ(reset.sent_bytes, 1U);
  EXPECT_EQ(of(R"({"connection_fault": "silence", "received_messages": 2})").received_messages, 2U);
  EXPECT_EQ(of(R"({"connection_fault": "close", "received_bytes": 3})").received_bytes, 3U);
  EXPECT_THAT(fault_complaint(R"({"connection_fault": "close"})"), HasSubstr("sent_bytes"));
  EXPECT_THAT(fault_complaint(R"({"connection_fault": "drop", "sent_bytes": 1})"),
              HasSubstr("\"silence\""));
  EXPECT_THAT(fault_complaint(R"({"connection_fault": "close", "sent_bytes": 1, "first": 1})"),
              HasSubstr("first: no such key"));
}

TEST(FaultJson, TheHelpNamesEveryWordAndItsExamplesAreRead) {
  const std::string_view help = json_help();
  for (const FaultWord& word : fault_words()) EXPECT_THAT(help, HasSubstr(word.word));
  for (const char* key : {"log_answers",
                          "nodes",
                          "address",
                          "port",
                          "name",
                          "shares",
                          "users",
                          "keytab",
                          "allow_guest",
                          "allow_anonymous",
                          "signing",
                          "signing_algorithms",
                          "ciphers",
                          "encrypt",
                          "multichannel",
                          "persistent_handles",
                          "leasing",
                          "large_mtu",
                          "max_transact_bytes",
                          "max_read_bytes",
                          "max_write_bytes",
                          "credits_max",
                          "session_lifetime_ms",
                          "interfaces",
                          "strict",
                          "faults",
                          "store",
                          "folder",
                          "size_bytes",
                          "null_file_bytes",
                          "read_only",
                          "guest_ok",
                          "type",
                          "flags",
                          "capabilities",
                          "redirect_addresses",
                          "redirect_synchronous",
                          "first",
                          "times",
                          "every",
                          "connection",
                          "path",
                          "information",
                          "connection_fault",
                          "received_bytes",
                          "sent_bytes",
                          "received_messages",
                          "force_levelii_oplock"}) {
    EXPECT_THAT(help, HasSubstr('"' + std::string(key) + '"'));
  }
  std::istringstream lines{std::string(help)};
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100U) << line;
  std::string_view examples = help.substr(help.find("Examples:\n") + 10);
  const auto second = examples.find("\n  {\"log\"");
  ASSERT_NE(second, std::string_view::npos);
  for (const std::string_view example : {examples.substr(0, second), examples.substr(second)}) {
    const auto settings = settings_from_json(example);
    EXPECT_TRUE(settings) << describe(settings.error());
  }
}

}  // namespace
}  // namespace smb3::server
