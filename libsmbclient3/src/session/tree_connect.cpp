#include "session/tree_connect.h"

#include "base/utf16.h"
#include "wire/tree_disconnect.h"

namespace smb3 {

Task<std::unique_ptr<TreeConnect>> TreeConnect::connect(Session& session, std::string server,
                                                        std::string share) {
  const std::string& label = session.connection().options().server_label;
  std::unique_ptr<TreeConnect> tree(new TreeConnect(session, "//" + label + "/" + share));
  const std::vector<std::byte> path = co_await to_utf16le("\\\\" + server + "\\" + share);
  wire::TreeConnectRequest message;
  message.path = path;
  Request request;
  request.set(message);
  // Always signed or sealed, or the server drops the connection: [MS-SMB2] 3.3.5.7.
  session.prepare(request, false, true);
  Exchange exchange(request);
  auto answered = co_await attempt(session.transact(exchange));
  co_await std::move(answered);
  if (request.status() != NtStatus::success) {
    co_await status_error(request.status(), "TREE_CONNECT").on(tree->name_);
  }

  const wire::TreeConnectResponse response =
      co_await wire::decode<wire::TreeConnectResponse>(request.reply->message);
  // [MS-SMB2] 2.2.1.1: the async header has no place for the TreeId.
  if (request.reply->header.is_async()) {
    co_await Error(ErrorKind::protocol, "an asynchronous answer, which names no TreeId")
        .during("TREE_CONNECT")
        .on(tree->name_);
  }
  tree->id_ = request.reply->header.tree_id;
  tree->is_disk_ = response.share_type == wire::ShareType::disk;
  tree->seals_ = wire::has(response.share_flags, wire::ShareFlags::encrypt_data);
  if (tree->seals_ && !session.can_seal()) {
    co_await Error(ErrorKind::security,
                   "the share demands encryption, which this session cannot do")
        .during("TREE_CONNECT")
        .on(tree->name_);
  }
  co_return std::move(tree);
}

Task<void> TreeConnect::disconnect() {
  if (session_.usable_channels() == 0) co_return;
  Request request;
  request.set(wire::TreeDisconnectRequest{});
  prepare(request);
  Exchange exchange(request);
  auto answered = co_await attempt(session_.send(exchange));
  static_cast<void>(answered);  // the share is gone with the session in any case
}

}  // namespace smb3
