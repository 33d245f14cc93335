// DFS referrals of all versions.
#include "fuzz/round_trip.h"

namespace smb3::fuzz {

// An encoder's offsets have 16 bits; what was sent overlapping may not fit when it is laid out.
bool fits(const wire::DfsReferralResponse& response) {
  std::size_t bytes = 0;
  for (const wire::DfsReferral& referral : response.referrals) {
    bytes += 64 + referral.dfs_path.size() + referral.dfs_alternate_path.size() +
             referral.network_address.size() + referral.special_name.size() + 8;
    for (const Bytes name : referral.expanded_names) bytes += name.size() + 2;
  }
  return bytes <= 0xFFFF;
}

bool same(const wire::DfsReferral& a, const wire::DfsReferral& b) {
  return a.version_number == b.version_number && a.time_to_live == b.time_to_live &&
         a.server_type == b.server_type && a.referral_entry_flags == b.referral_entry_flags &&
         std::ranges::equal(a.dfs_path, b.dfs_path) &&
         std::ranges::equal(a.dfs_alternate_path, b.dfs_alternate_path) &&
         std::ranges::equal(a.network_address, b.network_address) &&
         std::ranges::equal(a.special_name, b.special_name) &&
         std::ranges::equal(a.expanded_names, b.expanded_names,
                            [](Bytes x, Bytes y) { return std::ranges::equal(x, y); });
}

void check(Bytes output) {
  auto response = wire::decode_dfs_referrals(output);
  if (!response) {
    require(response.error().kind() == ErrorKind::protocol, "an error of another kind");
    return;
  }
  if (!fits(*response)) return;
  ByteBuffer out;
  wire::encode_dfs_referrals(*response, out);
  const Exact exact(out.bytes());
  auto again = wire::decode_dfs_referrals(exact.bytes());
  require(again && again->referrals.size() == response->referrals.size(),
          "referrals do not survive a round trip");
  require(again->path_consumed == response->path_consumed, "path_consumed changes");
  for (std::size_t i = 0; i < again->referrals.size(); ++i) {
    require(same(again->referrals[i], response->referrals[i]), "a round trip changes a referral");
  }
}

}  // namespace smb3::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  smb3::fuzz::check(smb3::fuzz::input_of(data, size));
  return 0;
}
