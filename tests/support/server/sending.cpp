// The way out: headers, credits, signatures, sealing, and one loop that sends.
#include "support/server/answer_faults.h"
#include "support/server/connection.h"
#include "support/server/server.h"

#include <algorithm>
#include <climits>

namespace smb3::server {
namespace {

constexpr std::array<std::byte, 8> zeros{};
// Of one sendmsg.
constexpr std::size_t batch_pieces_max = IOV_MAX;
constexpr std::size_t batch_bytes_max = 16_MiB;

iovec piece_of(Bytes bytes) noexcept {
  return {const_cast<std::byte*>(bytes.data()), bytes.size()};
}
Bytes bytes_of(const iovec& piece) noexcept {
  return {static_cast<const std::byte*>(piece.iov_base), piece.iov_len};
}

// What the answer takes over from its request.
constexpr wire::HeaderFlags kept_flags =
    wire::HeaderFlags::related_operations | wire::HeaderFlags::priority_mask |
    wire::HeaderFlags::dfs_operations | wire::HeaderFlags::replay_operation;

// Signs the message as it lies; one that cannot be signed (MessageId 0 under AES-GMAC) stays as it
// is.
void sign(Outgoing& answer) {
  const MutableBytes message = answer.answer.message->bytes();
  if (message.size() < wire::header_bytes) return;
  const std::array<Bytes, 3> rest{message.subspan(wire::header_bytes), answer.answer.payload,
                                  Bytes(zeros).first(answer.padding_bytes)};
  auto signed_ = answer.protection->signer().sign(message.first(wire::header_bytes), rest);
  static_cast<void>(signed_);
}

void chain_preauth(const Outgoing& answer) {
  if (!answer.answer.preauth) return;
  auto chained = answer.answer.preauth->update(answer.answer.message->bytes());
  static_cast<void>(chained);
}

}  // namespace

// [MS-SMB2] 3.3.1.2: what was asked for, but at least one, and no more than a client may hold.
std::uint16_t Connection::grant(const Request& request) {
  std::uint64_t credits = std::max<std::uint64_t>(request.header.credits, 1);
  const std::uint64_t most = server_.settings().credits_max;
  const std::uint64_t held = window_.available();
  credits = std::min(credits, most > held ? most - held : 1);
  if (const Fault* fault = request.fault(FaultKind::credits)) credits = fault->value;
  credits = std::min<std::uint64_t>(credits, 0xFFFF);
  window_.grant(credits);
  return static_cast<std::uint16_t>(credits);
}

wire::PacketHeader Connection::header_for(const Request& request, const Answer& answer) {
  wire::PacketHeader header;
  header.credit_charge = request.header.credit_charge;
  header.status = static_cast<std::uint32_t>(answer.status);
  header.command = request.header.command;
  header.flags = (request.header.flags & kept_flags) | wire::HeaderFlags::server_to_redir;
  header.message_id = request.header.message_id;
  header.session_id = answer.session_id.value_or(request.header.session_id);
  header.process_id = request.header.process_id;
  header.tree_id = answer.tree_id.value_or(request.header.tree_id);
  if (request.is_async) {
    // [MS-SMB2] 3.3.4.3: the interim response has granted what there was to grant.
    header.flags |= wire::HeaderFlags::async_command;
    header.async_id = request.async_id;
  } else {
    header.credits = grant(request);
  }
  return header;
}

void go_async(Request& request) {
  if (!request.is_async) request.connection.send_interim(request);
}

// [MS-SMB2] 3.3.4.2. Answers to earlier elements of the compound go out before it.
void Connection::send_interim(Request& request) {
  flush(*request.frame);
  request.async_id = next_async_id_++;
  Outgoing interim;
  interim.answer = Answer::refusal(NtStatus::pending);
  interim.header = header_for(request, interim.answer);
  interim.header.flags |= wire::HeaderFlags::async_command;
  interim.header.async_id = request.async_id;
  request.is_async = true;
  std::vector<Outgoing> answers;
  answers.push_back(std::move(interim));
  send(std::move(answers), request.frame->sealed_by);
}

// [MS-SMB2] 3.3.4.6: not signed, and no answer to anything.
void Connection::notify(Session& session, Tree* tree, Answer message, wire::Command command) {
  Outgoing notification;
  notification.answer = std::move(message);
  notification.header.command = command;
  notification.header.flags = wire::HeaderFlags::server_to_redir;
  notification.header.message_id = wire::unsolicited_message_id;
  notification.header.session_id = session.id;
  std::shared_ptr<Protection> seal;
  const auto channel = session.channels.find(this);
  if ((session.encrypt || (tree && tree->encrypt)) && channel != session.channels.end()) {
    seal = channel->second.protection;
  }
  std::vector<Outgoing> answers;
  answers.push_back(std::move(notification));
  send(std::move(answers), std::move(seal));
}

void Connection::flush(FrameInProgress& frame) {
  if (frame.answers.empty()) return;
  std::shared_ptr<Protection> seal = frame.sealed_by;
  for (const Outgoing& answer : frame.answers) {
    if (!seal && answer.seal) seal = answer.protection;
  }
  send(std::exchange(frame.answers, {}), std::move(seal));
}

void Connection::send(std::vector<Outgoing> answers, std::shared_ptr<Protection> seal_by) {
  if (ended_ || silent_ || draining_) return;
  auto frame = std::make_unique<OutgoingFrame>();
  frame->answers = std::move(answers);
  if (seal_by && (!seal_by->can_seal() || any_has(*frame, FaultKind::plain_answer))) {
    seal_by = nullptr;
  }
  for (std::size_t i = 0; i < frame->answers.size(); ++i) {
    Outgoing& answer = frame->answers[i];
    const bool last = i + 1 == frame->answers.size();
    edit_body(answer);
    const std::size_t bytes = answer.answer.message->size() + answer.answer.payload.size();
    answer.padding_bytes = last ? 0 : align_up(bytes, 8) - bytes;
    answer.header.next_command =
        last ? 0 : static_cast<std::uint32_t>(bytes + answer.padding_bytes);
    if (i == 0) answer.header.flags &= ~wire::HeaderFlags::related_operations;
    store_header(answer);
    if (answer.sign && answer.protection && !seal_by) sign(answer);
    damage_signature(answer);
    chain_preauth(answer);
    frame->pieces.push_back(piece_of(answer.answer.message->bytes()));
    if (!answer.answer.payload.empty()) frame->pieces.push_back(piece_of(answer.answer.payload));
    if (answer.padding_bytes != 0) {
      frame->pieces.push_back(piece_of(Bytes(zeros).first(answer.padding_bytes)));
    }
  }
  for (const iovec& piece : frame->pieces) frame->bytes += piece.iov_len;
  log_outgoing(*frame, seal_by != nullptr);
  if (seal_by && frame->bytes > 0 && !seal(*frame, *seal_by)) {
    return end(FrameEnd::none, "an answer could not be sealed");
  }
  store_be(frame->prefix.data(), static_cast<std::uint32_t>(frame->bytes));
  auto again = edit_frame(*frame);
  enqueue(std::move(frame));
  if (again) enqueue(std::move(again));
}

bool Connection::seal(OutgoingFrame& frame, Protection& protection) {
  std::vector<Bytes> pieces;
  for (const iovec& piece : frame.pieces) pieces.push_back(bytes_of(piece));
  frame.sealed = memory_.take(transform_header_bytes + frame.bytes);
  if (!protection.seal(pieces, frame.sealed.bytes())) return false;
  frame.pieces = {piece_of(frame.sealed.bytes())};
  frame.bytes = frame.sealed.size;
  return true;
}

void Connection::log_outgoing(const OutgoingFrame& frame, bool sealed) {
  if (!server_.log().answers_wanted()) return;
  for (std::size_t i = 0; i < frame.answers.size(); ++i) {
    const Outgoing& answer = frame.answers[i];
    std::vector<std::byte> element(answer.answer.message->bytes().begin(),
                                   answer.answer.message->bytes().end());
    element.insert(element.end(), answer.answer.payload.begin(), answer.answer.payload.end());
    if (element.size() < wire::header_bytes) continue;
    LoggedMessage message;
    message.connection = number_;
    message.time_us = server_.time_us();
    message.sealed = sealed;
    message.signed_and_verified = !sealed && answer.sign;
    message.from_server = true;
    message.position = static_cast<std::uint32_t>(i);
    message.count = static_cast<std::uint32_t>(frame.answers.size());
    message.path = answer.path;
    message.element = element;
    server_.log().write(message);
  }
}

void Connection::enqueue(std::unique_ptr<OutgoingFrame> frame) {
  queued_bytes_ += frame->bytes;
  queue_.push_back(std::move(frame));
  sendable_.set();
}

void Connection::enqueue_end(FrameEnd how) {
  auto frame = std::make_unique<OutgoingFrame>();
  frame->has_prefix = false;
  frame->end = how;
  enqueue(std::move(frame));
}

void Connection::clear_queue() {
  for (const auto& frame : queue_) queued_bytes_ -= frame->bytes;
  queue_.clear();
}

// As many frames as one call takes; one behind which the connection ends is the last.
void Connection::collect(std::vector<iovec>& pieces) {
  pieces.clear();
  std::size_t bytes = 0;
  while (!queue_.empty()) {
    const OutgoingFrame& frame = *queue_.front();
    const bool full = pieces.size() + 1 + frame.pieces.size() > batch_pieces_max ||
                      bytes + frame.bytes > batch_bytes_max;
    if (!batch_.empty() && full) return;
    if (frame.has_prefix) pieces.push_back(piece_of(frame.prefix));
    std::uint64_t left = frame.cut_bytes.value_or(~std::uint64_t{0});
    for (const iovec& piece : frame.pieces) {
      const Bytes part = bytes_of(piece).first(std::min<std::uint64_t>(piece.iov_len, left));
      left -= part.size();
      if (!part.empty()) pieces.push_back(piece_of(part));
    }
    bytes += frame.bytes;
    batch_.push_back(std::move(queue_.front()));
    queue_.pop_front();
    if (batch_.back()->end != FrameEnd::none) return;
  }
}

Task<void> Connection::send_loop() {
  std::vector<iovec> pieces;
  while (true) {
    if (ended_ || silent_ || draining_) clear_queue();
    collect(pieces);
    if (batch_.empty()) {
      if (ended_) co_return;
      co_await sendable_.wait();
      continue;
    }
    auto sent = co_await attempt(send_pieces(pieces));
    if (!sent) end(FrameEnd::none, describe(sent.error()));
    co_await after_batch();
  }
}

// In parts, if something happens at a byte between.
Task<void> Connection::send_pieces(std::span<const iovec> pieces) {
  std::uint64_t most = ~std::uint64_t{0};
  for (const ConnectionFault& fault : faults_) {
    if (fault.sent_bytes && *fault.sent_bytes > sent_bytes_) {
      most = std::min(most, *fault.sent_bytes - sent_bytes_);
    }
  }
  std::vector<iovec> cut;
  std::uint64_t bytes = 0;
  for (const iovec& piece : pieces) bytes += piece.iov_len;
  if (bytes > most) {
    bytes = 0;
    for (const iovec& piece : pieces) {
      const Bytes part =
          bytes_of(piece).first(std::min<std::uint64_t>(piece.iov_len, most - bytes));
      bytes += part.size();
      if (!part.empty()) cut.push_back(piece_of(part));
    }
    pieces = cut;
  }
  if (bytes == 0) co_return;
  msghdr message{};
  message.msg_iov = const_cast<iovec*>(pieces.data());  // the kernel only reads them
  message.msg_iovlen = pieces.size();
  Operation operation{.code = OperationCode::send, .fd = socket_.fd(), .buffer = &message};
  sending_ = &operation;
  const int result = co_await perform(server_.reactor(), operation);
  sending_ = nullptr;
  if (result < 0) co_await system_error(-result, "send");
  sent_bytes_ += bytes;
}

Task<void> Connection::after_batch() {
  const FrameEnd how = batch_.back()->end;
  for (const auto& frame : batch_) {
    queued_bytes_ -= frame->bytes;
    memory_.give(std::move(frame->sealed));
  }
  batch_.clear();
  drained_.set();
  if (how == FrameEnd::none) check_connection_faults();
  if (how == FrameEnd::reset) end(how, "reset by a fault");
  if (how != FrameEnd::close || ended_) co_return;
  draining_ = true;
  auto shut = co_await attempt(socket_.shutdown());
  static_cast<void>(shut);
  if (receiving_) server_.reactor().cancel(*receiving_);
}

}  // namespace smb3::server
