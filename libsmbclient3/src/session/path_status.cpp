#include "session/path_status.h"

#include "session/open.h"

namespace smb3 {
namespace {

constexpr auto access = wire::AccessMask::read_attributes | wire::AccessMask::synchronize;

// For a server that does not grant two credits at once.
Task<FileStatus> one_by_one(TreeConnect& tree, std::string path) {
  CreateParameters parameters;
  parameters.desired_access = access;
  parameters.share_access = share_everything;
  auto open = co_await Open::create(tree, std::move(path), parameters);
  const FileStatus status = open->status_at_open();
  auto closed = co_await attempt(open->close());
  static_cast<void>(closed);  // nothing was written
  co_return status;
}

// A server that did not carry out the second member has left the file open.
Task<void> close_left_open(TreeConnect& tree, wire::FileId file_id) {
  wire::CloseRequest message;
  message.file_id = file_id;
  Request request;
  request.set(message);
  auto closed = co_await attempt(call(tree, request, "CLOSE"));
  static_cast<void>(closed);  // nothing was written
}

}  // namespace

Task<FileStatus> path_status(TreeConnect& tree, std::string path) {
  const std::string shown = path.empty() ? tree.name() : tree.name() + "/" + path;
  const std::vector<std::byte> name = co_await wire_path(path);
  wire::CreateRequest create;
  create.desired_access = access;
  create.share_access = share_everything;
  create.name = name;
  Request first;
  first.set(create);
  wire::CloseRequest close;
  close.file_id = wire::no_file_id;  // the one that CREATE makes
  Request second;
  second.set(close);
  tree.prepare(first);
  tree.prepare(second);
  first.repetition = Repetition::plain;  // it changes nothing
  Exchange exchange(first);
  exchange.add(second);
  auto answered = co_await attempt(tree.session().transact(exchange));
  if (!answered && exchange.starved) co_return co_await one_by_one(tree, std::move(path));
  if (!answered) co_return std::move(answered).error().during("CREATE").on(shown);
  if (first.status() != NtStatus::success) {
    co_return status_error(first.status(), "CREATE").on(shown);
  }
  auto response = wire::decode<wire::CreateResponse>(first.reply->message);
  if (!response) co_return std::move(response).error().on(shown);
  if (second.status() != NtStatus::success) co_await close_left_open(tree, response->file_id);
  co_return status_of(*response);
}

}  // namespace smb3
