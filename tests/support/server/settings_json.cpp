#include "support/server/settings_json.h"

#include "support/server/fault_json.h"
#include "support/server/json_reader.h"

#include <arpa/inet.h>

#include <charconv>

namespace smb3::server {

namespace {

constexpr auto stores = std::to_array<Word<StoreKind>>(
    {{"memory", StoreKind::memory}, {"folder", StoreKind::folder}, {"null", StoreKind::null}});

constexpr auto policies = std::to_array<Word<SigningPolicy>>(
    {{"enabled", SigningPolicy::enabled}, {"required", SigningPolicy::required}});

constexpr auto ciphers = std::to_array<Word<Cipher>>({
    {name_of(Cipher::aes_128_ccm), Cipher::aes_128_ccm},
    {name_of(Cipher::aes_128_gcm), Cipher::aes_128_gcm},
    {name_of(Cipher::aes_256_ccm), Cipher::aes_256_ccm},
    {name_of(Cipher::aes_256_gcm), Cipher::aes_256_gcm},
});

constexpr auto signing_algorithms = std::to_array<Word<SigningAlgorithm>>({
    {name_of(SigningAlgorithm::hmac_sha256), SigningAlgorithm::hmac_sha256},
    {name_of(SigningAlgorithm::aes_128_cmac), SigningAlgorithm::aes_128_cmac},
    {name_of(SigningAlgorithm::aes_128_gmac), SigningAlgorithm::aes_128_gmac},
});

// "192.0.2.1", "2001:db8::1", "fe80::1%3".
std::optional<wire::IpAddress> address_of(std::string text) {
  wire::IpAddress address;
  if (::inet_pton(AF_INET, text.c_str(), address.bytes.data()) == 1) return address;
  address.v6 = true;
  if (const auto percent = text.find('%'); percent != std::string::npos) {
    const char* end = text.data() + text.size();
    const auto scope = std::from_chars(text.data() + percent + 1, end, address.scope_id);
    if (scope.ec != std::errc() || scope.ptr != end) return std::nullopt;
    text.resize(percent);
  }
  if (::inet_pton(AF_INET6, text.c_str(), address.bytes.data()) == 1) return address;
  return std::nullopt;
}

void read_addresses(ObjectReader& reader, const char* key, std::vector<std::string>& out) {
  constexpr const char* expected = "a list of addresses, as [\"192.0.2.1\", \"2001:db8::1\"]";
  if (reader.has(key)) out.clear();
  reader.read_list(key, expected, [&](const Json& json, const std::string& where) -> Result<void> {
    if (!json.is_string() || !address_of(json.get<std::string>())) {
      return std::unexpected(Error(ErrorKind::local, where + ": expected an address"));
    }
    out.push_back(json.get<std::string>());
    return {};
  });
}

Result<void> read_share(const Json& json, const std::string& where, ShareSettings& share) {
  ObjectReader reader(json, where);
  reader.read("name", share.name);
  reader.read_word("store", share.store, std::span<const Word<StoreKind>>(stores));
  reader.read("folder", share.folder);
  reader.read("size_bytes", share.size_bytes).read("null_file_bytes", share.null_file_bytes);
  reader.read("read_only", share.read_only).read("encrypt", share.encrypt);
  reader.read("guest_ok", share.guest_ok).read_word("type", share.type);
  reader.read_flags("flags", share.flags).read_flags("capabilities", share.capabilities);
  read_addresses(reader, "redirect_addresses", share.redirect_addresses);
  reader.read("redirect_synchronous", share.redirect_synchronous);
  if (share.name.empty()) reader.refuse("name", "the share's name");
  if ((share.store == StoreKind::folder) != !share.folder.empty()) {
    reader.refuse("folder", "the path of a folder with \"store\": \"folder\", and only with that");
  }
  return reader.finish();
}

Result<void> read_user(const Json& json, const std::string& where, UserSettings& user) {
  ObjectReader reader(json, where);
  reader.read("domain", user.domain).read("name", user.name).read("password", user.password);
  if (user.name.empty()) reader.refuse("name", "the user's name");
  return reader.finish();
}

Result<void> read_interface(const Json& json, const std::string& where,
                            wire::NetworkInterfaceInfo& info) {
  ObjectReader reader(json, where);
  bool rss = false;
  bool rdma = false;
  std::string text;
  reader.read("index", info.if_index).read("speed_bits", info.link_speed);
  reader.read("rss", rss).read("rdma", rdma).read("address", text);
  if (rss) info.capability |= wire::InterfaceCapability::rss_capable;
  if (rdma) info.capability |= wire::InterfaceCapability::rdma_capable;
  if (const auto address = address_of(text)) {
    wire::set_address(info, *address);
  } else {
    reader.refuse("address", "an address, as \"192.0.2.1\" or \"fe80::1%3\"");
  }
  return reader.finish();
}

// A list of objects replaces what was there.
template <class T, class Read>
void read_objects(ObjectReader& reader, const char* key, std::vector<T>& out, Read read) {
  if (reader.has(key)) out.clear();
  reader.read_list(key, "a list of objects",
                   [&](const Json& json, const std::string& where) -> Result<void> {
                     return read(json, where, out.emplace_back());
                   });
}

void read_faults(ObjectReader& reader, FaultScript& faults) {
  if (reader.has("faults")) faults = {};
  reader.read_list("faults", "a list of faults",
                   [&](const Json& json, const std::string& where) -> Result<void> {
                     auto fault = read_fault(json, where);
                     if (!fault) return std::unexpected(std::move(fault.error()));
                     std::visit([&](auto& one) { faults.add(std::move(one)); }, *fault);
                     return {};
                   });
}

void read_node(ObjectReader& reader, ServerSettings& node) {
  reader.read("address", node.address).read("port", node.port).read("name", node.name);
  read_objects(reader, "shares", node.shares, read_share);
  read_objects(reader, "users", node.users, read_user);
  reader.read("keytab", node.keytab).read("allow_guest", node.allow_guest);
  reader.read("allow_anonymous", node.allow_anonymous);
  reader.read_word("signing", node.signing, std::span<const Word<SigningPolicy>>(policies));
  reader.read_words("signing_algorithms", node.signing_algorithms,
                    std::span<const Word<SigningAlgorithm>>(signing_algorithms));
  reader.read_words("ciphers", node.ciphers, std::span<const Word<Cipher>>(ciphers));
  reader.read("encrypt", node.encrypt).read("multichannel", node.multichannel);
  reader.read("persistent_handles", node.persistent_handles).read("leasing", node.leasing);
  reader.read("large_mtu", node.large_mtu);
  reader.read("max_transact_bytes", node.max_transact_bytes);
  reader.read("max_read_bytes", node.max_read_bytes);
  reader.read("max_write_bytes", node.max_write_bytes);
  reader.read("credits_max", node.credits_max, 1);
  reader.read("session_lifetime_ms", node.session_lifetime_ms);
  read_objects(reader, "interfaces", node.interfaces, read_interface);
  reader.read("strict", node.strict);
  read_faults(reader, node.faults);
  in_addr v4{};
  in6_addr v6{};
  if (::inet_pton(AF_INET, node.address.c_str(), &v4) != 1 &&
      ::inet_pton(AF_INET6, node.address.c_str(), &v6) != 1) {
    reader.refuse("address", "an address to listen on, as \"127.0.0.1\" or \"::1\"");
  }
}

}  // namespace

Result<TestServerSettings> settings_from_json(std::string_view text) {
  auto json = parse_json(text);
  if (!json) return std::unexpected(std::move(json.error()));
  TestServerSettings settings;
  ObjectReader reader(*json, {});
  reader.read("log", settings.log).read("log_answers", settings.log_answers);
  ServerSettings common;
  read_node(reader, common);
  reader.read_list("nodes", "a list of nodes, at least one",
                   [&](const Json& node_json, const std::string& where) -> Result<void> {
                     ObjectReader node(node_json, where);
                     read_node(node, settings.nodes.emplace_back(common));
                     return node.finish();
                   });
  if (!reader.has("nodes")) {
    settings.nodes.push_back(std::move(common));
  } else if (settings.nodes.empty()) {
    reader.refuse("nodes", "a list of nodes, at least one");
  }
  if (auto finished = reader.finish(); !finished) {
    return std::unexpected(std::move(finished.error()));
  }
  return settings;
}

}  // namespace smb3::server
