// The way in: whole frames, unsealed, split, matched to their requests and verified, before anybody
// sees them. [MS-SMB2] 3.2.5.1.
#include "connection/connection.h"
#include "connection/negotiation.h"
#include "wire/oplock_break.h"
#include "wire/packet_header.h"
#include "wire/read.h"
#include "wire/write.h"

namespace smb3 {
namespace {

std::unexpected<Error> broken(const char* what, unsigned line = __builtin_LINE()) {
  return std::unexpected(Error(ErrorKind::protocol, what, __FILE__, line));
}

constexpr std::array<std::byte, 4> smb1_protocol_id{std::byte{0xFF}, std::byte{'S'}, std::byte{'M'},
                                                    std::byte{'B'}};

// Instead of the answer to NEGOTIATE.
Error speaks_no_smb(Bytes first) {
  std::string text;
  for (const std::byte byte : first) {
    const char c = static_cast<char>(byte);
    if (c < ' ' || c > '~') break;
    text += c;
  }
  const std::string answer = text.size() == first.size() ? ": it answers with '" + text + "'" : "";
  return Error(ErrorKind::protocol, "does not speak SMB over TCP" + answer)
      .during("NEGOTIATE")
      .advise("check the server's name and port (445 is usual)");
}

Error speaks_smb1() {
  return Error(ErrorKind::unsupported, "the server speaks SMB 1 only")
      .during("NEGOTIATE")
      .advise(only_smb_3_1_1);
}

}  // namespace

Task<void> Connection::receive_loop() {
  while (!failure_) {
    auto frame = co_await attempt(receive_frame());
    if (!frame) fail(ended_by(std::move(frame).error()).on(options_.server_label));
  }
}

// A server that cannot decrypt a message ends the connection: [MS-SMB2] 3.3.5.2.1.1.
Error Connection::ended_by(Error error) {
  bool seals = false;
  table_.for_each([&seals](const Request& request) {
    if (request.level == ProtectionLevel::seal) seals = true;
  });
  if (!seals || error.kind() != ErrorKind::disconnected) return error;
  return std::move(error).advise(
      "if it happens again: a server ends an encrypted connection so when a message was altered on "
      "its way");
}

Task<void> Connection::receive_frame() {
  std::array<std::byte, 4> prefix;
  co_await socket_.receive_exactly(prefix);
  const std::size_t length = load_be<std::uint32_t>(prefix.data());
  if (prefix[0] != std::byte{0}) {
    if (!negotiated_) co_await speaks_no_smb(prefix);
    co_await broken("a frame does not begin with a zero byte").error();
  }
  if (length < wire::header_bytes + 2) {
    if (!negotiated_ && length >= smb1_protocol_id.size()) {
      std::array<std::byte, smb1_protocol_id.size()> id;
      co_await socket_.receive_exactly(id);
      if (id == smb1_protocol_id) co_await speaks_smb1();
    }
    co_await broken("a frame is too short").error();
  }
  if (length > (negotiated_ ? limits::large_frame_bytes : limits::first_frame_bytes)) {
    co_await broken("a frame is larger than anything that was asked for").error();
  }
  const bool is_large = length > limits::small_frame_bytes;
  FrameBuffer buffer = is_large ? buffers_.large() : buffers_.small();
  if (!buffer) co_await broken("more large frames came in than were asked for").error();

  // The data of a READ response lands on a page.
  std::size_t start = 0;
  if (is_large) {
    start = limits::head_room_bytes - wire::header_bytes - wire::fixed_size<wire::ReadResponse>();
    if (large_frames_sealed_) start -= transform_header_bytes;
  }
  MutableBytes frame = buffer.bytes().subspan(start, length);
  co_await socket_.receive_exactly(frame);
  if (!negotiated_ && std::ranges::equal(frame.first(smb1_protocol_id.size()), smb1_protocol_id)) {
    co_await speaks_smb1();
  }
  if (is_large) large_frames_sealed_ = sealed_session_id(frame).has_value();
  co_await handle_frame(buffer, frame);
}

Protection* Connection::protection_of(std::uint64_t session_id) noexcept {
  for (Protection* protection : protections_) {
    if (protection->session_id() == session_id) return protection;
  }
  return nullptr;
}

Result<void> Connection::handle_frame(const FrameBuffer& buffer, MutableBytes frame) {
  Bytes message = frame;
  Protection* sealed_by = nullptr;
  if (auto session_id = sealed_session_id(frame)) {
    sealed_by = protection_of(*session_id);
    if (!sealed_by || !sealed_by->can_seal()) {
      return broken("an encrypted frame belongs to no session of this connection");
    }
    auto plain = sealed_by->sealer().unseal(frame);
    if (!plain) return std::unexpected(std::move(plain).error());
    message = *plain;
  }
  wire::CompoundSplitter elements(message);
  while (true) {
    auto element = elements.next();
    if (!element) return std::unexpected(std::move(element).error());
    if (!*element || failure_) return {};
    if (auto handled = handle_element(buffer, **element, sealed_by); !handled) return handled;
  }
}

Result<void> Connection::handle_element(const FrameBuffer& buffer,
                                        const wire::CompoundElement& element,
                                        Protection* sealed_by) {
  const wire::PacketHeader& header = element.header;
  if (!header.is_response()) return broken("a message is not marked as a response");
  if (header.message_id == wire::unsolicited_message_id) {
    if (header.command != wire::Command::oplock_break) {
      return broken("a response has no MessageId");
    }
    return handle_break(element.bytes);
  }
  Request* request = table_.find(header.message_id);
  if (!request) return broken("a response answers no outstanding request");
  if (auto checked = check_identity(*request, header); !checked) return checked;

  const NtStatus status = header.nt_status();
  if (status == NtStatus::pending) {
    if (auto noted = handle_interim(*request, header, sealed_by); !noted) return noted;
    // As its answer, this shows that the server lives, not that it works for us.
    if (request->command == wire::Command::echo) {
      echo_bytes_received_ += sizeof(std::uint32_t) + element.bytes.size();
    }
    sendable_.set();
    return window_.grant(header.credits);
  }
  if (auto checked = check_protection(*request, header, element.bytes, sealed_by); !checked) {
    return checked;
  }
  if (auto granted = window_.grant(header.credits); !granted) return granted;
  count_payload(*request, status, element.bytes);
  request->reply.emplace(Reply{header, status, sealed_by != nullptr, element.bytes, buffer});
  answered(*request);
  return {};
}

// What a file's data is, whatever becomes of it: only counted here.
void Connection::count_payload(const Request& request, NtStatus status, Bytes element) noexcept {
  if (status != NtStatus::success) return;
  if (request.command == wire::Command::read) {
    if (auto response = wire::decode<wire::ReadResponse>(element)) {
      payload_bytes_ += response->data.size();
    }
  } else if (request.command == wire::Command::write) {
    if (auto response = wire::decode<wire::WriteResponse>(element)) {
      payload_bytes_ += std::min<std::uint64_t>(response->count, request.payload.size());
    }
  }
}

Result<void> Connection::check_identity(const Request& request, const wire::PacketHeader& header) {
  if (header.command != request.command) return broken("a response is of another command");
  const bool starts_session =
      request.command == wire::Command::session_setup && request.session_id == 0;
  if (!starts_session && header.session_id != request.session_id) {
    return broken("a response belongs to another session");
  }
  if (header.is_async()) {
    if (request.interim_seen && header.async_id != request.async_id) {
      return broken("a response carries another AsyncId");
    }
    return {};
  }
  if (request.interim_seen) return broken("an asynchronous request got a synchronous response");
  const bool before_tree = request.command == wire::Command::negotiate ||
                           request.command == wire::Command::session_setup ||
                           request.command == wire::Command::tree_connect;
  if (!before_tree && header.tree_id != request.tree_id) {
    return broken("a response belongs to another tree connect");
  }
  return {};
}

Result<void> Connection::handle_interim(Request& request, const wire::PacketHeader& header,
                                        Protection* sealed_by) {
  if (!header.is_async() || header.async_id == 0) {
    return broken("an interim response has no AsyncId");
  }
  if (request.interim_seen) return broken("a request got two interim responses");
  if (request.level == ProtectionLevel::seal && sealed_by != request.protection) {
    return std::unexpected(
        Error(ErrorKind::security, "an interim response is not encrypted although it must be"));
  }
  request.interim_seen = true;
  request.async_id = header.async_id;
  return {};
}

Result<void> Connection::check_protection(Request& request, const wire::PacketHeader& header,
                                          Bytes element, Protection* sealed_by) {
  if (sealed_by && header.session_id != sealed_by->session_id()) {
    return broken("an encrypted response belongs to another session than its frame");
  }
  if (sealed_by || request.level == ProtectionLevel::plain) return {};
  if (request.verified_by_caller && header.nt_status() == NtStatus::success) return {};
  // The server has forgotten the session and its keys with it. Forged, it costs the connection,
  // which an attacker can have anyway.
  if (header.nt_status() == NtStatus::user_session_deleted) {
    return std::unexpected(status_error(NtStatus::user_session_deleted, "session"));
  }
  // The session may have ended with the refusal, and with it what could sign.
  const NtStatus status = header.nt_status();
  if (request.command == wire::Command::session_setup && is_error(status) &&
      status != NtStatus::more_processing_required) {
    return {};
  }
  if (request.level == ProtectionLevel::seal) {
    return std::unexpected(
        Error(ErrorKind::security, "a response is not encrypted although it must be"));
  }
  if (!header.is_signed()) {
    // So a server answers a request whose signature it finds wrong.
    const char* refusal = is_error(status) ? "the request may have been altered on its way, or the "
                                             "response on its way back"
                                           : "";
    return std::unexpected(
        Error(ErrorKind::security, "a response is not signed although it must be")
            .status(is_error(status) ? header.status : 0)
            .during(wire::name_of(request.command))
            .advise(refusal));
  }
  return request.protection->signer().verify(element);
}

// [MS-SMB2] 3.2.5.19. The notification carries no proof, so it may only make us hold less.
Result<void> Connection::handle_break(Bytes element) {
  if (wire::structure_size_of(element) != wire::OplockBreakNotification::structure_size)
    return {};  // we never ask for leases
  auto decoded = wire::decode<wire::OplockBreakNotification>(element);
  if (!decoded) return std::unexpected(std::move(decoded).error());
  for (OpenRecord* open : opens_) {
    if (!(open->file_id == decoded->file_id)) continue;
    const auto level = static_cast<std::uint8_t>(decoded->oplock_level);
    if (level >= open->oplock_level) continue;
    const std::uint8_t held = std::exchange(open->oplock_level, level);
    // From level II there is only one way down, and no acknowledgement.
    const bool needs_acknowledgement = held > 1;
    if (needs_acknowledgement) tasks_.start(acknowledge_break(*open, level));
  }
  return {};
}

Task<void> Connection::acknowledge_break(OpenRecord open, std::uint8_t level) {
  Request request;
  wire::OplockBreakAcknowledgment message;
  message.oplock_level = static_cast<decltype(message.oplock_level)>(level);
  message.file_id = open.file_id;
  request.set(message);
  request.session_id = open.session_id;
  request.tree_id = open.tree_id;
  request.protection = protection_of(open.session_id);
  request.level = open.level;
  Exchange exchange(request);
  auto sent = co_await transact(exchange);
  static_cast<void>(sent);  // a refused acknowledgement means that we hold nothing
}

}  // namespace smb3
