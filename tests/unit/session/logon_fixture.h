// Logons with real NTLM. The server is an acceptor of GSSAPI in this process.
#pragma once

#include "crypto/key_derivation.h"
#include "support/session_fixture.h"
#include "unit/auth/gss_acceptor.h"

#include <functional>
#include <memory>

namespace smb3::test {

// What the server knows when it answers the last request of a logon.
struct Final {
  Element request;
  Octets token;
  std::unique_ptr<PeerKeys> keys;
};

class LogonTest : public SessionTest {
 protected:
  void SetUp() override {
    ::setenv("NTLM_USER_FILE", folder_.write("users", "LAB:alice:Passw0rd!\n").c_str(), 1);
    ::setenv("KRB5_CONFIG", folder_.write("krb5.conf", "").c_str(), 1);
    SessionTest::SetUp();
    acceptor_ = std::make_unique<GssAcceptor>(gss::MechanismKind::ntlm);
    spnego_ = std::make_unique<SpnegoAcceptor>(*acceptor_, spnego::ntlmssp);
    connect_negotiated(64);
    negotiated_.cipher = Cipher::aes_128_gcm;
    negotiated_.signing = SigningAlgorithm::aes_128_gmac;
    negotiated_.max_read_bytes = negotiated_.max_write_bytes = 1 << 20;
  }

  static LogonRequest alice(std::string_view password = "Passw0rd!") {
    LogonRequest logon;
    logon.user = "LAB\\alice";
    logon.password = SecretString(password);
    logon.kerberos = KerberosUse::off;
    return logon;
  }

  // All but the last answer. `chain`: what the server has seen of NEGOTIATE.
  Final converse(PreauthIntegrity chain = {}) {
    Final final;
    final.request = peer_.receive();
    Octets token = accept(final.request, chain);
    const Octets reply =
        session_setup_answer(final.request, token, in_session(NtStatus::more_processing_required));
    EXPECT_TRUE(chain.update(reply));
    peer_.send_frame(reply);
    final.request = peer_.receive();
    if (final.request.bytes.empty()) return final;
    final.token = accept(final.request, chain);
    if (!acceptor_->complete) return final;
    const Octets key = acceptor_->session_key();
    SessionKeys keys = derive_session_keys(key, negotiated_.cipher, chain).value();
    std::optional<Sealer> sealer;
    if (negotiated_.cipher != Cipher::none) {
      sealer = Sealer::create(negotiated_.cipher, keys.decryption, keys.encryption).value();
    }
    final.keys = std::make_unique<PeerKeys>(
        test_session, Signer::create(negotiated_.signing, keys.signing).value(), std::move(sealer));
    return final;
  }
  static Octets final_answer(const Final& final, wire::SessionFlags flags = {}) {
    return session_setup_answer(final.request, final.token, in_session(NtStatus::success), flags);
  }

  void log_on(SecurityPolicy policy = {}, wire::SessionFlags flags = {}) {
    auto logon = start_logon(alice(), policy);
    Final final = converse();
    ASSERT_TRUE(final.keys);
    peer_.send_frame(final.keys->sign(final_answer(final, flags)));
    auto session = logon->result();
    ASSERT_TRUE(session) << describe(session.error());
    session_ = std::move(*session);
    keys_ = std::move(final.keys);
  }
  // The server's side of a renewal, up to the last answer. The requests are taken off by `receive`
  // and the answer sent by `send`, which check and make their protection.
  Final renew(const std::function<Element()>& receive, const std::function<void(Octets)>& send) {
    acceptor_ = std::make_unique<GssAcceptor>(gss::MechanismKind::ntlm);
    spnego_ = std::make_unique<SpnegoAcceptor>(*acceptor_, spnego::ntlmssp);
    PreauthIntegrity unused;
    Final final;
    final.request = receive();
    EXPECT_EQ(final.request.header.command, wire::Command::session_setup);
    EXPECT_EQ(final.request.header.session_id, test_session);
    const Octets token = accept(final.request, unused);
    send(
        session_setup_answer(final.request, token, in_session(NtStatus::more_processing_required)));
    final.request = receive();
    EXPECT_EQ(final.request.header.session_id, test_session);
    final.token = accept(final.request, unused);
    return final;
  }
  // One that shall fail: `spoil` makes the last answer.
  Result<std::unique_ptr<Session>> log_on_with(const std::function<Octets(const Final&)>& spoil) {
    auto logon = start_logon(alice());
    const Final final = converse();
    EXPECT_TRUE(final.keys);
    peer_.send_frame(spoil(final));
    return logon->result();
  }
  void connect_tree(wire::ShareFlags flags = {}) {
    auto connecting = start_tree_connect();
    const Element request = session_->seals() ? receive_sealed() : peer_.receive();
    if (!session_->seals()) {
      EXPECT_TRUE(keys_->verifies(request)) << "TREE_CONNECT is signed in any case";
    }
    const Octets reply = tree_answer(request, flags);
    peer_.send_frame(session_->seals() ? keys_->seal(reply) : keys_->sign(reply));
    auto tree = connecting->result();
    ASSERT_TRUE(tree) << describe(tree.error());
    tree_ = std::move(*tree);
  }
  Element receive_sealed() {
    auto requests = keys_->unseal(peer_.receive_frame());
    EXPECT_EQ(requests.size(), 1U);
    return requests.empty() ? Element{} : std::move(requests.front());
  }

  TemporaryFolder folder_;
  std::unique_ptr<GssAcceptor> acceptor_;
  std::unique_ptr<SpnegoAcceptor> spnego_;
  std::unique_ptr<PeerKeys> keys_;

  Octets accept(const Element& request, PreauthIntegrity& chain) {
    EXPECT_TRUE(chain.update(request.bytes));
    const auto message = request.as<wire::SessionSetupRequest>();
    return spnego_->step(message.security_buffer).value_or(Octets{});
  }
};

}  // namespace smb3::test
