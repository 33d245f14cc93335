// The fixed parts of DFS referral entries, one a version: [MS-DFSC] 2.2.5. Their offsets lead to
// strings behind the last entry, so dfs_referral.cpp resolves them.
#pragma once

#include "wire/dfs_referral.h"

namespace smb3::wire {

struct DfsReferralEntryStart {
  static constexpr std::string_view wire_name = "DFS_REFERRAL";

  std::uint16_t version_number = 0;
  std::uint16_t size = 0;
  std::uint16_t server_type = 0;
  DfsReferralFlags referral_entry_flags = DfsReferralFlags::none;

  template <class Codec, class Self>
  static constexpr void describe(Codec& c, Self& m) {
    c("version_number", m.version_number)("size", m.size)("server_type", m.server_type);
    c("referral_entry_flags", m.referral_entry_flags);
  }
};
static_assert(fixed_size<DfsReferralEntryStart>() == 8);  // version 1: ShareName follows

struct DfsReferralV2 {
  static constexpr std::string_view wire_name = "DFS_REFERRAL_V2";

  DfsReferralEntryStart start{};
  std::uint32_t time_to_live = 0;
  std::uint16_t dfs_path_offset = 0;
  std::uint16_t dfs_alternate_path_offset = 0;
  std::uint16_t network_address_offset = 0;

  template <class Codec, class Self>
  static constexpr void describe(Codec& c, Self& m) {
    c("start", m.start).reserved(u32)("time_to_live", m.time_to_live);  // Proximity
    c("dfs_path_offset", m.dfs_path_offset);
    c("dfs_alternate_path_offset", m.dfs_alternate_path_offset);
    c("network_address_offset", m.network_address_offset);
  }
};
static_assert(fixed_size<DfsReferralV2>() == 22);

// Versions 3 and 4.
struct DfsReferralV3 {
  static constexpr std::string_view wire_name = "DFS_REFERRAL_V3";

  DfsReferralEntryStart start{};
  std::uint32_t time_to_live = 0;
  std::uint16_t dfs_path_offset = 0;
  std::uint16_t dfs_alternate_path_offset = 0;
  std::uint16_t network_address_offset = 0;

  template <class Codec, class Self>
  static constexpr void describe(Codec& c, Self& m) {
    c("start", m.start)("time_to_live", m.time_to_live);
    c("dfs_path_offset", m.dfs_path_offset);
    c("dfs_alternate_path_offset", m.dfs_alternate_path_offset);
    c("network_address_offset", m.network_address_offset);
    c.reserved(u64).reserved(u64);  // ServiceSiteGuid
  }
};
static_assert(fixed_size<DfsReferralV3>() == 34);

// Versions 3 and 4 with NameListReferral.
struct DfsNameListReferralV3 {
  static constexpr std::string_view wire_name = "DFS_REFERRAL_V3 name list";

  DfsReferralEntryStart start{};
  std::uint32_t time_to_live = 0;
  std::uint16_t special_name_offset = 0;
  std::uint16_t number_of_expanded_names = 0;
  std::uint16_t expanded_name_offset = 0;

  template <class Codec, class Self>
  static constexpr void describe(Codec& c, Self& m) {
    c("start", m.start)("time_to_live", m.time_to_live);
    c("special_name_offset", m.special_name_offset);
    c("number_of_expanded_names", m.number_of_expanded_names);
    c("expanded_name_offset", m.expanded_name_offset);
  }
};
static_assert(fixed_size<DfsNameListReferralV3>() == 18);

}  // namespace smb3::wire
