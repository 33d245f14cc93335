// TREE_CONNECT and TREE_DISCONNECT: [MS-SMB2] 3.3.5.7 and 3.3.5.8.
#include "wire/tree_connect.h"

#include "base/utf16.h"
#include "support/server/connection.h"
#include "support/server/handlers.h"
#include "support/server/json_text.h"
#include "support/server/server.h"
#include "wire/negotiate.h"
#include "wire/tree_disconnect.h"

#include <arpa/inet.h>

namespace smb3::server {
namespace {

constexpr wire::AccessMask full_access{0x001F01FF};
constexpr wire::AccessMask read_access{0x001200A9};

struct SharePath {
  std::string server, share;
};

// "\\server\share"
StatusOr<SharePath> parse(Bytes utf16) {
  constexpr std::size_t server_units_max = 255, share_units_max = 80;
  const auto text = from_utf16le(utf16);
  if (!text || !text->starts_with("\\\\")) return refuse(NtStatus::invalid_parameter);
  const std::size_t middle = text->find('\\', 2);
  if (middle == text->npos) return refuse(NtStatus::invalid_parameter);
  SharePath path{text->substr(2, middle - 2), text->substr(middle + 1)};
  const bool is_one = path.share.find('\\') == path.share.npos;
  if (!is_one || path.server.empty() || path.share.empty() ||
      path.server.size() > server_units_max || path.share.size() > share_units_max) {
    return refuse(NtStatus::invalid_parameter);
  }
  return path;
}

std::optional<wire::MoveDstIpaddr> address_of(const std::string& text) {
  wire::MoveDstIpaddr address;
  if (::inet_pton(AF_INET, text.c_str(), address.address.data()) == 1) {
    address.type = wire::MoveDstType::ipv4;
  } else if (::inet_pton(AF_INET6, text.c_str(), address.address.data()) == 1) {
    address.type = wire::MoveDstType::ipv6;
  } else {
    return std::nullopt;
  }
  return address;
}

// [MS-SMB2] 2.2.2.2.2
Answer redirection(const ShareSettings& share, const std::vector<std::byte>& name) {
  wire::ShareRedirectError error;
  for (const std::string& text : share.redirect_addresses) {
    if (const auto address = address_of(text)) error.ip_addr_move_list.push_back(*address);
  }
  error.resource_name = name;
  ByteBuffer data;
  wire::encode(error, data);
  ByteBuffer contexts;
  wire::encode_error_contexts(
      {{.error_id = wire::ErrorId::share_redirect, .error_context_data = data.bytes()}}, contexts);
  return Answer::refusal(NtStatus::bad_network_name,
                         {.error_context_count = 1, .error_data = contexts.bytes()});
}

void log_identity(Request& request, const wire::TreeConnectRequest& message) {
  if (!request.server.log().wanted()) return;
  for (const wire::TreeConnectContext& context : message.contexts) {
    const bool identity = context.context_type == wire::TreeConnectContextType::remoted_identity;
    request.server.log().write_line(
        JsonText()
            .add("event", "tree_connect_context")
            .add("connection", request.connection.number())
            .add("type", static_cast<std::uint32_t>(context.context_type))
            .add("remoted_identity", identity)
            .add("bytes", context.data.size())
            .object());
  }
}

// Who may come in at all; [MS-SMB2] 3.3.5.7.
StatusOr<> check_access(const Request& request, const Share& share) {
  const Session& session = *request.session;
  const Connection::Negotiated& negotiated = request.connection.negotiated;
  const bool encrypts = negotiated.cipher != Cipher::none && request.protection != nullptr;
  if (share.settings.encrypt && !encrypts) return refuse(NtStatus::access_denied);
  const bool nobody = session.logon.guest || session.logon.anonymous;
  if (nobody && !share.settings.guest_ok) return refuse(NtStatus::access_denied);
  return {};
}

bool is_encrypted(const Share& share) {
  return share.settings.encrypt || wire::has(share.settings.flags, wire::ShareFlags::encrypt_data);
}

Answer connect(Request& request, std::shared_ptr<Share> share,
               const wire::TreeConnectRequest& message) {
  const ShareSettings& settings = share->settings;
  auto tree = std::make_shared<Tree>();
  tree->id = request.session->next_tree_id++;
  tree->encrypt = is_encrypted(*share);
  tree->maximal_access = settings.read_only ? read_access : full_access;
  wire::TreeConnectResponse response;
  response.share_type = settings.type;
  response.share_flags = settings.flags;
  if (settings.encrypt) response.share_flags |= wire::ShareFlags::encrypt_data;
  response.capabilities = settings.capabilities;
  if (wire::has(message.flags, wire::TreeConnectFlags::redirect_to_owner) &&
      wire::has(settings.capabilities, wire::ShareCapabilities::asymmetric)) {
    response.capabilities |= wire::ShareCapabilities::redirect_to_owner;
  }
  response.maximal_access = tree->maximal_access;
  tree->share = std::move(share);
  Answer answer = Answer::of(response);
  answer.tree_id = tree->id;
  request.session->trees.emplace(tree->id, std::move(tree));
  return answer;
}

}  // namespace

Task<Answer> tree_connect(Request& request) {
  const auto message = wire::decode<wire::TreeConnectRequest>(request.element);
  if (!message) co_return Answer::refusal(NtStatus::invalid_parameter);
  // The standard ends the connection; well-known servers do not look.
  if (request.server.settings().strict && request.session->keys && !request.verified &&
      !request.sealed) {
    request.connection.end(FrameEnd::none, "a TREE_CONNECT is neither signed nor encrypted");
    Answer nothing;
    nothing.none = true;
    co_return std::move(nothing);
  }
  const auto path = parse(message->path);
  if (!path) co_return Answer::refusal(path.error());
  auto share = request.server.cluster().share(path->share);
  if (!share) co_return Answer::refusal(NtStatus::bad_network_name);
  if (const auto checked = check_access(request, *share); !checked) {
    co_return Answer::refusal(checked.error());
  }
  log_identity(request, *message);
  if (!share->settings.redirect_addresses.empty() && share->settings.redirect_synchronous &&
      wire::has(message->flags, wire::TreeConnectFlags::redirect_to_owner)) {
    const auto name = to_utf16le(share->settings.name);
    co_return redirection(share->settings, name.value_or(std::vector<std::byte>{}));
  }
  co_return connect(request, std::move(share), *message);
}

Task<Answer> tree_disconnect(Request& request) {
  if (!wire::decode<wire::TreeDisconnectRequest>(request.element)) {
    co_return Answer::refusal(NtStatus::invalid_parameter);
  }
  end_opens(*request.session, request.tree.get());
  request.session->trees.erase(request.tree->id);
  co_return Answer::of(wire::TreeDisconnectResponse{});
}

}  // namespace smb3::server
