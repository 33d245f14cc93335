// What the handlers of data and information check alike.
#pragma once

#include "support/server/connection.h"
#include "support/server/open.h"
#include "support/server/request.h"
#include "support/server/server.h"

namespace smb3::server {

// What does not decode, or has a part outside of the element, is an invalid parameter.
template <wire::Message M>
StatusOr<M> decoded(const Request& request) {
  auto message = wire::decode<M>(request.element);
  if (!message) return refuse(NtStatus::invalid_parameter);
  return std::move(*message);
}

inline bool any(wire::AccessMask granted, wire::AccessMask wanted) {
  return (granted & wanted) != wire::AccessMask::none;
}

inline bool on_read_only_share(const Request& request) {
  return request.tree->share->settings.read_only;
}

// After a change of the contents: times that the open has set stay as it set them.
inline StatusOr<> restore_kept_times(Open& open) {
  const KeptTimes& kept = open.kept_times;
  constexpr auto none = wire::FileTime::unset;
  if (kept.last_write_time == none && kept.change_time == none) return {};
  NodeChange change;
  change.last_write_time = kept.last_write_time;
  change.change_time = kept.change_time;
  return open.node->change(change);
}

// A field that the wire layer has no member for. Precondition: the message was decoded.
template <class T>
T raw_field(const Request& request, std::size_t at_in_body) {
  return load_le<T>(request.element.data() + wire::header_bytes + at_in_body);
}

}  // namespace smb3::server
