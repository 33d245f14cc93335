#include "fuzz/server_script.h"

#include "fuzz/fake_authenticator.h"
#include "wire/error_response.h"
#include "wire/negotiate.h"
#include "wire/oplock_break.h"

namespace smb3::fuzz {
namespace {

constexpr NtStatus statuses[] = {
#define SMB3_STATUS(name, value, kind, words) NtStatus::name,
#include "base/nt_status.inc"
#undef SMB3_STATUS
};

constexpr Cipher ciphers[] = {Cipher::none, Cipher::aes_128_ccm, Cipher::aes_128_gcm,
                              Cipher::aes_256_ccm, Cipher::aes_256_gcm};
constexpr SigningAlgorithm algorithms[] = {
    SigningAlgorithm::hmac_sha256, SigningAlgorithm::aes_128_cmac, SigningAlgorithm::aes_128_gmac};

}  // namespace

Conversation Conversation::read(Input& input) {
  Conversation read;
  const std::uint8_t cipher = input.byte() % 6;
  read.has_cipher_context = cipher < std::size(ciphers);
  if (read.has_cipher_context) read.cipher = ciphers[cipher];
  const std::uint8_t signing = input.byte() % 4;
  read.has_signing_context = signing < std::size(algorithms);
  if (read.has_signing_context) read.signing = algorithms[signing];
  const auto flags = input.number<std::uint16_t>();
  bool* const switches[] = {&read.requires_signing, &read.session_seals, &read.share_seals,
                            &read.two_legs,         &read.compounds,     &read.ends,
                            &read.is_silent,        &read.anonymous,     &read.policy_sign,
                            &read.policy_encrypt};
  for (std::size_t i = 0; i < std::size(switches); ++i) *switches[i] = (flags >> i & 1) != 0;
  read.large_mtu = (flags >> 15) == 0;
  const std::uint8_t credits = input.byte();
  read.credits = credits < 64 ? credits : static_cast<std::uint16_t>((credits - 63) * 8);
  return read;
}

ServerScript::ServerScript(MemoryReactor& reactor, Bytes input)
    : reactor_(reactor), input_(input), conversation_(Conversation::read(input_)) {}

void ServerScript::feed(Bytes frame) {
  stream_.insert(stream_.end(), frame.begin(), frame.end());
  reactor_.feed(socket_, frame);
}

void ServerScript::sent(int socket, Bytes bytes) {
  socket_ = socket;
  incoming_.insert(incoming_.end(), bytes.begin(), bytes.end());
  while (auto frame = take_frame(incoming_)) handle_frame(std::move(*frame));
}

void ServerScript::handle_frame(Octets frame) {
  Bytes message = frame;
  const auto sealed_by = sealed_session_id(frame);
  if (sealed_by) {
    require(keys_ && keys_->sealer, "the client seals without keys");
    const auto nonce = load_le<std::uint64_t>(frame.data() + 20);
    require(nonces_seen_.insert(nonce).second, "the client uses a nonce twice");
    auto plain = keys_->sealer->unseal(frame);
    require(plain.has_value(), "the client's frame does not decrypt");
    message = *plain;
  }
  std::vector<Octets> elements;
  wire::CompoundSplitter splitter(message);
  while (true) {
    auto element = splitter.next();
    require(element.has_value(), "the client's frame is malformed");
    if (!*element) break;
    check_request(**element, sealed_by.has_value());
    auto answer = answer_to(**element, sealed_by.has_value());
    if (!answer) continue;
    Octets bytes = finished(**element, *answer);
    if (conversation_.compounds && (*element)->header.next_command != 0) {
      // The next answer follows in the same frame; this one is signed with its padding.
      bytes.resize(align_up(bytes.size(), 8));
      store_le(bytes.data() + 20, static_cast<std::uint32_t>(bytes.size()));
      if (answer->sign) keys_->sign(bytes);
      elements.push_back(std::move(bytes));
      continue;
    }
    elements.push_back(std::move(bytes));
    Octets whole;
    for (const Octets& each : elements) whole.insert(whole.end(), each.begin(), each.end());
    elements.clear();
    deliver(*answer, whole);
  }
}

void ServerScript::check_request(const wire::CompoundElement& element, bool sealed) {
  const wire::PacketHeader& header = element.header;
  requests_.push_back(
      {header.command, {element.bytes.begin() + wire::header_bytes, element.bytes.end()}});
  require(!header.is_response(), "the client sends a response");
  if (header.command != wire::Command::cancel) {
    const std::uint64_t charge = std::max<std::uint64_t>(header.credit_charge, 1);
    require(header.message_id == next_message_id_, "the client leaves the order of MessageIds");
    next_message_id_ += charge;
    require(!grants_known_ || next_message_id_ <= granted_,
            "the client takes more than its credits");
  }
  if (header.is_signed()) {
    require(keys_.has_value(), "the client signs without keys");
    require(keys_->signer.verify(element.bytes).has_value(), "the client's signature is wrong");
  }
  if (!keys_ || header.session_id == 0 || header.command == wire::Command::session_setup) return;
  if (conversation_.policy_encrypt) {
    require(sealed, "a request is not sealed although it must be");
  } else if (conversation_.policy_sign || header.command == wire::Command::tree_connect) {
    require(sealed || header.is_signed(), "a request is not signed although it must be");
  }
}

std::optional<ServerScript::Answer> ServerScript::answer_to(const wire::CompoundElement& element,
                                                            bool sealed) {
  const wire::PacketHeader& request = element.header;
  if (request.command == wire::Command::cancel || ended_) return std::nullopt;
  if (input_.empty() && (conversation_.ends || conversation_.is_silent)) {
    if (conversation_.ends) reactor_.end_stream(socket_);
    ended_ = true;
    return std::nullopt;
  }
  const std::uint8_t instruction = input_.byte();
  if (instruction == raw_bytes) {
    grants_known_ = false;
    feed(input_.block());
    return std::nullopt;
  }
  Answer answer;
  answer.header.command = request.command;
  answer.header.flags = wire::HeaderFlags::server_to_redir;
  answer.header.credit_charge = request.credit_charge;
  answer.header.credits =
      std::max({request.credit_charge, conversation_.credits, std::uint16_t{1}});
  answer.header.message_id = request.message_id;
  answer.header.tree_id = request.tree_id;
  answer.header.session_id = request.session_id;
  if (request.command == wire::Command::tree_connect) answer.header.tree_id = 5;
  if (request.command == wire::Command::session_setup && request.session_id == 0) {
    answer.header.session_id = 0x1122334455667788;
  }
  answer.is_protected = sealed || request.is_signed();
  answer.seal = sealed;
  answer.sign = !sealed && request.is_signed();
  const NtStatus status = right_answer(element, answer.body);
  answer.header.status = static_cast<std::uint32_t>(status);
  change(answer, instruction);
  return answer;
}

// As the script wants it.
void ServerScript::change(Answer& answer, std::uint8_t instruction) {
  if (instruction & own_body) {
    const Bytes body = input_.block();
    answer.body.assign(body.begin(), body.end());
  }
  if (instruction & own_status) {
    const std::uint8_t place = input_.byte();
    answer.header.status = place == 255
                               ? input_.number<std::uint32_t>()
                               : static_cast<std::uint32_t>(statuses[place % std::size(statuses)]);
    if (is_error(answer.header.nt_status()) && !(instruction & own_body)) {
      answer.body = body_of(wire::ErrorResponse{});
    }
  }
  if (instruction & own_header) {
    edit(answer.header, input_);
    answer.header_edited = true;
  }
  if (instruction & forged) answer.forgery = input_.byte();
  if (instruction & interim) {
    answer.header.flags |= wire::HeaderFlags::async_command;
    answer.header.async_id = answer.header.message_id + 0x100;
    send_interim(answer);
  }
  answer.hold = (instruction & held) != 0;
  if (instruction & oplock_break) send_break();
  if (instruction & patched) {
    const std::size_t at = input_.number<std::uint16_t>();
    const Bytes bytes = input_.block();
    for (std::size_t i = 0; i < bytes.size() && at + i < answer.body.size(); ++i) {
      answer.body[at + i] = bytes[i];
    }
  }
}

void ServerScript::send_interim(const Answer& answer) {
  wire::PacketHeader header = answer.header;
  header.status = static_cast<std::uint32_t>(NtStatus::pending);
  Octets element = element_of(header, body_of(wire::ErrorResponse{}));
  granted_ += header.credits;
  if (answer.seal) element = keys_->seal(session_id_, element);
  feed(framed(element));
}

void ServerScript::send_break() {
  wire::OplockBreak body;
  body.oplock_level = static_cast<wire::OplockLevel>(input_.byte());
  const std::uint64_t file = input_.byte();
  body.file_id = {.persistent = 2 * file + 1, .volatile_id = 2 * file + 2};
  wire::PacketHeader header;
  header.command = wire::Command::oplock_break;
  header.flags = wire::HeaderFlags::server_to_redir;
  header.message_id = wire::unsolicited_message_id;
  feed(framed(element_of(header, body_of(body))));
}

// The bytes of an answer, signed if they are to be.
Octets ServerScript::finished(const wire::CompoundElement& request, Answer& answer) {
  granted_ += answer.header.credits;
  Octets element = element_of(answer.header, answer.body);
  learn(request, answer, element);
  if (answer.sign && keys_) keys_->sign(element);
  return element;
}

// What both sides know from here on.
void ServerScript::learn(const wire::CompoundElement& request, Answer& answer, Octets& element) {
  if (answer.header.command == wire::Command::negotiate) {
    static_cast<void>(preauth_.update(request.bytes));
    static_cast<void>(preauth_.update(element));
    negotiated(element);
  }
  if (request.header.command != wire::Command::session_setup || keys_) return;
  if (request.header.session_id == 0) chain_ = preauth_;
  static_cast<void>(chain_.update(request.bytes));
  if (answer.header.nt_status() == NtStatus::more_processing_required) {
    static_cast<void>(chain_.update(element));
  }
  session_id_ = answer.header.session_id;
  if (answer.header.nt_status() != NtStatus::success || conversation_.anonymous) return;
  keys_ = SideKeys::derive(Side::server, known_session_key(), cipher_, signing_, chain_);
  answer.sign = keys_.has_value();
  if (answer.forgery) must_not_log_on_ = true;
}

void ServerScript::negotiated(Bytes answer) {
  auto response = wire::decode<wire::NegotiateResponse>(answer);
  if (!response) return;
  for (const wire::NegotiateContext& context : response->contexts) {
    if (context.context_type == wire::NegotiateContextType::encryption_capabilities) {
      auto encryption = wire::decode<wire::EncryptionCapabilities>(context.data);
      if (encryption && !encryption->ciphers.empty()) cipher_ = encryption->ciphers.front();
    } else if (context.context_type == wire::NegotiateContextType::signing_capabilities) {
      auto signing = wire::decode<wire::SigningCapabilities>(context.data);
      if (signing && !signing->signing_algorithms.empty()) {
        signing_ = signing->signing_algorithms.front();
      }
    }
  }
}

void ServerScript::deliver(const Answer& answer, Bytes message) {
  Octets element(message.begin(), message.end());
  Octets frame = element;
  if (answer.seal) frame = keys_->seal(session_id_, element);
  if (answer.forgery) {
    const std::uint8_t kind = *answer.forgery;
    if (answer.seal) {
      // In the clear; the same with a signature, which is not enough; or damaged anywhere behind
      // the session's id.
      if (kind % 3 != 1) frame = element;
      if (kind % 3 == 2) keys_->sign(frame);
      if (kind % 3 == 1) frame[frame.size() - 1 - kind % 16] ^= std::byte{1};
    } else if (kind % 2 == 0) {
      frame[16] &= std::byte{0xF7};  // no SMB2_FLAGS_SIGNED
    } else {
      frame[wire::signature_offset + kind % 16] ^= std::byte{1};
    }
  }
  const NtStatus status = answer.header.nt_status();
  const bool is_logon = answer.header.command == wire::Command::session_setup;
  if (answer.forgery && answer.is_protected && !answer.header_edited &&
      status != NtStatus::pending && (!is_logon || status == NtStatus::success)) {
    must_have_failed_ = true;
  }
  if (answer.hold) {
    held_.push_back(framed(frame));
    return;
  }
  feed(framed(frame));
  for (const Octets& late : std::exchange(held_, {})) feed(late);
}

}  // namespace smb3::fuzz
