// The contexts of a CREATE request: [MS-SMB2] 2.2.13.2.
#include "support/server/create.h"

namespace smb3::server {
namespace {

namespace names = wire::create_context;

// Exactly as long as it is defined ([MS-SMB2] 3.3.5.9, "Create Context Validation").
template <class C>
bool read_context(const wire::CreateRequest& message, std::optional<C>& into) {
  const auto data = wire::find_context(message.contexts, C::context_name);
  if (!data) return true;
  if (data->size() != wire::fixed_size<C>()) return false;
  auto context = wire::decode<C>(*data);
  if (!context) return false;
  into = std::move(*context);
  return true;
}

bool read_lease(const wire::CreateRequest& message, Creation& creation) {
  const auto data = wire::find_context(message.contexts, names::lease);
  if (!data) return true;
  creation.lease_version = data->size() == wire::fixed_size<wire::LeaseV2>() ? 2 : 1;
  if (creation.lease_version == 1 && data->size() != wire::fixed_size<wire::LeaseV1>()) {
    return false;
  }
  auto lease = wire::find_lease(message.contexts);
  if (!lease) return false;
  creation.lease = *lease;
  return true;
}

bool read_maximal_access(const wire::CreateRequest& message, Creation& creation) {
  const auto data = wire::find_context(message.contexts, names::query_maximal_access);
  if (!data) return true;
  creation.query_maximal_access = true;
  if (data->empty()) return true;
  if (data->size() != sizeof(std::uint64_t)) return false;
  creation.maximal_access_timestamp = wire::FileTime{load_le<std::uint64_t>(data->data())};
  return true;
}

bool read_durable(const wire::CreateRequest& message, Creation& creation) {
  std::optional<wire::DurableHandleRequest> request;
  if (!read_context(message, request) || !read_context(message, creation.durable_reconnect) ||
      !read_context(message, creation.durable_request_v2) ||
      !read_context(message, creation.durable_reconnect_v2)) {
    return false;
  }
  creation.durable_request = request.has_value() && !creation.durable_reconnect;
  // [MS-SMB2] 3.3.5.9.6, 3.3.5.9.7, 3.3.5.9.10, 3.3.5.9.12: the two versions do not mix, and
  // the second one does not ask for a new handle and an old one at once.
  const bool first = request || creation.durable_reconnect;
  const bool second = creation.durable_request_v2 || creation.durable_reconnect_v2;
  return !(first && second) && !(creation.durable_request_v2 && creation.durable_reconnect_v2);
}

bool read_app_instance(const wire::CreateRequest& message, Creation& creation) {
  std::optional<wire::AppInstanceId> id;
  std::optional<wire::AppInstanceVersion> version;
  if (!read_context(message, id) || !read_context(message, version)) return false;
  if (id) creation.app_instance_id = id->app_instance_id;
  if (version) {
    creation.app_instance_version =
        AppInstanceVersion{version->app_instance_version_high, version->app_instance_version_low};
  }
  return true;
}

}  // namespace

NtStatus read_contexts(const wire::CreateRequest& message, Creation& creation) {
  constexpr std::size_t name_bytes_min = 4;
  for (const wire::CreateContext& context : message.contexts) {
    if (context.name.size() < name_bytes_min) return NtStatus::invalid_parameter;
  }
  std::optional<wire::AllocationSize> allocation;
  std::optional<wire::TimewarpToken> timewarp;
  if (!read_durable(message, creation) || !read_lease(message, creation) ||
      !read_maximal_access(message, creation) || !read_app_instance(message, creation) ||
      !read_context(message, allocation) || !read_context(message, timewarp)) {
    return NtStatus::invalid_parameter;
  }
  if (allocation) creation.allocation_size = allocation->allocation_size;
  creation.timewarp = timewarp.has_value();
  creation.query_on_disk_id =
      wire::find_context(message.contexts, names::query_on_disk_id).has_value();
  return NtStatus::success;
}

}  // namespace smb3::server
