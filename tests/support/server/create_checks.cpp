// What is wrong with a CREATE whatever lies in the store: [MS-SMB2] 3.3.5.9, [MS-FSA] 2.1.5.1.
#include "support/server/create.h"
#include "support/server/data_checks.h"
#include "support/server/names.h"

#include <array>

namespace smb3::server {
namespace {

using wire::AccessMask;
using wire::CreateDisposition;
using wire::CreateOptions;
using wire::FileAttributes;

constexpr AccessMask file_all_access{0x1F01FF};
constexpr AccessMask reserved_access{0x0CE0FE00};
// Not FILE_ATTRIBUTE_DEVICE, nor what once was the volume's label.
constexpr FileAttributes known_attributes{0x7FFFB7};
// FILE_SYNCHRONOUS_IO_*, FILE_COMPLETE_IF_OPLOCKED, FILE_OPEN_REMOTE_INSTANCE,
// FILE_OPEN_FOR_FREE_SPACE_QUERY, ...: the server leaves them out of account.
constexpr CreateOptions ignored_options{0x00830630};
// FILE_CREATE_TREE_CONNECTION, FILE_OPEN_BY_FILE_ID, FILE_RESERVE_OPFILTER
constexpr CreateOptions refused_options{0x00102080};
constexpr CreateOptions known_options{0x00FFFFFF};

constexpr AccessMask generic_read_access{0x120089};
constexpr AccessMask generic_write_access{0x120116};
constexpr AccessMask generic_execute_access{0x1200A0};

template <wire::Flags E>
bool has_any(E value, E bits) {
  return (value & bits) != E{};
}

// Windows has no files of these names ([MS-SMB2] 3.3.5.9, note on the file's name).
bool is_device_name(std::u16string_view path) {
  static constexpr auto devices =
      std::to_array<std::u16string_view>({u"PRN", u"AUX", u"NUL", u"CON", u"CLOCK$"});
  const std::u16string name = upper_case(path);
  for (const std::u16string_view device : devices) {
    if (name == device) return true;
  }
  return name.size() == 4 && (name.starts_with(u"LPT") || name.starts_with(u"COM")) &&
         name[3] >= u'1' && name[3] <= u'9';
}

NtStatus check_options(const wire::CreateRequest& message) {
  const CreateOptions options = message.create_options;
  if (has_any(options, ~known_options)) return NtStatus::invalid_parameter;
  if (has_any(options, refused_options)) return NtStatus::not_supported;
  if (!has(options, CreateOptions::directory_file)) return NtStatus::success;
  const auto disposition = message.create_disposition;
  const bool keeps = disposition == CreateDisposition::open ||
                     disposition == CreateDisposition::open_if ||
                     disposition == CreateDisposition::create;
  if (!keeps || has(options, CreateOptions::non_directory_file)) {
    return NtStatus::invalid_parameter;
  }
  return NtStatus::success;
}

}  // namespace

NtStatus check_name(std::u16string_view path) {
  if (path.empty()) return NtStatus::success;
  if (path.front() == u'\\') return NtStatus::invalid_parameter;
  std::u16string_view rest = path;
  while (!rest.empty()) {
    const std::u16string_view component = take_component(rest);
    // [MS-SMB2] 3.3.5.9: Dot Directory Names are not resolved here.
    if (component == u"." || component == u"..") return NtStatus::invalid_parameter;
  }
  if (path.back() == u'\\') return NtStatus::object_name_invalid;
  if (const auto valid = check_path(path); !valid) return valid.error();
  return is_device_name(path) ? NtStatus::access_denied : NtStatus::success;
}

AccessMask granted_access(AccessMask desired, AccessMask maximal) {
  AccessMask access = desired & file_all_access;
  if (has(desired, AccessMask::generic_read)) access |= generic_read_access;
  if (has(desired, AccessMask::generic_write)) access |= generic_write_access;
  if (has(desired, AccessMask::generic_execute)) access |= generic_execute_access;
  if (has(desired, AccessMask::generic_all)) access |= file_all_access;
  if (has(desired, AccessMask::maximum_allowed)) access |= maximal & file_all_access;
  return access;
}

NtStatus check_request(const Request& request, const wire::CreateRequest& message,
                       Creation& creation) {
  if (message.name.size() % 2 != 0) return NtStatus::invalid_parameter;
  if (message.impersonation_level > wire::ImpersonationLevel::delegate) {
    return NtStatus::bad_impersonation_level;
  }
  creation.desired_access = message.desired_access & ~AccessMask::access_system_security;
  if (creation.desired_access == AccessMask::none ||
      has_any(creation.desired_access, reserved_access)) {
    return NtStatus::access_denied;
  }
  constexpr auto all_shared =
      wire::ShareAccess::read | wire::ShareAccess::write | wire::ShareAccess::delete_access;
  if (message.create_disposition > CreateDisposition::overwrite_if ||
      has_any(message.share_access, ~all_shared) ||
      has_any(message.file_attributes, ~known_attributes)) {
    return NtStatus::invalid_parameter;
  }
  if (const NtStatus options = check_options(message); options != NtStatus::success) {
    return options;
  }
  const AccessMask maximal = request.tree->maximal_access;
  creation.access = granted_access(creation.desired_access, maximal);
  creation.options = message.create_options & ~ignored_options;
  if (has(creation.options, CreateOptions::no_intermediate_buffering) &&
      !has(message.desired_access, AccessMask::maximum_allowed)) {
    creation.access &= ~AccessMask::append_data;
  }
  if (has_any(creation.access, ~maximal)) return NtStatus::access_denied;
  if (has(creation.options, CreateOptions::delete_on_close) &&
      !has(creation.access, AccessMask::delete_access)) {
    return NtStatus::access_denied;
  }
  if (grants_persistent(request)) creation.options |= CreateOptions::write_through;
  return NtStatus::success;
}

}  // namespace smb3::server
