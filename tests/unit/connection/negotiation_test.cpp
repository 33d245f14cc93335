// NEGOTIATE: what is offered, and every check of the answer ([MS-SMB2] 3.2.5.2).
#include "connection/negotiation.h"
#include "base/utf16.h"
#include "support/connection_fixture.h"

namespace smb3::test {
namespace {

// An answer that can be spoilt in every part.
struct Answer {
  wire::NegotiateResponse response;
  std::vector<std::unique_ptr<ByteBuffer>> storage;
  Edit edit;

  template <class Context>
  wire::NegotiateContext add(const Context& context) {
    storage.push_back(std::make_unique<ByteBuffer>());
    response.contexts.push_back(wire::make_context(context, *storage.back()));
    return response.contexts.back();
  }
  void preauth(std::vector<HashAlgorithm> hashes = {HashAlgorithm::sha_512}) {
    wire::PreauthIntegrityCapabilities context;
    context.hash_algorithms = std::move(hashes);
    add(context);
  }
  void encryption(std::vector<Cipher> ciphers) {
    wire::EncryptionCapabilities context;
    context.ciphers = std::move(ciphers);
    add(context);
  }
  void signing(std::vector<SigningAlgorithm> algorithms) {
    wire::SigningCapabilities context;
    context.signing_algorithms = std::move(algorithms);
    add(context);
  }
};

void good(Answer& answer) {
  answer.response.security_mode = wire::SecurityMode::signing_enabled;
  answer.response.server_guid.bytes.fill(std::byte{0x42});
  answer.response.capabilities = wire::Capabilities::large_mtu | wire::Capabilities::dfs;
  answer.response.max_transact_size = 1 << 20;
  answer.response.max_read_size = 2 << 20;
  answer.response.max_write_size = 3 << 20;
}

void complete(Answer& answer) {
  answer.preauth();
  answer.encryption({Cipher::aes_256_gcm});
  answer.signing({SigningAlgorithm::aes_128_gmac});
}

class Negotiation : public ConnectionTest {
 protected:
  static NegotiateOptions options() {
    NegotiateOptions options;
    options.server_name = "fs.lab.test";
    options.client_guid.bytes.fill(std::byte{0x17});
    options.ciphers = {Cipher::aes_128_gcm, Cipher::aes_256_gcm};
    options.signing_algorithms = {SigningAlgorithm::aes_128_gmac, SigningAlgorithm::aes_128_cmac};
    return options;
  }
  std::unique_ptr<Running<Negotiated>> start_negotiation(NegotiateOptions options) {
    return std::make_unique<Running<Negotiated>>(
        reactor(), [this, options] { return negotiate(*connection_, options); });
  }
  Result<Negotiated> negotiate_with(const std::function<void(Answer&)>& spoil) {
    connect();
    auto negotiating = start_negotiation(options());
    request_ = peer_.receive();
    Answer answer;
    good(answer);
    spoil(answer);
    reply_ = test::answer(request_, answer.response, answer.edit);
    peer_.send_frame(reply_);
    return negotiating->result();
  }

