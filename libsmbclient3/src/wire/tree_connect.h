// SMB2 TREE_CONNECT: [MS-SMB2] 2.2.9 (request, plain and extended) and 2.2.10 (response).
#pragma once

#include "wire/codec.h"
#include "wire/command.h"
#include "wire/file_types.h"

#include <vector>

namespace smb3::wire {

enum class TreeConnectFlags : std::uint16_t {
  none = 0,
  cluster_reconnect = 0x1,
  redirect_to_owner = 0x2,
  extension_present = 0x4,
};
template <>
inline constexpr bool is_flags<TreeConnectFlags> = true;

enum class TreeConnectContextType : std::uint16_t { reserved = 0, remoted_identity = 1 };

// [MS-SMB2] 2.2.9.2
struct TreeConnectContext {
  static constexpr std::string_view wire_name = "TREE_CONNECT_CONTEXT";

  TreeConnectContextType context_type{};
  Bytes data{};

  template <class Codec, class Self>
  static constexpr void describe(Codec& c, Self& m) {
    c("context_type", m.context_type).length(u16, m.data).reserved(u32).follows("data", m.data);
  }
};
static_assert(fixed_size<TreeConnectContext>() == 8);

struct TreeConnectRequest {
  static constexpr Command command = Command::tree_connect;
  static constexpr std::string_view wire_name = "TREE_CONNECT request";
  static constexpr std::uint16_t structure_size = 9;

  TreeConnectFlags flags = TreeConnectFlags::none;
  Bytes path{};                                // "\\server\share", UTF-16LE
  std::vector<TreeConnectContext> contexts{};  // only with extension_present

  // The standard counts TreeConnectContextOffset from the request; the peers that were read count
  // it, like all offsets, from the header. So do we.
  template <class Codec, class Self>
  static constexpr void describe(Codec& c, Self& m) {
    c("flags", m.flags).offset(u16, m.path).length(u16, m.path);
    const bool extended = has(m.flags, TreeConnectFlags::extension_present);
    if (extended) {  // [MS-SMB2] 2.2.9.1
      c.offset(u32, m.contexts).count(u16, m.contexts).reserved(u16).reserved(u64);
    }
    c.part("path", m.path, text_part);
    if (extended) {
      c.aligned_list("contexts", m.contexts, Part{.alignment = 8, .zero_if_empty = true});
    }
    c.minimum_size(structure_size);
  }
};
static_assert(fixed_size<TreeConnectRequest>() == 8);

enum class ShareType : std::uint8_t { disk = 1, pipe = 2, print = 3 };

enum class ShareFlags : std::uint32_t {
  none = 0,
  dfs = 0x1,
  dfs_root = 0x2,
  caching_mask = 0x30,
  restrict_exclusive_opens = 0x100,
  force_shared_delete = 0x200,
  allow_namespace_caching = 0x400,
  access_based_directory_enum = 0x800,
  force_levelii_oplock = 0x1000,
  enable_hash_v1 = 0x2000,
  enable_hash_v2 = 0x4000,
  encrypt_data = 0x8000,
  identity_remoting = 0x40000,
  compress_data = 0x100000,
  isolated_transport = 0x200000,
};
template <>
inline constexpr bool is_flags<ShareFlags> = true;

enum class ShareCapabilities : std::uint32_t {
  none = 0,
  dfs = 0x8,
  continuous_availability = 0x10,
  scaleout = 0x20,
  cluster = 0x40,
  asymmetric = 0x80,
  redirect_to_owner = 0x100,
};
template <>
inline constexpr bool is_flags<ShareCapabilities> = true;

struct TreeConnectResponse {
  static constexpr Command command = Command::tree_connect;
  static constexpr std::string_view wire_name = "TREE_CONNECT response";
  static constexpr std::uint16_t structure_size = 16;

  ShareType share_type = ShareType::disk;
  ShareFlags share_flags = ShareFlags::none;
  ShareCapabilities capabilities = ShareCapabilities::none;
  AccessMask maximal_access = AccessMask::none;

  template <class Codec, class Self>
  static constexpr void describe(Codec& c, Self& m) {
    c("share_type", m.share_type).reserved(u8)("share_flags", m.share_flags);
    c("capabilities", m.capabilities)("maximal_access", m.maximal_access);
  }
};
static_assert(fixed_size<TreeConnectResponse>() == 16);

}  // namespace smb3::wire
