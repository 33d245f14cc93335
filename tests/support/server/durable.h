// Opens that outlive their connection: [MS-SMB2] 3.3.7.1, 3.3.5.9.7, 3.3.5.9.12.
#pragma once

#include "support/server/create.h"

namespace smb3::server {

// Is it kept for its client, should its session end now?
bool survives(const Open& open);
// From now on it waits for its client, for as long as was promised.
void detach(Session& session, Open& open);
// The open that a DHnC or DH2C asks for, attached to the request's session.
StatusOr<std::shared_ptr<Open>> reclaim(Request& request, const Creation& creation);
// Puts the open into the session of the request, under a new volatile id.
void attach(Request& request, const std::shared_ptr<Open>& open);
// What DHnQ or DH2Q of a successful CREATE make of the open.
void make_durable(const Request& request, const Creation& creation, Open& open);

}  // namespace smb3::server
