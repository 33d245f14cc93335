// Whether a request may be carried out at all: [MS-SMB2] 3.3.5.2.4 to 3.3.5.2.11.
#include "support/server/charge.h"
#include "support/server/connection.h"
#include "support/server/server.h"
#include "wire/session_setup.h"

namespace smb3::server {
namespace {

using wire::Command;

// SEC_E_UNSUPPORTED_FUNCTION: what Windows says while the logon of the session goes on.
constexpr NtStatus logon_in_progress{0x80090302};

bool is_sessionless(Command command) {
  return command == Command::negotiate || command == Command::session_setup ||
         command == Command::cancel;
}
bool needs_tree(Command command) {
  return !is_sessionless(command) && command != Command::echo && command != Command::logoff &&
         command != Command::tree_connect;
}
bool needs_file(Command command) {
  return needs_tree(command) && command != Command::tree_disconnect && command != Command::create;
}
// [MS-SMB2] 3.3.5.2.9: what works on a session that has expired.
bool survives_expiry(Command command) {
  return command == Command::logoff || command == Command::close || command == Command::lock;
}

bool is_binding(const Request& request) {
  if (request.header.command != Command::session_setup || request.header.session_id == 0 ||
      request.element.size() <= wire::header_bytes + 2) {
    return false;
  }
  const wire::SessionSetupFlags flags{
      std::to_integer<std::uint8_t>(request.element[wire::header_bytes + 2])};
  return wire::has(flags, wire::SessionSetupFlags::binding);
}

}  // namespace

NtStatus Connection::check(Request& request) {
  const NtStatus signature = check_signature(request);
  if (signature != NtStatus::success) return signature;
  if (request.frame->refused) return *request.frame->refused;
  if (const NtStatus chain = check_chain(request); chain != NtStatus::success) return chain;
  if (const NtStatus session = check_session(request); session != NtStatus::success) return session;
  if (const NtStatus tree = check_tree(request); tree != NtStatus::success) return tree;
  return has_charge_for_payload(request.header, request.element, negotiated.large_mtu)
             ? NtStatus::success
             : NtStatus::invalid_parameter;
}

NtStatus Connection::check_signature(Request& request) {
  const wire::PacketHeader& header = request.header;
  request.session = session(header.session_id);
  if (request.session) {
    const auto channel = request.session->channels.find(this);
    if (channel != request.session->channels.end()) request.protection = channel->second.protection;
  }
  if (request.sealed) return NtStatus::success;
  if (header.command == Command::negotiate) {
    return header.is_signed() ? NtStatus::invalid_parameter : NtStatus::success;
  }
  const bool binding = is_binding(request);
  if (!header.is_signed()) {
    const auto known = server_.session(header.session_id);
    const bool required = known && known->signing_required && !binding;
    return required ? NtStatus::access_denied : NtStatus::success;
  }
  if (binding) request.protection = binding_protection(request);
  if (!request.session && !(binding && server_.session(header.session_id))) {
    return NtStatus::user_session_deleted;
  }
  if (!request.protection) return NtStatus::not_supported;
  if (!request.protection->signer().verify(request.element)) return NtStatus::access_denied;
  request.verified = true;
  return NtStatus::success;
}

// A binding is signed with the session's key, by the algorithm of its own connection.
std::shared_ptr<Protection> Connection::binding_protection(const Request& request) {
  const auto logon = logons.find(request.header.session_id);
  if (logon != logons.end() && logon->second.protection) return logon->second.protection;
  const auto session = server_.session(request.header.session_id);
  if (!session || !session->keys) return nullptr;
  auto signer = Signer::create(negotiated.signing, session->keys->signing);
  if (!signer) return nullptr;
  return std::make_shared<Protection>(session->id, std::move(*signer), std::nullopt,
                                      NonceRange(0, NonceRange::counters));
}

// [MS-SMB2] 3.3.5.2.7.2
NtStatus Connection::check_chain(const Request& request) const {
  if (!request.related) return NtStatus::success;
  const Command command = request.header.command;
  if (!is_sessionless(command) && command != Command::echo && request.chain.session_id == 0) {
    return NtStatus::invalid_parameter;
  }
  if (needs_tree(command) && request.chain.tree_id == 0) return NtStatus::invalid_parameter;
  if (!needs_file(command)) return NtStatus::success;
  // What the standard recommends would leave a file open whose READ met its end: well-known
  // servers go on when there is a file.
  const bool goes_on = request.chain.open && !server_.settings().strict;
  if (is_error(request.chain.status) && !goes_on) return request.chain.status;
  return NtStatus::success;
}

NtStatus Connection::check_session(Request& request) {
  const Command command = request.header.command;
  if (is_sessionless(command)) return NtStatus::success;
  // [MS-SMB2] 3.3.5.17
  if (command == Command::echo && !request.header.is_signed() && request.header.session_id == 0) {
    return NtStatus::success;
  }
  if (!request.session) return NtStatus::user_session_deleted;
  Session& session = *request.session;
  if (session.state == SessionState::valid && server_.reactor().now() >= session.expires) {
    session.state = SessionState::expired;
  }
  if (!survives_expiry(command)) {
    if (session.state == SessionState::expired) return NtStatus::network_session_expired;
    if (session.state == SessionState::in_progress) return logon_in_progress;
  }
  return session.encrypt && !request.sealed ? NtStatus::access_denied : NtStatus::success;
}

NtStatus Connection::check_tree(Request& request) {
  if (!needs_tree(request.header.command)) return NtStatus::success;
  const auto found = request.session->trees.find(request.header.tree_id);
  if (found == request.session->trees.end()) return NtStatus::network_name_deleted;
  request.tree = found->second;
  return request.tree->encrypt && !request.sealed ? NtStatus::access_denied : NtStatus::success;
}

}  // namespace smb3::server
