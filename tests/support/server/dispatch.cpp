// From a frame to the answers of its elements: [MS-SMB2] 3.3.5.2.
#include "support/server/connection.h"
#include "support/server/handlers.h"
#include "support/server/open.h"
#include "support/server/request_moment.h"
#include "support/server/server.h"

#include <algorithm>

namespace smb3::server {
namespace {

using wire::Command;

// [MS-SMB2] 3.3.5.2: what other commands' messages may measure.
constexpr std::size_t small_request_bytes_max = 68_KiB;

bool is_large(Command command) {
  switch (command) {
    case Command::read:
    case Command::write:
    case Command::ioctl:
    case Command::query_directory:
    case Command::change_notify:
    case Command::query_info:
    case Command::set_info: return true;
    default: return false;
  }
}

bool is_related(const wire::CompoundElement& element) {
  return wire::has(element.header.flags, wire::HeaderFlags::related_operations);
}

// [MS-SMB2] 3.3.5.2.7: a chain that begins with a related element is refused; one of both styles
// only by a strict server.
bool is_mixed(const std::vector<wire::CompoundElement>& elements, bool strict) {
  if (is_related(elements.front())) return true;
  const auto rest = std::span(elements).subspan(1);
  return strict && std::ranges::any_of(rest, is_related) && !std::ranges::all_of(rest, is_related);
}

}  // namespace

Task<void> Connection::serve_frame(Frame memory) {
  FrameInProgress frame;
  if (open_frame(memory.bytes(), frame)) {
    for (std::size_t i = 0; i < frame.elements.size() && !ended_ && !silent_; ++i) {
      co_await serve_element(frame, i);
    }
    flush(frame);
  }
  memory_.give(std::move(memory));
}

// False: the connection ends.
bool Connection::open_frame(MutableBytes bytes, FrameInProgress& frame) {
  Bytes message = bytes;
  if (const auto session_id = sealed_session_id(bytes)) {
    const auto session = this->session(*session_id);
    if (session) {
      const auto channel = session->channels.find(this);
      if (channel != session->channels.end()) frame.sealed_by = channel->second.protection;
    }
    if (!frame.sealed_by || !frame.sealed_by->can_seal()) {
      end(FrameEnd::none, "an encrypted frame belongs to no session of this connection");
      return false;
    }
    auto plain = frame.sealed_by->sealer().unseal(bytes);
    if (!plain) {
      end(FrameEnd::none, describe(plain.error()));
      return false;
    }
    message = *plain;
  }
  return read_elements(message, frame);
}

bool Connection::read_elements(Bytes message, FrameInProgress& frame) {
  wire::CompoundSplitter splitter(message);
  while (true) {
    auto element = splitter.next();
    if (!element) {
      end(FrameEnd::none, describe(element.error()));
      return false;
    }
    if (!*element) break;
    if (!admit(**element)) return false;
    const bool follows = !frame.elements.empty() && is_related(**element);
    if (frame.sealed_by && !follows &&
        (*element)->header.session_id != frame.sealed_by->session_id()) {
      end(FrameEnd::none, "an encrypted request belongs to another session than its frame");
      return false;
    }
    frame.elements.push_back(**element);
  }
  if (is_mixed(frame.elements, server_.settings().strict)) {
    frame.refused = NtStatus::invalid_parameter;
  }
  return true;
}

// False: the connection ends.
bool Connection::admit(const wire::CompoundElement& element) {
  const wire::PacketHeader& header = element.header;
  ++received_messages_;
  check_connection_faults();
  if (ended_ || silent_ || draining_) return false;
  const bool negotiates = header.command == Command::negotiate;
  const char* wrong = nullptr;
  if (header.is_response()) {
    wrong = "a request is marked as a response";
  } else if (header.command > Command::oplock_break) {
    wrong = "a request has an unknown command";
  } else if (negotiates == negotiated.done) {
    wrong = negotiates ? "a second NEGOTIATE" : "a request before NEGOTIATE";
  } else if (server_.settings().strict && !is_large(header.command) &&
             element.bytes.size() > small_request_bytes_max) {
    wrong = "a request is larger than its command may be";
  } else if (header.command != Command::cancel) {
    const std::uint32_t charge =
        negotiated.large_mtu ? std::max<std::uint32_t>(header.credit_charge, 1) : 1;
    if (!window_.take(header.message_id, charge)) {
      wrong = "a MessageId lies outside of what was granted, or was used before";
    }
  }
  if (wrong) end(FrameEnd::none, wrong);
  return !wrong;
}

Task<void> Connection::serve_element(FrameInProgress& frame, std::size_t position) {
  const wire::CompoundElement& element = frame.elements[position];
  Event cancelled(server_.reactor());
  Request request{.server = server_,
                  .connection = *this,
                  .header = element.header,
                  .element = element.bytes,
                  .sealed = frame.sealed_by != nullptr,
                  .related = position > 0 && is_related(element),
                  .chain = frame.chain,
                  .cancelled = &cancelled,
                  .frame = &frame};
  if (request.related) {
    request.header.session_id = frame.chain.session_id;
    request.header.tree_id = frame.chain.tree_id;
  } else {
    frame.chain = Chain{};
    frame.chain.session_id = element.header.session_id;
    frame.chain.tree_id = element.header.tree_id;
  }
  const NtStatus checked = check(request);
  const bool looked_at = server_.log().wanted() || !server_.faults().empty();
  const FaultMoment moment = looked_at ? moment_of(request) : FaultMoment{};
  request.path = moment.path;
  request.information = moment.information;
  log(request, position, frame.elements.size());
  if (request.header.command == Command::cancel) {
    if (checked == NtStatus::success) cancel(request);
    co_return;
  }
  if (!server_.faults().empty()) request.faults = server_.faults().strike(moment);

  requests_.push_back(&request);
  Answer answer = co_await answer_to(request, checked);
  const Fault* const delay = request.fault(FaultKind::delay);
  if (delay) co_await pause(request, delay->delay);
  std::erase(requests_, &request);
  conclude(request, std::move(answer));
}

void Connection::log(const Request& request, std::size_t position, std::size_t count) {
  if (!server_.log().wanted()) return;
  LoggedMessage message;
  message.connection = number_;
  message.time_us = server_.time_us();
  message.sealed = request.sealed;
  message.signed_and_verified = request.verified;
  message.position = static_cast<std::uint32_t>(position);
  message.count = static_cast<std::uint32_t>(count);
  message.path = request.path;
  message.element = request.element;
  server_.log().write(message);
}

Task<Answer> Connection::answer_to(Request& request, NtStatus checked) {
  if (request.fault(FaultKind::ignore)) {
    Answer nothing;
    nothing.none = true;
    co_return std::move(nothing);
  }
  if (const Fault* fault = request.fault(FaultKind::status)) {
    if (fault->status == NtStatus::network_session_expired && request.session) {
      request.session->state = SessionState::expired;
    }
    co_return Answer::refusal(fault->status);
  }
  if (checked != NtStatus::success) co_return Answer::refusal(checked);

  const Fault* const pending = request.fault(FaultKind::pending);
  const bool for_ever = request.fault(FaultKind::pending_for_ever) != nullptr;
  if (pending || for_ever) {
    go_async(request);
    const Duration wait = for_ever ? Duration::max() : Duration(pending->delay);
    co_await pause(request, wait);
    if (request.is_cancelled) co_return Answer::refusal(NtStatus::cancelled);
  }
  Answer answer = co_await handle(request);
  if (const Fault* fault = request.fault(FaultKind::status_after)) {
    co_return Answer::refusal(fault->status);
  }
  co_return std::move(answer);
}

Task<Answer> Connection::handle(Request& request) {
  switch (request.header.command) {
    case Command::negotiate: return server::negotiate(request);
    case Command::session_setup: return server::session_setup(request);
    case Command::logoff: return server::logoff(request);
    case Command::tree_connect: return server::tree_connect(request);
    case Command::tree_disconnect: return server::tree_disconnect(request);
    case Command::create: return server::create(request);
    case Command::close: return server::close(request);
    case Command::flush: return server::flush(request);
    case Command::read: return server::read(request);
    case Command::write: return server::write(request);
    case Command::lock: return server::lock(request);
    case Command::ioctl: return server::ioctl(request);
    case Command::query_directory: return server::query_directory(request);
    case Command::change_notify: return server::change_notify(request);
    case Command::query_info: return server::query_info(request);
    case Command::set_info: return server::set_info(request);
    case Command::oplock_break: return server::oplock_break(request);
    default: return server::echo(request);
  }
}

// [MS-SMB2] 3.3.5.16
void Connection::cancel(const Request& request) {
  for (Request* target : requests_) {
    const bool is_meant = request.header.is_async()
                              ? target->is_async && target->async_id == request.header.async_id
                              : target->header.message_id == request.header.message_id;
    if (!is_meant) continue;
    target->is_cancelled = true;
    target->cancelled->set();
  }
}

// Until the time is over, the request is cancelled, or the connection ends.
Task<void> Connection::pause(Request& request, Duration time) {
  Reactor& reactor = server_.reactor();
  const TimePoint until = time >= never - reactor.now() ? never : reactor.now() + time;
  Timer timer(reactor);
  timer.set(until, [](void* event) { static_cast<Event*>(event)->set(); }, request.cancelled);
  while (!request.is_cancelled && !ended_ && reactor.now() < until) {
    co_await request.cancelled->wait();
  }
}

// What the answer hands on to the next element, and what faults make of it.
void Connection::conclude(Request& request, Answer answer) {
  Chain& chain = request.chain;
  chain.status = answer.status;
  chain.session_id = answer.session_id.value_or(request.header.session_id);
  chain.tree_id = answer.tree_id.value_or(request.header.tree_id);
  if (request.fault(FaultKind::restart_node)) return server_.restart();
  if (request.fault(FaultKind::silence)) return fall_silent();
  if (request.fault(FaultKind::reset)) return end(FrameEnd::reset, "reset by a fault");
  if (request.fault(FaultKind::close)) return enqueue_end(FrameEnd::close);
  if (answer.none || request.fault(FaultKind::drop)) return;

  Outgoing outgoing;
  outgoing.header = header_for(request, answer);
  outgoing.protection = answer.protection ? answer.protection : request.protection;
  // Also what was signed wrongly: [MS-SMB2] 3.3.4.1.1 asks no more.
  outgoing.sign = answer.sign || request.header.is_signed();
  outgoing.seal = must_seal(request);
  outgoing.faults = std::move(request.faults);
  outgoing.path = std::move(request.path);
  outgoing.information = request.information;
  outgoing.answer = std::move(answer);
  request.frame->answers.push_back(std::move(outgoing));
}

// [MS-SMB2] 3.3.4.1.4, of answers to requests that came in the clear.
bool Connection::must_seal(const Request& request) {
  const Command command = request.header.command;
  if (command == Command::negotiate || command == Command::session_setup) return false;
  if (request.session && request.session->encrypt) return true;
  return command != Command::tree_connect && request.tree && request.tree->encrypt;
}

}  // namespace smb3::server
