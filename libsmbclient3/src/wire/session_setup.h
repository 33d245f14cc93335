// SMB2 SESSION_SETUP: [MS-SMB2] 2.2.5 (request) and 2.2.6 (response).
#pragma once

#include "wire/negotiate.h"

namespace smb3::wire {

enum class SessionSetupFlags : std::uint8_t { none = 0, binding = 0x1 };
template <>
inline constexpr bool is_flags<SessionSetupFlags> = true;

enum class SessionFlags : std::uint16_t {
  none = 0,
  is_guest = 0x1,
  is_null = 0x2,
  encrypt_data = 0x4
};
template <>
inline constexpr bool is_flags<SessionFlags> = true;

struct SessionSetupRequest {
  static constexpr Command command = Command::session_setup;
  static constexpr std::string_view wire_name = "SESSION_SETUP request";
  static constexpr std::uint16_t structure_size = 25;

  SessionSetupFlags flags = SessionSetupFlags::none;
  SecurityMode security_mode = SecurityMode::none;
  Capabilities capabilities = Capabilities::none;
  std::uint64_t previous_session_id = 0;
  Bytes security_buffer{};

  template <class Codec, class Self>
  static constexpr void describe(Codec& c, Self& m) {
    c("flags", m.flags)("security_mode", m.security_mode, u8)("capabilities", m.capabilities);
    c.reserved(u32);  // Channel
    c.offset(u16, m.security_buffer).length(u16, m.security_buffer);
    c("previous_session_id", m.previous_session_id);
    c.part("security_buffer", m.security_buffer).minimum_size(structure_size);
  }
};
static_assert(fixed_size<SessionSetupRequest>() == 24);

struct SessionSetupResponse {
  static constexpr Command command = Command::session_setup;
  static constexpr std::string_view wire_name = "SESSION_SETUP response";
  static constexpr std::uint16_t structure_size = 9;

  SessionFlags session_flags = SessionFlags::none;
  Bytes security_buffer{};

  template <class Codec, class Self>
  static constexpr void describe(Codec& c, Self& m) {
    c("session_flags", m.session_flags);
    c.offset(u16, m.security_buffer).length(u16, m.security_buffer);
    c.part("security_buffer", m.security_buffer);
  }
};
static_assert(fixed_size<SessionSetupResponse>() == 8);

}  // namespace smb3::wire
