// SMB2 IOCTL: [MS-SMB2] 2.2.31 (request) and 2.2.32 (response).
#pragma once

#include "wire/codec.h"
#include "wire/command.h"
#include "wire/flags.h"
#include "wire/types.h"

namespace smb3::wire {

enum class ControlCode : std::uint32_t {
  dfs_get_referrals = 0x00060194,
  dfs_get_referrals_ex = 0x000601B0,
  pipe_peek = 0x0011400C,
  pipe_wait = 0x00110018,
  pipe_transceive = 0x0011C017,
  srv_copychunk = 0x001440F2,
  srv_copychunk_write = 0x001480F2,
  srv_enumerate_snapshots = 0x00144064,
  srv_request_resume_key = 0x00140078,
  srv_read_hash = 0x001441BB,
  lmr_request_resiliency = 0x001401D4,
  query_network_interface_info = 0x001401FC,
  validate_negotiate_info = 0x00140204,
  set_reparse_point = 0x000900A4,
  get_reparse_point = 0x000900A8,
  delete_reparse_point = 0x000900AC,
  set_sparse = 0x000900C4,
  set_zero_data = 0x000980C8,
  query_allocated_ranges = 0x000940CF,
  file_level_trim = 0x00098208,
  duplicate_extents_to_file = 0x00098344,
  duplicate_extents_to_file_ex = 0x000983E8,
};

enum class IoctlFlags : std::uint32_t { none = 0, is_fsctl = 0x1 };
template <>
inline constexpr bool is_flags<IoctlFlags> = true;

struct IoctlRequest {
  static constexpr Command command = Command::ioctl;
  static constexpr std::string_view wire_name = "IOCTL request";
  static constexpr std::uint16_t structure_size = 57;

  ControlCode ctl_code{};
  FileId file_id = no_file_id;
  std::uint32_t max_input_response = 0;
  std::uint32_t max_output_response = 0;
  IoctlFlags flags = IoctlFlags::is_fsctl;
  Bytes input{};

  template <class Codec, class Self>
  static constexpr void describe(Codec& c, Self& m) {
    c.reserved(u16)("ctl_code", m.ctl_code)("file_id", m.file_id);
    c.offset(u32, m.input).length(u32, m.input)("max_input_response", m.max_input_response);
    c.reserved(u32).reserved(u32);  // OutputOffset, OutputCount
    c("max_output_response", m.max_output_response)("flags", m.flags).reserved(u32);
    c.part("input", m.input, Part{.zero_if_empty = true});
  }
};
static_assert(fixed_size<IoctlRequest>() == 56);

struct IoctlResponse {
  static constexpr Command command = Command::ioctl;
  static constexpr std::string_view wire_name = "IOCTL response";
  static constexpr std::uint16_t structure_size = 49;

  ControlCode ctl_code{};
  FileId file_id{};
  std::uint32_t flags = 0;
  Bytes input{};
  Bytes output{};

  template <class Codec, class Self>
  static constexpr void describe(Codec& c, Self& m) {
    c.reserved(u16)("ctl_code", m.ctl_code)("file_id", m.file_id);
    c.offset(u32, m.input).length(u32, m.input);
    c.offset(u32, m.output).length(u32, m.output);
    c("flags", m.flags).reserved(u32);
    c.part("input", m.input).part("output", m.output, Part{.alignment = 8});
  }
};
static_assert(fixed_size<IoctlResponse>() == 48);

}  // namespace smb3::wire
