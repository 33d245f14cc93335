// SMB2 OPLOCK_BREAK: [MS-SMB2] 2.2.23 (notification), 2.2.24 (acknowledgment), 2.2.25 (response).
// StructureSize tells an oplock (24) from a lease (44 or 36): see structure_size_of().
#pragma once

#include "wire/codec.h"
#include "wire/command.h"
#include "wire/file_types.h"
#include "wire/types.h"

namespace smb3::wire {

// All three have one layout.
struct OplockBreak {
  static constexpr Command command = Command::oplock_break;
  static constexpr std::string_view wire_name = "OPLOCK_BREAK";
  static constexpr std::uint16_t structure_size = 24;

  OplockLevel oplock_level = OplockLevel::none;
  FileId file_id{};

  template <class Codec, class Self>
  static constexpr void describe(Codec& c, Self& m) {
    c("oplock_level", m.oplock_level).reserved(u8).reserved(u32)("file_id", m.file_id);
  }
};
static_assert(fixed_size<OplockBreak>() == 24);

using OplockBreakNotification = OplockBreak;
using OplockBreakAcknowledgment = OplockBreak;
using OplockBreakResponse = OplockBreak;

enum class LeaseBreakFlags : std::uint32_t { none = 0, ack_required = 0x1 };
template <>
inline constexpr bool is_flags<LeaseBreakFlags> = true;

struct LeaseBreakNotification {
  static constexpr Command command = Command::oplock_break;
  static constexpr std::string_view wire_name = "LEASE_BREAK notification";
  static constexpr std::uint16_t structure_size = 44;

  std::uint16_t new_epoch = 0;
  LeaseBreakFlags flags = LeaseBreakFlags::none;
  Guid lease_key{};
  LeaseState current_lease_state = LeaseState::none;
  LeaseState new_lease_state = LeaseState::none;

  template <class Codec, class Self>
  static constexpr void describe(Codec& c, Self& m) {
    c("new_epoch", m.new_epoch)("flags", m.flags)("lease_key", m.lease_key);
    c("current_lease_state", m.current_lease_state)("new_lease_state", m.new_lease_state);
    c.reserved(u32).reserved(u32).reserved(u32);  // BreakReason and two hints
  }
};
static_assert(fixed_size<LeaseBreakNotification>() == 44);

// The response has the same layout.
struct LeaseBreakAcknowledgment {
  static constexpr Command command = Command::oplock_break;
  static constexpr std::string_view wire_name = "LEASE_BREAK acknowledgment";
  static constexpr std::uint16_t structure_size = 36;

  Guid lease_key{};
  LeaseState lease_state = LeaseState::none;

  template <class Codec, class Self>
  static constexpr void describe(Codec& c, Self& m) {
    c.reserved(u16).reserved(u32);                                            // Flags
    c("lease_key", m.lease_key)("lease_state", m.lease_state).reserved(u64);  // LeaseDuration
  }
};
static_assert(fixed_size<LeaseBreakAcknowledgment>() == 36);

using LeaseBreakResponse = LeaseBreakAcknowledgment;

}  // namespace smb3::wire
