// Signed and encrypted traffic: what goes out, what must come in, and forgeries.
#include "connection/protection.h"
#include "support/connection_fixture.h"
#include "wire/write.h"

namespace smb3::test {
namespace {

constexpr std::uint64_t session_id = 7;

Key key_of(std::size_t bytes, std::uint8_t fill) {
  const Octets octets(bytes, std::byte{fill});
  return Key(octets);
}

class ProtectionTest : public ConnectionTest {
 protected:
  void connect_protected(SigningAlgorithm signing = SigningAlgorithm::aes_128_gmac,
                         Cipher cipher = Cipher::aes_128_gcm) {
    connect_negotiated(64);
    const auto signer = [&] { return Signer::create(signing, key_of(16, 0x51)).value(); };
    const auto sealer = [&](std::uint8_t ours, std::uint8_t theirs) {
      const std::size_t size = key_bytes(cipher);
      return Sealer::create(cipher, key_of(size, ours), key_of(size, theirs)).value();
    };
    protection_ = std::make_unique<Protection>(session_id, signer(), sealer(1, 2), NonceRange(0));
    server_ = std::make_unique<PeerKeys>(session_id, signer(), sealer(2, 1));
    on_reactor([this] { connection_->attach(*protection_); });
  }
  void TearDown() override {
    ConnectionTest::TearDown();
    on_reactor([this] { protection_.reset(); });
  }

  Prepare protect(ProtectionLevel level, Prepare prepare = read_of(100, 1)) {
    return [this, level, prepare = std::move(prepare)](Request& request) {
      prepare(request);
      request.session_id = session_id;
      request.protection = protection_.get();
      request.level = level;
    };
  }
  Element receive_sealed() {
    auto requests = server_->unseal(peer_.receive_frame());
    EXPECT_EQ(requests.size(), 1U);
    return requests.empty() ? Element{} : std::move(requests.front());
  }

