#include "session/control.h"

namespace smb3 {

Task<std::vector<std::byte>> control(TreeConnect& tree, ControlParameters parameters) {
  assert(parameters.max_output_bytes <= limits::credit_bytes);
  assert(parameters.input.size() <= limits::credit_bytes);
  Connection& connection = tree.connection();
  wire::IoctlRequest message;
  message.ctl_code = parameters.code;
  message.file_id = parameters.file_id;
  message.max_output_response = parameters.max_output_bytes;
  message.input = parameters.input;
  Request request;
  request.set(message);
  tree.prepare(request, parameters.must_sign);
  Exchange exchange(request);
  exchange.reservation = co_await connection.pool().reserve();
  auto answered = co_await attempt(tree.session().transact(exchange));
  if (!answered) co_return std::move(answered).error().during("IOCTL").on(tree.name());
  if (request.status() != NtStatus::success && request.status() != NtStatus::buffer_overflow) {
    co_return status_error(request.status(), "IOCTL").on(tree.name());
  }
  auto decoded = wire::decode<wire::IoctlResponse>(request.reply->message);
  if (!decoded) co_return std::move(decoded).error().on(tree.name());
  if (decoded->ctl_code != parameters.code ||
      decoded->output.size() > parameters.max_output_bytes) {
    co_return Error(ErrorKind::protocol, "the answer is to another question, or too long")
        .during("IOCTL")
        .on(tree.name());
  }
  co_return std::vector<std::byte>(decoded->output.begin(), decoded->output.end());
}

}  // namespace smb3
