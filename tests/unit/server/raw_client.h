// Acceptors that believe everything, and a client that sends what a test tells it to, right or
// wrong.
#pragma once

#include "crypto/key_derivation.h"
#include "support/answers.h"
#include "support/server/acceptor.h"
#include "wire/echo.h"
#include "wire/negotiate.h"
#include "wire/session_setup.h"
#include "wire/tree_connect.h"

#include <gtest/gtest.h>

namespace smb3::server::test {

using smb3::test::compound;
using smb3::test::Element;
using smb3::test::message;
using smb3::test::Octets;
using smb3::test::patience;
using smb3::test::split;
using std::chrono::milliseconds;

inline Octets octets(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

// "more": asks for another token; "guest", "anonymous"; "wrong": refused; all else is a user's
// name, whose session key is sixteen times its first letter.
class CredulousAcceptor final : public Acceptor {
 public:
  StatusOr<AcceptorStep> step(Bytes token) override {
    user_.assign(reinterpret_cast<const char*>(token.data()), token.size());
    if (user_ == "wrong") return refuse(NtStatus::logon_failure);
    AcceptorStep step;
    step.done = user_ != "more";
    step.token = octets(step.done ? "welcome" : "go on");
    return step;
  }
  Result<Logon> logon() override {
    Logon logon;
    logon.guest = user_ == "guest";
    logon.anonymous = user_ == "anonymous";
    logon.user = user_;
    logon.mechanism = "none";
    if (!logon.guest && !logon.anonymous) logon.session_key = KeyMaterial(key_of(user_));
    return logon;
  }
  static Octets key_of(const std::string& user) {
    return Octets(16, static_cast<std::byte>(user.front()));
  }

 private:
  std::string user_;
};

class CredulousAcceptors final : public AcceptorFactory {
 public:
  std::vector<std::byte> hint() const override { return octets("hint"); }
  std::unique_ptr<Acceptor> make() override { return std::make_unique<CredulousAcceptor>(); }
};

// What a client knows of its session.
struct ClientSession {
  std::uint64_t id = 0;
  std::optional<SessionKeys> keys;
  std::optional<Signer> signer;  // of this connection's channel
  std::optional<Sealer> sealer;
};

enum class As : std::uint8_t { plain, signed_message, sealed };

class RawClient {
 public:
  explicit RawClient(const std::string& address) {
    const auto port = static_cast<std::uint16_t>(std::stoi(address.substr(address.rfind(':') + 1)));
    sockaddr_in to{.sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {}, .sin_zero = {}};
    ::inet_pton(AF_INET, "127.0.0.1", &to.sin_addr);
    fd_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    EXPECT_EQ(::connect(fd_, reinterpret_cast<sockaddr*>(&to), sizeof to), 0);
    client_guid.bytes.fill(std::byte{7});
  }
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;
  ~RawClient() { close(); }
  void close() {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }

  // The header of the next request.
  wire::PacketHeader next(wire::Command command, std::uint16_t charge = 1) {
    wire::PacketHeader header;
    header.command = command;
    header.credit_charge = charge;
    header.credits = std::max<std::uint16_t>(charge, 1);
    header.message_id = message_id_;
    message_id_ += charge;
    header.session_id = session.id;
    header.tree_id = tree_id;
    return header;
  }
  template <wire::Message M>
  Octets request(const M& body, std::uint16_t charge = 1) {
    return message(next(M::command, charge), body);
  }

  void send_bytes(Bytes bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent < 0) return;
      bytes = bytes.subspan(static_cast<std::size_t>(sent));
    }
  }
  void send(Octets element, As as = As::plain) {
    if (as == As::signed_message) sign(element, *session.signer);
    if (as == As::sealed) element = seal(element);
    Octets frame(4);
    store_be(frame.data(), static_cast<std::uint32_t>(element.size()));
    frame.insert(frame.end(), element.begin(), element.end());
    send_bytes(frame);
  }
  static void sign(Octets& element, Signer& signer) {
    const Bytes rest[] = {Bytes(element).subspan(wire::header_bytes)};
    EXPECT_TRUE(signer.sign(MutableBytes(element).first(wire::header_bytes), rest));
  }
  Octets seal(Bytes element) {
    Nonce nonce{};
    store_le(nonce.data(), ++nonces_);
    Octets frame(transform_header_bytes + element.size());
    const Bytes pieces[] = {element};
    EXPECT_TRUE(session.sealer->seal(session.id, nonce, pieces, frame));
    return frame;
  }