  std::unique_ptr<Protection> protection_;
  std::unique_ptr<PeerKeys> server_;
};

class Signed : public ProtectionTest, public testing::WithParamInterface<SigningAlgorithm> {};

TEST_P(Signed, RequestsAndRepliesAreVerified) {
  connect_protected(GetParam());
  for (int i = 0; i < 3; ++i) {
    auto asked = start({protect(ProtectionLevel::sign)});
    const Element request = peer_.receive();
    EXPECT_TRUE(request.header.is_signed());
    EXPECT_TRUE(server_->verifies(request));
    peer_.send_frame(server_->sign(refusal(request, NtStatus::end_of_file)));
    auto result = asked->result();
    ASSERT_TRUE(result) << describe(result.error());
    EXPECT_EQ(result->front().status, NtStatus::end_of_file);
  }
}

TEST_P(Signed, EachMemberOfACompoundIsSignedWithItsPadding) {
  connect_protected(GetParam());
  const Prepare member = protect(ProtectionLevel::sign);
  auto asked = start({member, member, member});
  const auto requests = peer_.receive_compound();
  ASSERT_EQ(requests.size(), 3U);
  EXPECT_EQ(requests[0].bytes.size() % 8, 0U);
  for (const Element& request : requests) EXPECT_TRUE(server_->verifies(request));
  std::vector<Octets> answers;
  for (const Element& request : requests) {
    answers.push_back(refusal(request, NtStatus::end_of_file));
    answers.back().resize(align_up(answers.back().size(), 8));
    if (answers.size() == 3) break;
    store_le(answers.back().data() + 20, static_cast<std::uint32_t>(answers.back().size()));
  }
  Octets frame;
  for (const Octets& each : answers) {
    const Octets with_signature = server_->sign(each);
    frame.insert(frame.end(), with_signature.begin(), with_signature.end());
  }
  peer_.send_frame(frame);
  auto result = asked->result();
  EXPECT_TRUE(result) << describe(result.error());
}

TEST_P(Signed, AnUnsignedInterimAnswerCompletesNothing) {
  connect_protected(GetParam());
  auto asked = start({protect(ProtectionLevel::sign)});
  const Element request = peer_.receive();
  peer_.send_frame(interim(request, 5));
  EXPECT_FALSE(asked->ended_within(a_while));
  peer_.send_frame(server_->sign(refusal(request, NtStatus::end_of_file, async(5))));
  EXPECT_TRUE(asked->result());
}

TEST_P(Signed, AChangedReplyEndsTheConnection) {
  connect_protected(GetParam());
  auto asked = start({protect(ProtectionLevel::sign)});
  Octets reply = server_->sign(refusal(peer_.receive(), NtStatus::end_of_file));
  reply.back() ^= std::byte{1};
  peer_.send_frame(reply);
  EXPECT_TRUE(fails(asked->result(), ErrorKind::security, "signature"));
  EXPECT_TRUE(peer_.sees_end());
}

INSTANTIATE_TEST_SUITE_P(Algorithms, Signed,
                         testing::Values(SigningAlgorithm::hmac_sha256,
                                         SigningAlgorithm::aes_128_cmac,
                                         SigningAlgorithm::aes_128_gmac));

class Sealed : public ProtectionTest, public testing::WithParamInterface<Cipher> {};

TEST_P(Sealed, RequestsAndRepliesAreEncrypted) {
  connect_protected(SigningAlgorithm::aes_128_gmac, GetParam());
  for (int i = 0; i < 3; ++i) {
    auto asked = start({protect(ProtectionLevel::seal)});
    const Element request = receive_sealed();
    EXPECT_FALSE(request.header.is_signed());
    EXPECT_EQ(request.header.session_id, session_id);
    peer_.send_frame(server_->seal(refusal(request, NtStatus::end_of_file)));
    auto result = asked->result();
    ASSERT_TRUE(result) << describe(result.error());
    EXPECT_EQ(result->front().status, NtStatus::end_of_file);
  }
}

TEST_P(Sealed, ACompoundIsEncryptedOnce) {
  connect_protected(SigningAlgorithm::aes_128_gmac, GetParam());
  const Prepare member = protect(ProtectionLevel::seal);
  auto asked = start({member, member});
  const auto requests = server_->unseal(peer_.receive_frame());
  ASSERT_EQ(requests.size(), 2U);
  EXPECT_EQ(requests[0].bytes.size() % 8, 0U);
  peer_.send_frame(server_->seal(compound(
      {refusal(requests[0], NtStatus::no_memory), refusal(requests[1], NtStatus::end_of_file)})));
  const auto outcomes = asked->result().value();
  EXPECT_EQ(outcomes[0].status, NtStatus::no_memory);
  EXPECT_EQ(outcomes[1].status, NtStatus::end_of_file);
}

TEST_P(Sealed, ManyThatDoNotFitOneBufferGoOutAll) {
  connect_protected(SigningAlgorithm::aes_128_gmac, GetParam());
  const Octets data(400000, std::byte{0x77});
  std::vector<Asking> asked;
  for (int i = 0; i < 6; ++i) {
    asked.push_back(start({protect(ProtectionLevel::seal, [&data](Request& request) {
      wire::WriteRequest message;
      message.data = data;
      request.set(message);
      request.credit_charge = 7;
    })}));
  }
  for (int i = 0; i < 6; ++i) {
    const Element request = receive_sealed();
    EXPECT_TRUE(std::ranges::equal(request.as<wire::WriteRequest>().data, data));
    peer_.send_frame(server_->seal(refusal(request, NtStatus::disk_full)));
  }
  for (auto& each : asked) EXPECT_EQ(each->result().value().front().status, NtStatus::disk_full);
  EXPECT_EQ(data, Octets(400000, std::byte{0x77})) << "the plaintext stays as it was";
}

INSTANTIATE_TEST_SUITE_P(Ciphers, Sealed,
                         testing::Values(Cipher::aes_128_ccm, Cipher::aes_128_gcm,
                                         Cipher::aes_256_ccm, Cipher::aes_256_gcm));

using wire::HeaderFlags;

struct Forgery {
  const char* name;
  ProtectionLevel level;
  std::function<Octets(const Element& request, PeerKeys& server)> make;
  ErrorKind kind;
  const char* words;
};
class ForgedReply : public ProtectionTest, public testing::WithParamInterface<Forgery> {};

TEST_P(ForgedReply, EndsTheConnection) {
  connect_protected();
  auto asked = start({protect(GetParam().level)});
  const bool seals = GetParam().level == ProtectionLevel::seal;
  const Element request = seals ? receive_sealed() : peer_.receive();
  peer_.send_frame(GetParam().make(request, *server_));
  EXPECT_TRUE(fails(asked->result(), GetParam().kind, GetParam().words));
  EXPECT_TRUE(peer_.sees_end());
}

Octets end_of_file(const Element& request, const Edit& edit = {}) {
  return refusal(request, NtStatus::end_of_file, edit);
}
Octets flip(Octets frame, std::size_t at) {
  frame[at] ^= std::byte{0x80};
  return frame;
}

const Forgery forgeries[] = {
    {"UnsignedToSigned", ProtectionLevel::sign,
     [](const Element& request, PeerKeys&) { return end_of_file(request); }, ErrorKind::security,
     "not signed"},
    {"ZeroSignature", ProtectionLevel::sign,
     [](const Element& request, PeerKeys&) {
       return end_of_file(request, [](auto& h) { h.flags |= HeaderFlags::signed_message; });
     },
     ErrorKind::security, "signature"},
    {"WrongSignature", ProtectionLevel::sign,
     [](const Element& request, PeerKeys& server) {
       return flip(server.sign(end_of_file(request)), wire::signature_offset);
     },
     ErrorKind::security, "signature"},
    {"SessionDeletedUnsigned", ProtectionLevel::sign,
     [](const Element& request, PeerKeys&) {
       return refusal(request, NtStatus::user_session_deleted);
     },
     kind_of(NtStatus::user_session_deleted), "USER_SESSION_DELETED"},
    {"PlainToSealed", ProtectionLevel::seal,
     [](const Element& request, PeerKeys&) { return end_of_file(request); }, ErrorKind::security,
     "not encrypted"},
    {"SignedToSealed", ProtectionLevel::seal,
     [](const Element& request, PeerKeys& server) { return server.sign(end_of_file(request)); },
     ErrorKind::security, "not encrypted"},
    {"PlainInterimToSealed", ProtectionLevel::seal,
     [](const Element& request, PeerKeys&) { return interim(request, 5); }, ErrorKind::security,
     "interim response is not encrypted"},
    {"SealedForUnknownSession", ProtectionLevel::seal,
     [](const Element& request, PeerKeys& server) {
       return server.seal_for(session_id + 1, end_of_file(request));
     },
     ErrorKind::protocol, "no session of this connection"},
    {"InnerSessionDiffers", ProtectionLevel::seal,
     [](const Element& request, PeerKeys& server) {
       return server.seal(end_of_file(request, [](auto& h) { h.session_id = 8; }));
     },
     ErrorKind::protocol, "another session"},
    {"TagChanged", ProtectionLevel::seal,
     [](const Element& request, PeerKeys& server) {
       return flip(server.seal(end_of_file(request)), 4);
     },
     ErrorKind::security, "does not decrypt"},
    {"NonceChanged", ProtectionLevel::seal,
     [](const Element& request, PeerKeys& server) {
       return flip(server.seal(end_of_file(request)), 20);
     },
     ErrorKind::security, "does not decrypt"},
    {"CiphertextChanged", ProtectionLevel::seal,
     [](const Element& request, PeerKeys& server) {
       return flip(server.seal(end_of_file(request)), transform_header_bytes + 10);
     },
     ErrorKind::security, "does not decrypt"},
    {"SealedTwice", ProtectionLevel::seal,
     [](const Element& request, PeerKeys& server) {
       return server.seal(server.seal(end_of_file(request)));
     },
     ErrorKind::protocol, "within an encrypted message"},
};
INSTANTIATE_TEST_SUITE_P(All, ForgedReply, testing::ValuesIn(forgeries),
                         [](const auto& info) { return std::string(info.param.name); });

// A second element within a sealed frame that belongs to another session.
TEST_F(ProtectionTest, ASealedFrameSpeaksForItsSessionAlone) {
  connect_protected();
  auto other = start({read_of(100, 1), echo});  // of no session that has keys, in the clear
  const auto plain = peer_.receive_compound();
  ASSERT_EQ(plain.size(), 2U);
  peer_.send_frame(server_->seal(end_of_file(plain[1])));  // the ECHO has SessionId 0
  EXPECT_TRUE(fails(other->result(), ErrorKind::protocol, "another session than its frame"));
}

// More protection than was asked for does no harm.
TEST_F(ProtectionTest, ASealedReplyToASignedRequestIsTaken) {
  connect_protected();
  auto asked = start({protect(ProtectionLevel::sign)});
  peer_.send_frame(server_->seal(end_of_file(peer_.receive())));
  auto result = asked->result();
  EXPECT_TRUE(result) << describe(result.error());
}

TEST_F(ProtectionTest, OnlyAnAttachedSessionCanBeSpokenFor) {
  connect_protected();
  on_reactor([this] { connection_->detach(*protection_); });
  auto asked = start({protect(ProtectionLevel::seal)});
  peer_.send_frame(server_->seal(end_of_file(receive_sealed())));
  EXPECT_TRUE(fails(asked->result(), ErrorKind::protocol, "no session of this connection"));
}

TEST_F(ProtectionTest, ASessionWithoutACipherCannotBeSpokenForEncrypted) {
  connect_protected();
  on_reactor([this] {
    connection_->detach(*protection_);
    protection_ = std::make_unique<Protection>(
        session_id, Signer::create(SigningAlgorithm::aes_128_gmac, key_of(16, 0x51)).value(),
        std::nullopt, NonceRange(0));
    connection_->attach(*protection_);
  });
  auto asked = start({protect(ProtectionLevel::sign)});
  peer_.send_frame(server_->seal(end_of_file(peer_.receive())));
  EXPECT_TRUE(fails(asked->result(), ErrorKind::protocol, "no session of this connection"));
}

TEST_F(ProtectionTest, WithoutNoncesNothingIsSent) {
  connect_protected();
  on_reactor([this] {
    connection_->detach(*protection_);
    protection_ = std::make_unique<Protection>(
        session_id, Signer::create(SigningAlgorithm::aes_128_cmac, key_of(16, 1)).value(),
        Sealer::create(Cipher::aes_128_gcm, key_of(16, 1), key_of(16, 2)).value(),
        NonceRange(0, NonceRange::counters));
    connection_->attach(*protection_);
  });
  auto asked = start({protect(ProtectionLevel::seal)});
  EXPECT_TRUE(fails(asked->result(), ErrorKind::security, "nonces"));
  EXPECT_EQ(peer_.read(1).size(), 0U);
}

}  // namespace
}  // namespace smb3::test
