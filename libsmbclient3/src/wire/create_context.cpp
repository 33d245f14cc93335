#include "wire/create_context.h"

#include <algorithm>

namespace smb3::wire {

std::optional<Bytes> find_context(const std::vector<CreateContext>& contexts,
                                  std::string_view name) {
  for (const CreateContext& context : contexts) {
    if (std::ranges::equal(context.name, create_context::bytes_of(name))) return context.data;
  }
  return std::nullopt;
}

Result<std::optional<LeaseV2>> find_lease(const std::vector<CreateContext>& contexts) {
  const std::optional<Bytes> data = find_context(contexts, create_context::lease);
  if (!data) return std::nullopt;
  if (data->size() >= fixed_size<LeaseV2>()) {
    Result<LeaseV2> lease = decode<LeaseV2>(*data);
    if (!lease) return std::unexpected(std::move(lease).error());
    return *lease;
  }
  Result<LeaseV1> old = decode<LeaseV1>(*data);
  if (!old) return std::unexpected(std::move(old).error());
  return LeaseV2{
      .lease_key = old->lease_key, .lease_state = old->lease_state, .flags = old->lease_flags};
}

}  // namespace smb3::wire
