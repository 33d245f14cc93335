#include "fuzz/client_script.h"

#include "fuzz/fake_authenticator.h"
#include "wire/negotiate.h"
#include "wire/session_setup.h"
#include "wire/tree_connect.h"

namespace smb3::fuzz {
namespace {

using wire::Command;

// What a run may take: the fuzzer's lists of requests are long.
constexpr int requests_max = 64;

}  // namespace

ClientScript::ClientScript(MemoryReactor& reactor, Bytes input)
    : start(input.empty() ? 0 : std::to_integer<std::uint8_t>(input.front())),
      reactor_(reactor),
      input_(input.empty() ? input : input.subspan(1)) {}

server::ServerSettings ClientScript::settings() const {
  server::ShareSettings share;
  share.name = "data";
  share.guest_ok = true;
  share.size_bytes = 1 << 20;
  if (start & null_share) {
    share.store = server::StoreKind::null;
    share.null_file_bytes = 100'000;
  }
  server::ServerSettings settings;
  settings.shares = {share};
  settings.allow_guest = settings.allow_anonymous = true;
  settings.encrypt = (start & server_encrypts) != 0;
  settings.strict = (start & server_strict) != 0;
  if (start & server_signs) settings.signing = server::SigningPolicy::required;
  if (start & few_credits) settings.credits_max = 4;
  // A run's memory is bounded, and so is what it may ask for.
  settings.max_transact_bytes = settings.max_read_bytes = settings.max_write_bytes = 256 << 10;
  return settings;
}

SideKeys* ClientScript::keys() {
  const auto found = keys_.find(session_id_);
  return found == keys_.end() ? nullptr : &found->second;
}

wire::PacketHeader ClientScript::header_for(Command command, std::uint16_t charge) {
  wire::PacketHeader header;
  header.command = command;
  header.credit_charge = charge;
  header.credits = 64;
  header.message_id = message_id_;
  header.session_id = session_id_;
  header.tree_id = tree_id_;
  if (command != Command::cancel) message_id_ += std::max<std::uint16_t>(charge, 1);
  return header;
}

template <wire::Message M>
void ClientScript::request(const M& message, std::uint8_t instruction) {
  send(element_of(header_for(M::command, 1), body_of(message)), instruction, 0);
  reactor_.run_idle();
}

void ClientScript::begin() {
  wire::NegotiateRequest negotiate;
  negotiate.security_mode = wire::SecurityMode::signing_enabled;
  negotiate.capabilities = wire::Capabilities::large_mtu | wire::Capabilities::encryption |
                           wire::Capabilities::leasing | wire::Capabilities::persistent_handles;
  negotiate.dialects = {wire::Dialect::smb_3_1_1};
  ByteBuffer preauth_data, cipher_data;
  wire::PreauthIntegrityCapabilities preauth;
  preauth.hash_algorithms = {HashAlgorithm::sha_512};
  wire::EncryptionCapabilities encryption;
  encryption.ciphers = {Cipher::aes_128_gcm};
  negotiate.contexts = {wire::make_context(preauth, preauth_data),
                        wire::make_context(encryption, cipher_data)};
  request(negotiate);
  const std::byte name[] = {(start & anonymous_logon) ? std::byte{'a'} : std::byte{'u'}};
  wire::SessionSetupRequest setup;
  setup.security_mode = wire::SecurityMode::signing_enabled;
  setup.security_buffer = name;
  request(setup);
  Octets path;
  for (const char c : std::string_view("\\\\s\\data")) {
    path.push_back(static_cast<std::byte>(c));
    path.push_back(std::byte{0});
  }
  request(wire::TreeConnectRequest{.path = path},
          (start & server_encrypts) ? is_sealed : is_signed);
}

void ClientScript::run(int socket) {
  socket_ = socket;
  reactor_.run_idle();
  if (start & logged_on) begin();
  for (int i = 0; i < requests_max && !input_.empty(); ++i) next_request();
  reactor_.run_idle();
  reactor_.end_stream(socket);
}

void ClientScript::next_request() {
  const std::uint8_t instruction = input_.byte();
  if (instruction == raw_request) {
    reactor_.feed(socket_, input_.block());
    reactor_.run_idle();
    return;
  }
  const auto command = static_cast<Command>(input_.byte());
  const Bytes body = input_.block();
  const std::uint16_t charge = instruction & charged ? input_.byte() : std::uint16_t{1};
  wire::PacketHeader header = header_for(command, charge);
  if (instruction & related) header.flags |= wire::HeaderFlags::related_operations;
  if (instruction & header_edited) edit(header, input_);
  const std::uint8_t damage = instruction & damaged ? input_.byte() : std::uint8_t{0};
  Octets element = element_of(header, body);
  if ((instruction & joined) && !input_.empty()) {
    element.resize(align_up(element.size(), 8));
    store_le(element.data() + 20, static_cast<std::uint32_t>(element.size()));
    if ((instruction & is_signed) && keys()) keys()->sign(element);
    joined_.insert(joined_.end(), element.begin(), element.end());
    return;
  }
  send(std::move(element), instruction, damage);
  reactor_.run_idle();
  if (instruction & time_passes) {
    const Duration seconds = std::chrono::seconds(input_.byte());
    static_cast<void>(reactor_.run([] { return false; }, seconds));
  }
}

void ClientScript::send(Octets element, std::uint8_t instruction, std::uint8_t damage) {
  if ((instruction & is_signed) && keys()) keys()->sign(element);
  const auto header = wire::decode<wire::PacketHeader>(element);
  if (header && header->command == Command::negotiate) {
    static_cast<void>(preauth_.update(element));
  } else if (header && header->command == Command::session_setup) {
    if (header->session_id == 0) chain_ = preauth_;
    static_cast<void>(chain_.update(element));
  }
  Octets frame = std::exchange(joined_, {});
  frame.insert(frame.end(), element.begin(), element.end());
  if ((instruction & is_sealed) && keys() && keys()->sealer) {
    frame = keys()->seal(session_id_, frame);
  }
  if (damage != 0) frame[damage % frame.size()] ^= std::byte{damage};
  reactor_.feed(socket_, framed(frame));
}

void ClientScript::sent(int, Bytes bytes) {
  incoming_.insert(incoming_.end(), bytes.begin(), bytes.end());
  while (auto frame = take_frame(incoming_)) handle_frame(std::move(*frame));
}

void ClientScript::handle_frame(Octets frame) {
  Bytes message = frame;
  if (const auto session_id = sealed_session_id(frame)) {
    const auto keys = keys_.find(*session_id);
    if (keys == keys_.end() || !keys->second.sealer) return;
    auto plain = keys->second.sealer->unseal(frame);
    if (!plain) return;  // of a session whose logon we did not follow
    message = *plain;
  }
  wire::CompoundSplitter splitter(message);
  while (true) {
    auto answer = splitter.next();
    require(answer.has_value(), "the server's frame is malformed");
    if (!*answer) return;
    handle_answer(**answer);
  }
}

void ClientScript::handle_answer(const wire::CompoundElement& answer) {
  const wire::PacketHeader& header = answer.header;
  require(header.is_response(), "the server sends a request");
  const bool success = header.nt_status() == NtStatus::success;
  if (header.command == Command::negotiate && success) {
    static_cast<void>(preauth_.update(answer.bytes));
    cipher_ = Cipher::none;
    auto response = wire::decode<wire::NegotiateResponse>(answer.bytes);
    require(response.has_value(), "the server's NEGOTIATE does not decode");
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
  } else if (header.command == Command::session_setup) {
    if (header.nt_status() == NtStatus::more_processing_required) {
      static_cast<void>(chain_.update(answer.bytes));
    }
    if (success || header.nt_status() == NtStatus::more_processing_required) {
      session_id_ = header.session_id;
    }
    if (!success || keys_.contains(session_id_)) return;
    auto keys = SideKeys::derive(Side::client, known_session_key(), cipher_, signing_, chain_);
    if (keys) keys_.emplace(session_id_, std::move(*keys));
  } else if (header.command == Command::tree_connect && success) {
    tree_id_ = header.tree_id;
  }
}

}  // namespace smb3::fuzz
