// SMB2 ERROR: [MS-SMB2] 2.2.2, and the data that some errors carry.
#pragma once

#include "wire/file_types.h"
#include "wire/packet_header.h"
#include "wire/types.h"

#include <vector>

namespace smb3::wire {

struct ErrorResponse {
  static constexpr Command command = Command::negotiate;  // any: it answers every command
  static constexpr std::string_view wire_name = "ERROR response";
  static constexpr std::uint16_t structure_size = 9;

  std::uint8_t error_context_count = 0;
  Bytes error_data{};  // contexts, or raw data if there are none: see error_contexts()

  template <class Codec, class Self>
  static constexpr void describe(Codec& c, Self& m) {
    c("error_context_count", m.error_context_count).reserved(u8).length(u32, m.error_data);
    c.follows("error_data", m.error_data).minimum_size(structure_size);
  }
};
static_assert(fixed_size<ErrorResponse>() == 8);

enum class ErrorId : std::uint32_t { default_id = 0, share_redirect = 0x72645253 };

// [MS-SMB2] 2.2.2.1
struct ErrorContext {
  static constexpr std::string_view wire_name = "ERROR_CONTEXT";

  ErrorId error_id = ErrorId::default_id;
  Bytes error_context_data{};

  template <class Codec, class Self>
  static constexpr void describe(Codec& c, Self& m) {
    c.length(u32, m.error_context_data)("error_id", m.error_id);
    c.follows("error_context_data", m.error_context_data);
  }
};
static_assert(fixed_size<ErrorContext>() == 8);

// The contexts of an error. Raw data, as servers before 3.1.1 send it, comes as one default
// context.
Result<std::vector<ErrorContext>> error_contexts(const ErrorResponse& response);
// The other way: what to put into error_data, appended to `out`.
void encode_error_contexts(const std::vector<ErrorContext>& contexts, ByteBuffer& out);

// Does this response carry an ERROR body, or its command's own? A few statuses of failure come with
// a normal one ([MS-SMB2] 3.3.4.4).
bool has_error_body(const PacketHeader& header, Bytes element);

// The data with STATUS_BUFFER_TOO_SMALL ([MS-SMB2] 2.2.2.2).
struct RequiredSizeError {
  static constexpr std::string_view wire_name = "required size";

  std::uint32_t required_buffer_length = 0;

  template <class Codec, class Self>
  static constexpr void describe(Codec& c, Self& m) {
    c("required_buffer_length", m.required_buffer_length);
  }
};
static_assert(fixed_size<RequiredSizeError>() == 4);

enum class SymlinkFlags : std::uint32_t { none = 0, relative = 0x1 };
template <>
inline constexpr bool is_flags<SymlinkFlags> = true;

// The data with STATUS_STOPPED_ON_SYMLINK ([MS-SMB2] 2.2.2.2.1). The names lie in path_buffer.
struct SymbolicLinkError {
  static constexpr std::string_view wire_name = "symbolic link error";

  std::uint16_t unparsed_path_length = 0;  // bytes at the end of the name that were not reached
  std::uint16_t substitute_name_offset = 0;
  std::uint16_t substitute_name_length = 0;
  std::uint16_t print_name_offset = 0;
  std::uint16_t print_name_length = 0;
  SymlinkFlags flags = SymlinkFlags::none;
  Bytes path_buffer{};

  template <class Codec, class Self>
  static constexpr void describe(Codec& c, Self& m) {
    c.reserved(u32, 24 + m.path_buffer.size());  // SymLinkLength
    c.constant("sym_link_error_tag", u32, 0x4C4D5953);
    c.constant("reparse_tag", u32, 0xA000000C);
    c.length(u16, m.path_buffer, 12)("unparsed_path_length", m.unparsed_path_length);
    c("substitute_name_offset", m.substitute_name_offset);
    c("substitute_name_length", m.substitute_name_length);
    c("print_name_offset", m.print_name_offset)("print_name_length", m.print_name_length);
    c("flags", m.flags).follows("path_buffer", m.path_buffer);
  }
};
static_assert(fixed_size<SymbolicLinkError>() == 28);

// UTF-16LE views of path_buffer, checked.
Result<Bytes> substitute_name(const SymbolicLinkError& link);
Result<Bytes> print_name(const SymbolicLinkError& link);

enum class MoveDstType : std::uint32_t { ipv4 = 1, ipv6 = 2 };

// [MS-SMB2] 2.2.2.2.2.1
struct MoveDstIpaddr {
  static constexpr std::string_view wire_name = "MOVE_DST_IPADDR";

  MoveDstType type{};
  std::array<std::byte, 16> address{};  // network order; IPv4 in the first four

  template <class Codec, class Self>
  static constexpr void describe(Codec& c, Self& m) {
    c("type", m.type).reserved(u32)("address", m.address);
  }
};
static_assert(fixed_size<MoveDstIpaddr>() == 24);

// [MS-SMB2] 2.2.2.2.2. Where a share has moved to.
struct ShareRedirectError {
  static constexpr std::string_view wire_name = "share redirect error";

  std::vector<MoveDstIpaddr> ip_addr_move_list{};
  Bytes resource_name{};

  template <class Codec, class Self>
  static constexpr void describe(Codec& c, Self& m) {
    c.reserved(u32, 48);  // StructureSize: 48 whatever follows
    c.constant("notification_type", u32, 3);
    c.offset(u32, m.resource_name).length(u32, m.resource_name).reserved(u16);
    c.constant("target_type", u16, 0);
    c.count(u32, m.ip_addr_move_list).array("ip_addr_move_list", m.ip_addr_move_list);
    c.part("resource_name", m.resource_name, text_part);
  }
};
static_assert(fixed_size<ShareRedirectError>() == 24);

}  // namespace smb3::wire
