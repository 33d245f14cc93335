// The way out: credits and MessageIds are spent here, headers written, frames signed or sealed.
#include "connection/connection.h"
#include "reactor/local_file.h"

#include <cerrno>
#include <climits>

namespace smb3 {
namespace {

constexpr std::size_t batch_exchanges_max = 16;
constexpr std::size_t pieces_per_exchange = 1 + 3 * Exchange::requests_max;
static_assert(batch_exchanges_max * pieces_per_exchange <= IOV_MAX);
constexpr std::array<std::byte, 8> zeros{};
// Of the buffer for ciphertext: one large frame, or many small ones.
constexpr std::size_t sealed_capacity_bytes =
    limits::large_frame_bytes + transform_header_bytes + sizeof(std::uint32_t);

iovec piece_of(Bytes bytes) noexcept {
  return {const_cast<std::byte*>(bytes.data()), bytes.size()};
}

bool is_cancel(const Exchange& exchange) noexcept {
  return exchange.requests().front()->command == wire::Command::cancel;
}

}  // namespace

Task<void> Connection::send_loop() {
  batch_.reserve(batch_exchanges_max);
  batch_pieces_.reserve(batch_exchanges_max * pieces_per_exchange);
  while (true) {
    while (queue_first_ && batch_.size() < batch_exchanges_max && can_send(*queue_first_)) {
      Exchange& exchange = *queue_first_;
      queue_first_ = exchange.next_;
      if (!queue_first_) queue_last_ = nullptr;
      batch_.push_back(&exchange);
      if (auto added = add_to_batch(exchange); !added) fail(std::move(added).error());
    }
    if (batch_.empty()) {
      if (failure_) co_return;
      fail_starved();
      co_await sendable_.wait();
      continue;
    }
    if (!failure_) {
      auto sent = co_await attempt(send_batch());
      if (!sent) fail(std::move(sent).error());
    }
    for (Exchange* exchange : batch_) {
      exchange->sending_ = false;
      if (is_cancel(*exchange)) exchange->unanswered_ = 0;
      finish_if_over(*exchange);
    }
    batch_.clear();
    batch_pieces_.clear();
    sealed_used_ = 0;
  }
}

// A mapped file that is cut off in the middle of a frame must not cost the connection: the frame is
// completed with zeros, and whoever sent it is told.
Task<void> Connection::send_batch() {
  std::uint64_t sent_bytes = 0;
  while (true) {
    auto sent = co_await attempt(socket_.send(batch_pieces_, sent_bytes));
    if (sent) co_return;
    if (sent.error().system_errno() != EFAULT || !fill_lost_payloads()) co_await std::move(sent);
  }
}

bool Connection::fill_lost_payloads() {
  bool any = false;
  for (Exchange* exchange : batch_) {
    for (Request* request : exchange->requests()) {
      if (request->payload.empty() || !MappedPart::fill_if_cut_off(request->payload)) continue;
      request->payload_lost = true;
      any = true;
    }
  }
  return any;
}

bool Connection::can_send(Exchange& exchange) {
  if (is_cancel(exchange)) return true;
  if (table_.size() + exchange.count_ > limits::requests_max) return false;
  if (exchange.sealed() && sealed_used_ != 0 &&
      sealed_used_ + sizeof(std::uint32_t) + transform_header_bytes + exchange.frame_bytes_max() >
          sealed_capacity_bytes) {
    return false;
  }
  return exchange.charge() <= window_.available();
}

// The first in the queue wants more credits than all that are held and that replies may bring: it
// cannot be sent as it is. Its caller asks for less.
void Connection::fail_starved() {
  while (queue_first_ && queue_first_->charge() > window_.available() + window_.spent()) {
    Exchange& exchange = *queue_first_;
    if (window_.available() + window_.spent() == 0) {
      fail(Error(ErrorKind::protocol, "the server grants no more credits"));
      return;
    }
    queue_first_ = exchange.next_;
    if (!queue_first_) queue_last_ = nullptr;
    exchange.starved = true;
    exchange.failure.emplace(ErrorKind::protocol,
                             "the server grants fewer credits than the request takes");
    exchange.unanswered_ = 0;
    exchange.sending_ = false;
    finish_if_over(exchange);
    sendable_.set();  // the next one may be able to go
  }
}

void Connection::write_header(Request& request, const Exchange& exchange, std::size_t position,
                              std::size_t element_bytes) {
  const bool last = position + 1 == exchange.count_;
  wire::PacketHeader header;
  header.command = request.command;
  header.status = request.channel_sequence;
  header.flags = request.flags;
  if (position != 0) header.flags |= wire::HeaderFlags::related_operations;
  header.next_command = last ? 0 : static_cast<std::uint32_t>(element_bytes);
  header.session_id = request.session_id;
  header.tree_id = request.tree_id;
  if (request.command == wire::Command::cancel) {
    // No id and no credits of its own; the target's id also in the async form (GMAC's nonce).
    header.message_id = request.message_id;
    if (request.interim_seen) {
      header.flags |= wire::HeaderFlags::async_command;
      header.async_id = request.async_id;
    }
  } else {
    header.credit_charge = large_mtu_ ? request.credit_charge : 0;
    header.credits =
        position == 0 ? window_.to_request(request.credit_charge) : request.credit_charge;
    request.message_id = window_.reserve(request.credit_charge);
    header.message_id = request.message_id;
    request.interim_seen = false;
    request.async_id = 0;
    table_.insert(request);
  }
  wire::store(header, request.message.bytes().first(wire::header_bytes));
}

Result<void> Connection::add_to_batch(Exchange& exchange) {
  std::array<Bytes, pieces_per_exchange> pieces;
  std::size_t count = 0;
  std::size_t frame_bytes = 0;
  for (std::size_t i = 0; i < exchange.count_; ++i) {
    Request& request = *exchange.requests_[i];
    const std::size_t first = count;
    std::size_t element_bytes = request.message.size() + request.payload.size();
    const std::size_t padding =
        i + 1 == exchange.count_ ? 0 : align_up(element_bytes, 8) - element_bytes;
    element_bytes += padding;
    write_header(request, exchange, i, element_bytes);
    pieces[count++] = request.message.bytes();
    if (!request.payload.empty()) pieces[count++] = request.payload;
    if (padding != 0) pieces[count++] = Bytes(zeros).first(padding);
    frame_bytes += element_bytes;

    if (request.level == ProtectionLevel::sign) {
      MutableBytes message = request.message.bytes();
      std::array<Bytes, 3> rest = {message.subspan(wire::header_bytes)};
      std::copy(pieces.begin() + first + 1, pieces.begin() + count, rest.begin() + 1);
      auto signed_ = request.protection->signer().sign(message.first(wire::header_bytes),
                                                       std::span(rest).first(count - first));
      if (!signed_) return signed_;
    }
  }
  assert(frame_bytes + transform_header_bytes <= limits::frame_bytes_max);
  if (exchange.sealed())
    return seal_into_batch(exchange, std::span(pieces).first(count), frame_bytes);

  store_be(exchange.length_prefix_.data(), static_cast<std::uint32_t>(frame_bytes));
  batch_pieces_.push_back(piece_of(exchange.length_prefix_));
  for (Bytes piece : std::span(pieces).first(count)) batch_pieces_.push_back(piece_of(piece));
  return {};
}

MutableBytes Connection::sealed_room(std::size_t bytes) {
  if (!sealed_) sealed_ = std::make_unique_for_overwrite<std::byte[]>(sealed_capacity_bytes);
  assert(bytes <= sealed_capacity_bytes - sealed_used_);
  MutableBytes room(sealed_.get() + sealed_used_, bytes);
  sealed_used_ += bytes;
  return room;
}

// The plaintext stays as it is, for a later attempt under another nonce; what is sent lies in a
// buffer of the connection.
Result<void> Connection::seal_into_batch(Exchange& exchange, std::span<const Bytes> pieces,
                                         std::size_t frame_bytes) {
  const std::size_t sealed_bytes = transform_header_bytes + frame_bytes;
  MutableBytes out = sealed_room(exchange.length_prefix_.size() + sealed_bytes);
  store_be(out.data(), static_cast<std::uint32_t>(sealed_bytes));
  auto sealed = exchange.requests().front()->protection->seal(pieces, out.subspan(4));
  if (!sealed) return sealed;
  batch_pieces_.push_back(piece_of(out));
  return {};
}

}  // namespace smb3
