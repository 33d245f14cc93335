// SMB2 NEGOTIATE: [MS-SMB2] 2.2.3 (request) and 2.2.4 (response), of dialect 3.1.1.
#pragma once

#include "wire/command.h"
#include "wire/negotiate_context.h"
#include "wire/types.h"

namespace smb3::wire {

enum class Dialect : std::uint16_t {
  smb_2_0_2 = 0x0202,
  smb_2_1 = 0x0210,
  smb_3_0 = 0x0300,
  smb_3_0_2 = 0x0302,
  smb_3_1_1 = 0x0311,
  wildcard = 0x02FF,
};

enum class SecurityMode : std::uint16_t { none = 0, signing_enabled = 1, signing_required = 2 };
template <>
inline constexpr bool is_flags<SecurityMode> = true;

enum class Capabilities : std::uint32_t {
  none = 0,
  dfs = 0x1,
  leasing = 0x2,
  large_mtu = 0x4,
  multi_channel = 0x8,
  persistent_handles = 0x10,
  directory_leasing = 0x20,
  encryption = 0x40,
  notifications = 0x80,
};
template <>
inline constexpr bool is_flags<Capabilities> = true;

struct NegotiateRequest {
  static constexpr Command command = Command::negotiate;
  static constexpr std::string_view wire_name = "NEGOTIATE request";
  static constexpr std::uint16_t structure_size = 36;

  SecurityMode security_mode = SecurityMode::none;
  Capabilities capabilities = Capabilities::none;
  Guid client_guid{};
  std::vector<Dialect> dialects{};
  std::vector<NegotiateContext> contexts{};

  template <class Codec, class Self>
  static constexpr void describe(Codec& c, Self& m) {
    c.count(u16, m.dialects)("security_mode", m.security_mode).reserved(u16);
    c("capabilities", m.capabilities)("client_guid", m.client_guid);
    c.offset(u32, m.contexts).count(u16, m.contexts).reserved(u16);
    c.array("dialects", m.dialects);
    c.aligned_list("contexts", m.contexts, Part{.alignment = 8, .zero_if_empty = true});
  }
};
static_assert(fixed_size<NegotiateRequest>() == 36);

struct NegotiateResponse {
  static constexpr Command command = Command::negotiate;
  static constexpr std::string_view wire_name = "NEGOTIATE response";
  static constexpr std::uint16_t structure_size = 65;

  SecurityMode security_mode = SecurityMode::none;
  Dialect dialect_revision = Dialect::smb_3_1_1;
  Guid server_guid{};
  Capabilities capabilities = Capabilities::none;
  std::uint32_t max_transact_size = 0;
  std::uint32_t max_read_size = 0;
  std::uint32_t max_write_size = 0;
  FileTime system_time{};
  FileTime server_start_time{};
  Bytes security_buffer{};
  std::vector<NegotiateContext> contexts{};  // of 3.1.1 alone

  template <class Codec, class Self>
  static constexpr void describe(Codec& c, Self& m) {
    c("security_mode", m.security_mode)("dialect_revision", m.dialect_revision);
    const bool has_contexts = m.dialect_revision == Dialect::smb_3_1_1;
    has_contexts ? c.count(u16, m.contexts) : c.reserved(u16);
    c("server_guid", m.server_guid)("capabilities", m.capabilities);
    c("max_transact_size", m.max_transact_size)("max_read_size", m.max_read_size);
    c("max_write_size", m.max_write_size);
    c("system_time", m.system_time)("server_start_time", m.server_start_time);
    c.offset(u16, m.security_buffer).length(u16, m.security_buffer);
    has_contexts ? c.offset(u32, m.contexts) : c.reserved(u32);
    c.part("security_buffer", m.security_buffer);
    if (has_contexts) {
      c.aligned_list("contexts", m.contexts, Part{.alignment = 8, .zero_if_empty = true});
    }
  }
};
static_assert(fixed_size<NegotiateResponse>() == 64);

}  // namespace smb3::wire
