// A security descriptor that is the same for all: Administrators own everything, and everybody may
// do everything ([MS-DTYP] 2.4.6). The stores keep none.
#include "support/server/query_answer.h"

#include <span>

namespace smb3::server {

namespace {

using wire::AccessMask;
using wire::AdditionalInformation;

constexpr std::uint16_t self_relative = 0x8000;
constexpr std::uint16_t dacl_present = 0x4;
constexpr std::size_t header_bytes = 20;
constexpr std::size_t group_at = 8;  // offsets of parts in the header: owner, group, SACL, DACL
constexpr std::size_t owner_at = 4;
constexpr std::size_t dacl_at = 16;
constexpr std::uint8_t full_access_ace_type = 0;
constexpr std::uint32_t full_access = 0x001F01FF;

// A SID of an authority below 256.
void put_sid(ByteBuffer& out, std::uint8_t authority, std::span<const std::uint32_t> parts) {
  std::byte* const at = out.extend(8 + 4 * parts.size());
  at[0] = std::byte{1};
  at[1] = static_cast<std::byte>(parts.size());
  at[7] = static_cast<std::byte>(authority);
  for (std::size_t i = 0; i < parts.size(); ++i) store_le(at + 8 + 4 * i, parts[i]);
}

void put_administrators(ByteBuffer& out) {
  static constexpr std::uint32_t administrators[] = {32, 544};
  put_sid(out, 5, administrators);
}

// One entry: everybody may do everything.
void put_dacl(ByteBuffer& out) {
  static constexpr std::uint32_t everyone[] = {0};
  constexpr std::uint16_t sid_bytes = 12;
  constexpr std::uint16_t ace_bytes = 8 + sid_bytes;
  std::byte* const at = out.extend(16);
  at[0] = std::byte{2};
  store_le(at + 2, static_cast<std::uint16_t>(8 + ace_bytes));
  store_le(at + 4, std::uint16_t{1});
  at[8] = std::byte{full_access_ace_type};
  store_le(at + 10, ace_bytes);
  store_le(at + 12, full_access);
  put_sid(out, 1, everyone);
}

void begin_part(ByteBuffer& out, std::size_t offset_at) {
  store_le(out.data() + offset_at, static_cast<std::uint32_t>(out.size()));
}

void put_descriptor(ByteBuffer& out, AdditionalInformation which) {
  out.extend(header_bytes);
  std::uint16_t control = self_relative;
  if (has(which, AdditionalInformation::dacl_security_information)) control |= dacl_present;
  out.data()[0] = std::byte{1};
  store_le(out.data() + 2, control);
  if (has(which, AdditionalInformation::owner_security_information)) {
    begin_part(out, owner_at);
    put_administrators(out);
  }
  if (has(which, AdditionalInformation::group_security_information)) {
    begin_part(out, group_at);
    put_administrators(out);
  }
  if (has(which, AdditionalInformation::dacl_security_information)) {
    begin_part(out, dacl_at);
    put_dacl(out);
  }
}

bool asks(AdditionalInformation which, AdditionalInformation some) {
  return (which & some) != AdditionalInformation::none;
}

constexpr AdditionalInformation discretionary = AdditionalInformation::owner_security_information |
                                                AdditionalInformation::group_security_information |
                                                AdditionalInformation::dacl_security_information;
constexpr AdditionalInformation of_the_system = AdditionalInformation::sacl_security_information |
                                                AdditionalInformation::scope_security_information;

}  // namespace

Answer query_security(const Open& open, const wire::QueryInfoRequest& query) {
  const AdditionalInformation which = query.additional_information;
  if ((asks(which, discretionary) && !any(open.access, AccessMask::read_control)) ||
      (asks(which, of_the_system) && !any(open.access, AccessMask::access_system_security))) {
    return Answer::refusal(NtStatus::access_denied);
  }
  ByteBuffer descriptor;
  put_descriptor(descriptor, which);
  if (query.output_buffer_length < descriptor.size()) {
    ByteBuffer needed;
    wire::RequiredSizeError error;
    error.required_buffer_length = static_cast<std::uint32_t>(descriptor.size());
    wire::encode(error, needed);
    return refusal_with_context(NtStatus::buffer_too_small, needed.bytes());
  }
  wire::QueryInfoResponse response;
  response.output_buffer = descriptor.bytes();
  return Answer::of(response);
}

// A store without security takes what it is given, and forgets it ([MS-SMB2] 3.3.5.21.3).
NtStatus set_security(const Open& open, AdditionalInformation which) {
  constexpr AdditionalInformation of_the_owner = AdditionalInformation::owner_security_information |
                                                 AdditionalInformation::group_security_information |
                                                 AdditionalInformation::label_security_information;
  constexpr AdditionalInformation of_the_list =
      AdditionalInformation::dacl_security_information |
      AdditionalInformation::attribute_security_information;
  const bool allowed =
      (!asks(which, of_the_owner) || any(open.access, AccessMask::write_owner)) &&
      (!asks(which, of_the_list) || any(open.access, AccessMask::write_dac)) &&
      (!asks(which, of_the_system) || any(open.access, AccessMask::access_system_security));
  return allowed ? NtStatus::success : NtStatus::access_denied;
}

}  // namespace smb3::server