  // Fewer bytes only at the end of the stream, or when nothing comes.
  Octets read(std::size_t count, std::chrono::nanoseconds time = patience) {
    Octets bytes(count);
    std::size_t done = 0;
    while (done < count && readable(time)) {
      const ssize_t more = ::recv(fd_, bytes.data() + done, count - done, 0);
      if (more <= 0) break;
      done += static_cast<std::size_t>(more);
    }
    bytes.resize(done);
    return bytes;
  }
  Octets receive_frame() {
    const Octets prefix = read(4);
    if (prefix.size() < 4) return {};
    return read(load_be<std::uint32_t>(prefix.data()));
  }
  // The answers of one frame, unsealed if it is sealed.
  std::vector<Element> receive_all() {
    Octets frame = receive_frame();
    last_was_sealed = sealed_session_id(frame).has_value();
    if (!last_was_sealed) return split(frame);
    auto plain = session.sealer->unseal(frame);
    if (plain) return split(*plain);
    ADD_FAILURE() << describe(plain.error());
    return {};
  }
  Element receive() {
    std::vector<Element> elements = receive_all();
    if (elements.size() == 1) return std::move(elements.front());
    ADD_FAILURE() << elements.size() << " answers in a frame";
    return {};
  }
  Element ask(Octets element, As as = As::plain) {
    send(std::move(element), as);
    return receive();
  }
  NtStatus status_of(Octets element, As as = As::plain) {
    return ask(std::move(element), as).header.nt_status();
  }
  bool verifies(const Element& answer) {
    return answer.header.is_signed() && session.signer->verify(answer.bytes).has_value();
  }

  bool is_quiet(milliseconds time = smb3::test::a_while) const { return !readable(time); }
  // The end of the stream, after which nothing came: FIN, or a reset.
  enum class End : std::uint8_t { none, fin, reset };
  End end() {
    std::byte some[4096];
    while (readable(patience)) {
      const ssize_t got = ::recv(fd_, some, sizeof some, 0);
      if (got == 0) return End::fin;
      if (got < 0) return End::reset;
    }
    return End::none;
  }
  bool sees_end() { return end() != End::none; }

  wire::NegotiateRequest negotiation() {
    wire::NegotiateRequest request;
    request.client_guid = client_guid;
    request.capabilities = wire::Capabilities::large_mtu | wire::Capabilities::encryption |
                           wire::Capabilities::multi_channel;
    request.dialects = {wire::Dialect::smb_3_1_1};
    wire::PreauthIntegrityCapabilities preauth;
    preauth.hash_algorithms = {HashAlgorithm::sha_512};
    preauth.salt = salt_;
    preauth_data_.clear();
    cipher_data_.clear();
    signing_data_.clear();
    request.contexts.push_back(wire::make_context(preauth, preauth_data_));
    wire::EncryptionCapabilities encryption;
    encryption.ciphers = {cipher};
    if (cipher != Cipher::none) {
      request.contexts.push_back(wire::make_context(encryption, cipher_data_));
    }
    wire::SigningCapabilities capabilities;
    capabilities.signing_algorithms = {signing};
    request.contexts.push_back(wire::make_context(capabilities, signing_data_));
    return request;
  }
  Element negotiate() {
    Octets request = message(next(wire::Command::negotiate), negotiation());
    Element answer = ask(request);
    EXPECT_TRUE(preauth.update(request));
    EXPECT_TRUE(preauth.update(answer.bytes));
    return answer;
  }