  Element request_;
  Octets reply_;
};

// What other servers say when they get a NEGOTIATE.
class Stranger : public Negotiation {
 protected:
  Result<Negotiated> meet(std::string_view answer, bool ends = false) {
    connect();
    auto negotiating = start_negotiation(options());
    peer_.receive();
    peer_.send(std::as_bytes(std::span(answer)));
    if (ends) peer_.close();
    return negotiating->result();
  }
};

TEST_F(Stranger, SpeaksHttp) {
  auto result = meet("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n");
  EXPECT_TRUE(fails(std::move(result), ErrorKind::protocol,
                    "fs.lab.test: does not speak SMB over TCP: it answers with 'HTTP'"));
}

TEST_F(Stranger, SpeaksSomethingElse) {
  auto result = meet(std::string_view("\x15\x03\x01\x00\x02\x02\x46", 7));
  EXPECT_TRUE(fails(std::move(result), ErrorKind::protocol, "does not speak SMB over TCP (NEGOT"));
}

// At least 35 bytes for an error, more for an answer.
TEST_F(Stranger, SpeaksSmb1) {
  for (const char length : {35, 100}) {
    std::string answer{'\0', '\0', '\0', length, '\xFF', 'S', 'M', 'B', 'r'};
    answer.resize(4 + static_cast<std::size_t>(length));
    auto result = meet(answer);
    EXPECT_TRUE(fails(std::move(result), ErrorKind::unsupported, "SMB 1 only"));
    close();
    closed_ = false;
    on_reactor([this] { connection_.reset(); });
  }
}

TEST_F(Stranger, EndsTheConnection) {
  auto result = meet("", true);
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().hint().find("SMB 3.1.1 and nothing older"), std::string::npos);
  EXPECT_TRUE(fails(std::move(result), ErrorKind::disconnected, "instead of an answer"));
}

TEST_F(Negotiation, Offers311Alone) {
  connect();
  auto first = start_negotiation(options());
  const Element request = peer_.receive();
  EXPECT_EQ(request.header.command, wire::Command::negotiate);
  EXPECT_EQ(request.header.message_id, 0U);
  EXPECT_EQ(request.header.session_id, 0U);
  const auto message = request.as<wire::NegotiateRequest>();
  EXPECT_EQ(message.dialects, std::vector{wire::Dialect::smb_3_1_1});
  EXPECT_EQ(message.security_mode, wire::SecurityMode::signing_enabled);
  EXPECT_EQ(message.client_guid, options().client_guid);
  EXPECT_TRUE(wire::has(message.capabilities,
                        wire::Capabilities::large_mtu | wire::Capabilities::encryption));
  ASSERT_EQ(message.contexts.size(), 4U);
  const auto preauth =
      wire::decode<wire::PreauthIntegrityCapabilities>(message.contexts[0].data).value();
  EXPECT_EQ(preauth.hash_algorithms, std::vector{HashAlgorithm::sha_512});
  EXPECT_EQ(preauth.salt.size(), 32U);
  EXPECT_TRUE(std::ranges::any_of(preauth.salt, [](auto b) { return b != std::byte{0}; }));
  const auto encryption =
      wire::decode<wire::EncryptionCapabilities>(message.contexts[1].data).value();
  EXPECT_EQ(encryption.ciphers, options().ciphers);
  const auto signing = wire::decode<wire::SigningCapabilities>(message.contexts[2].data).value();
  EXPECT_EQ(signing.signing_algorithms, options().signing_algorithms);
  EXPECT_EQ(from_utf16le(message.contexts[3].data).value(), "fs.lab.test");
  peer_.close();
  EXPECT_FALSE(first->result());
}

TEST_F(Negotiation, OffersNoEncryptionWithoutCiphersAndRequiresSigning) {
  connect();
  NegotiateOptions demanding = options();
  demanding.ciphers.clear();
  demanding.signing_required = true;
  auto negotiating = start_negotiation(demanding);
  const Element request = peer_.receive();
  const auto message = request.as<wire::NegotiateRequest>();
  EXPECT_EQ(message.security_mode, wire::SecurityMode::signing_required);
  for (const auto& context : message.contexts) {
    EXPECT_NE(context.context_type, wire::NegotiateContextType::encryption_capabilities);
  }
  peer_.close();
  EXPECT_FALSE(negotiating->result());
}

TEST_F(Negotiation, TakesWhatTheServerChose) {
  auto result = negotiate_with([](Answer& answer) {
    complete(answer);
    answer.response.security_mode |= wire::SecurityMode::signing_required;
    answer.response.security_buffer = std::as_bytes(std::span("hint", 4));
  });
  ASSERT_TRUE(result) << describe(result.error());
  EXPECT_EQ(result->cipher, Cipher::aes_256_gcm);
  EXPECT_EQ(result->signing, SigningAlgorithm::aes_128_gmac);
  EXPECT_TRUE(result->signing_required);
  EXPECT_EQ(result->max_transact_bytes, 1U << 20);
  EXPECT_EQ(result->max_read_bytes, 2U << 20);
  EXPECT_EQ(result->max_write_bytes, 3U << 20);
  wire::Guid guid;
  guid.bytes.fill(std::byte{0x42});
  EXPECT_EQ(result->server_guid, guid);
  EXPECT_EQ(result->security_buffer.size(), 4U);

  PreauthIntegrity chain;
  ASSERT_TRUE(chain.update(request_.bytes));
  ASSERT_TRUE(chain.update(reply_));
  EXPECT_TRUE(std::ranges::equal(result->preauth.value(), chain.value()));

  // From now on charges are told.
  auto asked = start({echo});
  const Element request = peer_.receive();
  EXPECT_EQ(request.header.credit_charge, 1U);
  peer_.send_frame(test::answer(request, wire::EchoResponse{}));
  EXPECT_TRUE(asked->result());
}

TEST_F(Negotiation, WithoutAContextOfCiphersThereIsNoEncryption) {
  auto result = negotiate_with([](Answer& answer) {
    answer.preauth();
    answer.signing({SigningAlgorithm::aes_128_cmac});
  });
  ASSERT_TRUE(result) << describe(result.error());
  EXPECT_EQ(result->cipher, Cipher::none);
  EXPECT_FALSE(result->signing_required);
}

TEST_F(Negotiation, TheCipherMayBeNone) {
  auto result = negotiate_with([](Answer& answer) {
    answer.preauth();
    answer.encryption({Cipher::none});
  });
  ASSERT_TRUE(result) << describe(result.error());
  EXPECT_EQ(result->cipher, Cipher::none);
}

TEST_F(Negotiation, WithoutAContextOfSigningItIsCmac) {
  auto result = negotiate_with([](Answer& answer) { answer.preauth(); });
  ASSERT_TRUE(result) << describe(result.error());
  EXPECT_EQ(result->signing, SigningAlgorithm::aes_128_cmac);
}

TEST_F(Negotiation, UnknownContextsArePassedOver) {
  auto result = negotiate_with([](Answer& answer) {
    wire::NetnameNegotiateContextId unknown;
    answer.add(unknown);
    answer.response.contexts.back().context_type = static_cast<wire::NegotiateContextType>(0x77);
    complete(answer);
    answer.add(unknown);
    answer.add(unknown);
  });
  EXPECT_TRUE(result) << describe(result.error());
}

// [MS-SMB2] 3.2.4.1.5: without multi-credit no payload is larger than one credit pays for.
TEST_F(Negotiation, WithoutLargeMtuPayloadsAreSmall) {
  auto result = negotiate_with([](Answer& answer) {
    complete(answer);
    answer.response.capabilities = wire::Capabilities::none;
  });
  ASSERT_TRUE(result) << describe(result.error());
  EXPECT_EQ(result->max_transact_bytes, 65536U);
  EXPECT_EQ(result->max_read_bytes, 65536U);
  EXPECT_EQ(result->max_write_bytes, 65536U);
}

struct Spoilt {
  const char* name;
  std::function<void(Answer&)> spoil;
  const char* words;
};
class SpoiltAnswer : public Negotiation, public testing::WithParamInterface<Spoilt> {};

TEST_P(SpoiltAnswer, IsRefused) {
  EXPECT_TRUE(fails(negotiate_with(GetParam().spoil), ErrorKind::protocol, GetParam().words));
}

const Spoilt spoilt[] = {
    {"OtherDialect",
     [](Answer& a) {
       complete(a);
       a.response.dialect_revision = wire::Dialect::smb_3_0_2;
     },
     "dialect"},
    {"Wildcard",
     [](Answer& a) {
       complete(a);
       a.response.dialect_revision = wire::Dialect::wildcard;
     },
     "dialect"},
    {"NoPreauth", [](Answer& a) { a.signing({SigningAlgorithm::aes_128_cmac}); },
     "no preauthentication integrity"},
    {"TwoPreauth",
     [](Answer& a) {
       complete(a);
       a.preauth();
     },
     "two contexts"},
    {"TwoEncryption",
     [](Answer& a) {
       complete(a);
       a.encryption({Cipher::aes_256_gcm});
     },
     "two contexts"},
    {"TwoSigning",
     [](Answer& a) {
       complete(a);
       a.signing({SigningAlgorithm::aes_128_gmac});
     },
     "two contexts"},
    {"NoHash", [](Answer& a) { a.preauth({}); }, "hash"},
    {"OtherHash", [](Answer& a) { a.preauth({HashAlgorithm{2}}); }, "hash"},
    {"TwoHashes", [](Answer& a) { a.preauth({HashAlgorithm::sha_512, HashAlgorithm::sha_512}); },
     "hash"},
    {"CipherNotOffered",
     [](Answer& a) {
       a.preauth();
       a.encryption({Cipher::aes_128_ccm});
     },
     "cipher that was not offered"},
    {"TwoCiphers",
     [](Answer& a) {
       a.preauth();
       a.encryption({Cipher::aes_128_gcm, Cipher::aes_256_gcm});
     },
     "one cipher"},
    {"NoCipherInTheList",
     [](Answer& a) {
       a.preauth();
       a.encryption({});
     },
     "one cipher"},
    {"SigningNotOffered",
     [](Answer& a) {
       a.preauth();
       a.signing({SigningAlgorithm::hmac_sha256});
     },
     "signing algorithm"},
    {"TwoSigningAlgorithms",
     [](Answer& a) {
       a.preauth();
       a.signing({SigningAlgorithm::aes_128_gmac, SigningAlgorithm::aes_128_cmac});
     },
     "signing algorithm"},
    {"SmallTransact",
     [](Answer& a) {
       complete(a);
       a.response.max_transact_size = 65535;
     },
     "65536"},
    {"SmallRead",
     [](Answer& a) {
       complete(a);
       a.response.max_read_size = 65535;
     },
     "65536"},
    {"SmallWrite",
     [](Answer& a) {
       complete(a);
       a.response.max_write_size = 65535;
     },
     "65536"},
    {"Signed",
     [](Answer& a) {
       complete(a);
       a.edit = [](auto& header) { header.flags |= wire::HeaderFlags::signed_message; };
     },
     "signed"},
    {"OfASession",
     [](Answer& a) {
       complete(a);
       a.edit = [](auto& header) { header.session_id = 1; };
     },
     "session"},
    {"CutContext",
     [](Answer& a) {
       complete(a);
       a.response.contexts[0].data = a.response.contexts[0].data.first(3);
     },
     "PREAUTH"},
};
INSTANTIATE_TEST_SUITE_P(All, SpoiltAnswer, testing::ValuesIn(spoilt),
                         [](const auto& info) { return std::string(info.param.name); });

class RefusedNegotiation : public Negotiation, public testing::WithParamInterface<NtStatus> {};

TEST_P(RefusedNegotiation, SaysWhatTheServerLacks) {
  connect();
  auto negotiating = start_negotiation(options());
  peer_.send_frame(refusal(peer_.receive(), GetParam()));
  auto result = negotiating->result();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind(), ErrorKind::unsupported);
  EXPECT_EQ(result.error().nt_status(), static_cast<std::uint32_t>(GetParam()));
  EXPECT_THAT(result.error().what(), testing::HasSubstr("SMB 3.1.1"));
  EXPECT_FALSE(result.error().hint().empty());
}
INSTANTIATE_TEST_SUITE_P(All, RefusedNegotiation,
                         testing::Values(NtStatus::not_supported, NtStatus::invalid_parameter,
                                         NtStatus::smb_no_preauth_integrity_hash_overlap));

TEST_F(Negotiation, OtherRefusalsKeepTheirWords) {
  connect();
  auto negotiating = start_negotiation(options());
  peer_.send_frame(refusal(peer_.receive(), NtStatus::insufficient_resources));
  EXPECT_TRUE(fails(negotiating->result(), ErrorKind::failed, "INSUFFICIENT_RESOURCES"));
}

}  // namespace
}  // namespace smb3::test
