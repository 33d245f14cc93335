// SMB2 SERVER_TO_CLIENT_NOTIFICATION: [MS-SMB2] 2.2.44.1.
#pragma once

#include "wire/codec.h"
#include "wire/command.h"

namespace smb3::wire {

enum class NotificationType : std::uint32_t { notify_session_closed = 0 };

struct ServerToClientNotification {
  static constexpr Command command = Command::server_to_client_notification;
  static constexpr std::string_view wire_name = "SERVER_TO_CLIENT_NOTIFICATION";
  static constexpr std::uint16_t structure_size = 4;

  NotificationType notification_type = NotificationType::notify_session_closed;

  template <class Codec, class Self>
  static constexpr void describe(Codec& c, Self& m) {
    c.reserved(u16)("notification_type", m.notification_type);
    c.reserved(u32);  // Notification: nothing yet
  }
};
static_assert(fixed_size<ServerToClientNotification>() == 12);

}  // namespace smb3::wire
