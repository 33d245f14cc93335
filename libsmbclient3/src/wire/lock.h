// SMB2 LOCK: [MS-SMB2] 2.2.26 (request) and 2.2.27 (response).
#pragma once

#include "wire/codec.h"
#include "wire/command.h"
#include "wire/flags.h"
#include "wire/types.h"

#include <vector>

namespace smb3::wire {

enum class LockFlags : std::uint32_t {
  none = 0,
  shared_lock = 0x1,
  exclusive_lock = 0x2,
  unlock = 0x4,
  fail_immediately = 0x10,
};
template <>
inline constexpr bool is_flags<LockFlags> = true;

// [MS-SMB2] 2.2.26.1
struct LockElement {
  static constexpr std::string_view wire_name = "LOCK_ELEMENT";

  std::uint64_t offset = 0;
  std::uint64_t length = 0;
  LockFlags flags = LockFlags::none;

  template <class Codec, class Self>
  static constexpr void describe(Codec& c, Self& m) {
    c("offset", m.offset)("length", m.length)("flags", m.flags).reserved(u32);
  }
};
static_assert(fixed_size<LockElement>() == 24);

struct LockRequest {
  static constexpr Command command = Command::lock;
  static constexpr std::string_view wire_name = "LOCK request";
  static constexpr std::uint16_t structure_size = 48;

  std::uint32_t lock_sequence = 0;  // number in the low 4 bits, index above
  FileId file_id{};
  std::vector<LockElement> locks{};  // at least one

  template <class Codec, class Self>
  static constexpr void describe(Codec& c, Self& m) {
    c.count(u16, m.locks)("lock_sequence", m.lock_sequence)("file_id", m.file_id);
    c.array("locks", m.locks);
  }
};
static_assert(fixed_size<LockRequest>() == 24);  // StructureSize counts the first lock

struct LockResponse {
  static constexpr Command command = Command::lock;
  static constexpr std::string_view wire_name = "LOCK response";
  static constexpr std::uint16_t structure_size = 4;

  template <class Codec, class Self>
  static constexpr void describe(Codec& c, Self&) {
    c.reserved(u16);
  }
};
static_assert(fixed_size<LockResponse>() == 4);

}  // namespace smb3::wire
