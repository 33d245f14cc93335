// What a fault does to an answer on its way out, all in one place.
#pragma once

#include "support/server/outgoing.h"

#include <memory>

namespace smb3::server {

bool any_has(const OutgoingFrame& frame, FaultKind kind);

// In this order for each answer: its body and length; its header, and patches; its signature.
void edit_body(Outgoing& answer);
void store_header(Outgoing& answer);
void damage_signature(Outgoing& answer);

// Then the whole frame, sealed or not. Returns what is to be sent after it, if anything.
std::unique_ptr<OutgoingFrame> edit_frame(OutgoingFrame& frame);

}  // namespace smb3::server
