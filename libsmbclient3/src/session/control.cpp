#include "session/control.h"

namespace smb3 {

Task<std::vector<std::byte>> control(Session& session, TreeReference tree,
                                     ControlParameters parameters) {
  assert(parameters.max_output_bytes <= limits::credit_bytes);
  assert(parameters.input.size() <= limits::credit_bytes);
  wire::IoctlRequest message;
  message.ctl_code = parameters.code;
  message.file_id = parameters.file_id;
  message.max_output_response = parameters.max_output_bytes;
  message.input = parameters.input;
  Request request;
  request.set(message);
  session.prepare(request, tree.seals, parameters.must_sign);
  request.tree_id = tree.id;
  Exchange exchange(request);
  exchange.reservation = co_await session.connection().pool().reserve();
  auto answered = co_await attempt(session.transact(exchange));
  if (!answered) co_return std::move(answered).error().during("IOCTL");
  if (request.status() != NtStatus::success && request.status() != NtStatus::buffer_overflow) {
    co_return status_error(request.status(), "IOCTL");
  }
  auto decoded = wire::decode<wire::IoctlResponse>(request.reply->message);
  if (!decoded) co_return std::move(decoded).error();
  if (decoded->ctl_code != parameters.code ||
      decoded->output.size() > parameters.max_output_bytes) {
    co_return Error(ErrorKind::protocol, "the answer is to another question, or too long")
        .during("IOCTL");
  }
  co_return std::vector<std::byte>(decoded->output.begin(), decoded->output.end());
}

Task<std::vector<std::byte>> control(TreeConnect& tree, ControlParameters parameters) {
  const TreeReference reference{.id = tree.id(), .seals = tree.seals()};
  auto output = co_await attempt(control(tree.session(), reference, parameters));
  if (!output) co_return std::move(output).error().on(tree.name());
  co_return std::move(*output);
}

}  // namespace smb3