  struct LogonOptions {
    wire::SessionSetupFlags flags = wire::SessionSetupFlags::none;
    wire::SecurityMode mode = wire::SecurityMode::signing_enabled;
    std::uint64_t previous = 0;
    Signer* signed_by = nullptr;
  };
  // One leg; its answer. After success the keys are there.
  Element set_up(const std::string& token, LogonOptions options) {
    wire::SessionSetupRequest body;
    body.flags = options.flags;
    body.security_mode = options.mode;
    body.previous_session_id = options.previous;
    const Octets buffer = octets(token);
    body.security_buffer = buffer;
    Octets request = this->request(body);
    if (options.signed_by) sign(request, *options.signed_by);
    if (!chain_) chain_ = preauth;
    EXPECT_TRUE(chain_->update(request));
    Element answer = ask(std::move(request));
    if (answer.header.nt_status() == NtStatus::more_processing_required) {
      EXPECT_TRUE(chain_->update(answer.bytes));
      session.id = answer.header.session_id;
    }
    return answer;
  }
  // A new session, in one leg or two.
  Element log_on(const std::string& user) { return log_on(user, LogonOptions{}); }
  Element log_on(const std::string& user, LogonOptions options) {
    session = {};
    tree_id = 0;
    chain_.reset();
    Element answer = set_up(user, options);
    session.id = answer.header.session_id;
    if (answer.header.nt_status() != NtStatus::success) return answer;
    if (user != "guest" && user != "anonymous") derive(user);
    return answer;
  }
  // The keys, after the last leg.
  void derive(const std::string& user) {
    auto keys = derive_session_keys(CredulousAcceptor::key_of(user), cipher, *chain_);
    ASSERT_TRUE(keys);
    session.keys = std::move(*keys);
    take_keys(session.keys->signing, *session.keys);
  }
  // The session of another connection, on this one.
  Element bind(const RawClient& other, const std::string& user) {
    session = {};
    session.id = other.session.id;
    chain_.reset();
    Signer signer = *Signer::create(signing, other.session.keys->signing);
    LogonOptions options;
    options.flags = wire::SessionSetupFlags::binding;
    options.signed_by = &signer;
    Element answer = set_up(user, options);
    if (answer.header.nt_status() != NtStatus::success) return answer;
    const auto key = derive_channel_signing_key(CredulousAcceptor::key_of(user), *chain_);
    EXPECT_TRUE(key);
    take_keys(*key, *other.session.keys);
    return answer;
  }
  Octets tree_connect(const std::string& path,
                      wire::TreeConnectFlags flags = wire::TreeConnectFlags::none) {
    wire::TreeConnectRequest body;
    body.flags = flags;
    const auto utf16 = to_utf16(path);
    body.path = utf16;
    return request(body);
  }
  // With success.
  void connect_share(const std::string& name, As as = As::plain) {
    const Element answer = ask(tree_connect("\\\\server\\" + name), as);
    EXPECT_EQ(answer.header.nt_status(), NtStatus::success);
    tree_id = answer.header.tree_id;
  }
  static Octets to_utf16(const std::string& text) {
    Octets utf16;
    for (const char c : text) {
      utf16.push_back(static_cast<std::byte>(c));
      utf16.push_back(std::byte{0});
    }
    return utf16;
  }

  Cipher cipher = Cipher::aes_128_gcm;
  SigningAlgorithm signing = SigningAlgorithm::aes_128_gmac;
  wire::Guid client_guid;
  PreauthIntegrity preauth;
  ClientSession session;
  std::uint32_t tree_id = 0;
  bool last_was_sealed = false;

 private:
  bool readable(std::chrono::nanoseconds time) const {
    pollfd waiting{.fd = fd_, .events = POLLIN, .revents = 0};
    return ::poll(&waiting, 1, static_cast<int>(std::chrono::ceil<milliseconds>(time).count())) ==
           1;
  }
  void take_keys(const Key& signing_key, const SessionKeys& keys) {
    session.signer = *Signer::create(signing, signing_key);
    if (cipher != Cipher::none) {
      session.sealer = *Sealer::create(cipher, keys.encryption, keys.decryption);
    }
  }

  int fd_ = -1;
  std::uint64_t message_id_ = 0;
  std::uint64_t nonces_ = 0;
  std::optional<PreauthIntegrity> chain_;
  std::array<std::byte, 32> salt_{};
  ByteBuffer preauth_data_, cipher_data_, signing_data_;
};

}  // namespace smb3::server::test
