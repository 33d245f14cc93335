// DFS referrals: [MS-DFSC] 2.2.2 (request) and 2.2.4 (response).
#pragma once

#include "wire/codec.h"
#include "wire/flags.h"
#include "wire/types.h"

#include <vector>

namespace smb3::wire {

struct DfsReferralRequest {
  static constexpr std::string_view wire_name = "REQ_GET_DFS_REFERRAL";

  std::uint16_t max_referral_level = 4;
  Bytes request_file_name{};  // one backslash in front, and with its terminating NUL

  template <class Codec, class Self>
  static constexpr void describe(Codec& c, Self& m) {
    c("max_referral_level", m.max_referral_level);
    c.rest("request_file_name", m.request_file_name, text_part);
  }
};
static_assert(fixed_size<DfsReferralRequest>() == 2);

enum class DfsReferralHeaderFlags : std::uint32_t {
  none = 0,
  referral_servers = 0x1,
  storage_servers = 0x2,
  target_failback = 0x4,
};
template <>
inline constexpr bool is_flags<DfsReferralHeaderFlags> = true;

struct DfsReferralHeader {
  static constexpr std::string_view wire_name = "RESP_GET_DFS_REFERRAL";

  std::uint16_t path_consumed = 0;  // bytes of the requested path, without NUL
  std::uint16_t number_of_referrals = 0;
  DfsReferralHeaderFlags referral_header_flags = DfsReferralHeaderFlags::none;

  template <class Codec, class Self>
  static constexpr void describe(Codec& c, Self& m) {
    c("path_consumed", m.path_consumed)("number_of_referrals", m.number_of_referrals);
    c("referral_header_flags", m.referral_header_flags);
  }
};
static_assert(fixed_size<DfsReferralHeader>() == 8);

enum class DfsReferralFlags : std::uint16_t {
  none = 0,
  name_list_referral = 0x2,
  target_set_boundary = 0x4,
};
template <>
inline constexpr bool is_flags<DfsReferralFlags> = true;

// An entry of any version. All names are UTF-16LE views without their NUL.
struct DfsReferral {
  std::uint16_t version_number = 4;
  std::uint16_t server_type = 0;  // 1: a root
  DfsReferralFlags referral_entry_flags = DfsReferralFlags::none;
  std::uint32_t time_to_live = 0;  // seconds; version 1 has none
  Bytes dfs_path{};
  Bytes dfs_alternate_path{};
  Bytes network_address{};  // version 1: ShareName

  // Of a name list referral (a domain and its controllers).
  Bytes special_name{};
  std::vector<Bytes> expanded_names{};
};

struct DfsReferralResponse {
  std::uint16_t path_consumed = 0;
  DfsReferralHeaderFlags referral_header_flags = DfsReferralHeaderFlags::none;
  std::vector<DfsReferral> referrals{};
};

Result<DfsReferralResponse> decode_dfs_referrals(Bytes output);
void encode_dfs_referrals(const DfsReferralResponse& response, ByteBuffer& out);

}  // namespace smb3::wire
