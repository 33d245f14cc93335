// SESSION_SETUP and TREE_CONNECT with real NTLM: who is believed, and how requests are protected
// afterwards.
#include "unit/session/logon_fixture.h"
#include "wire/logoff.h"

// gss-ntlmssp 1.2.0 never frees the MD4 that it fetches from OpenSSL for a password.
extern "C" __attribute__((visibility("default"))) const char* __lsan_default_suppressions() {
  return "leak:libcrypto.so\n";
}

namespace smb3::test {
namespace {

TEST_F(LogonTest, ProvesBothSides) {
  log_on();
  EXPECT_EQ(session_->id(), test_session);
  EXPECT_EQ(session_->mechanism(), "NTLMSSP");
  EXPECT_FALSE(session_->is_guest());
  EXPECT_FALSE(session_->seals());
  EXPECT_FALSE(session_->signs());
  EXPECT_TRUE(session_->can_seal());
  EXPECT_TRUE(spnego_->client_mic_verified);
  EXPECT_EQ(to_hex(session_->session_key()), to_hex(acceptor_->session_key()));
}

TEST_F(LogonTest, WithoutDemandsOnlyTreeConnectIsSigned) {
  log_on();
  connect_tree();
  auto creating = start_create("file");
  const Element request = peer_.receive();
  EXPECT_FALSE(request.header.is_signed());
  peer_.send_frame(refusal(request, NtStatus::access_denied));
  EXPECT_FALSE(creating->result());
}

TEST_F(LogonTest, WhereTheServerDemandsItAllIsSigned) {
  negotiated_.signing_required = true;
  log_on();
  EXPECT_TRUE(session_->signs());
  connect_tree();
  auto creating = start_create("file");
  const Element request = peer_.receive();
  EXPECT_TRUE(keys_->verifies(request));
  peer_.send_frame(refusal(request, NtStatus::access_denied));
  EXPECT_TRUE(fails(creating->result(), ErrorKind::security, "not signed"));
}

TEST_F(LogonTest, WhereTheUserDemandsItAllIsSigned) {
  log_on({.sign = true});
  EXPECT_TRUE(session_->signs());
  auto ending = run<void>([this] { return session_->logoff(); });
  const Element request = peer_.receive();
  EXPECT_EQ(request.header.command, wire::Command::logoff);
  EXPECT_TRUE(keys_->verifies(request));
  peer_.send_frame(keys_->sign(answer(request, wire::LogoffResponse{})));
  EXPECT_TRUE(ending->result());
}

TEST_F(LogonTest, WhereTheServerEncryptsAllIsEncrypted) {
  log_on({}, wire::SessionFlags::encrypt_data);
  EXPECT_TRUE(session_->seals());
  connect_tree();
  auto creating = start_create("file");
  peer_.send_frame(keys_->seal(refusal(receive_sealed(), NtStatus::access_denied)));
  EXPECT_TRUE(fails(creating->result(), ErrorKind::access_denied, "ACCESS_DENIED"));
}

TEST_F(LogonTest, WhereTheUserDemandsItAllIsEncrypted) {
  log_on({.encrypt = true});
  EXPECT_TRUE(session_->seals());
  connect_tree();
}

TEST_F(LogonTest, WhereTheShareEncryptsItsRequestsAre) {
  log_on();
  connect_tree(wire::ShareFlags::encrypt_data);
  EXPECT_TRUE(tree_->seals());
  auto creating = start_create("file");
  const Element request = receive_sealed();
  peer_.send_frame(keys_->sign(refusal(request, NtStatus::access_denied)));
  EXPECT_TRUE(fails(creating->result(), ErrorKind::security, "not encrypted"));
}

TEST_F(LogonTest, AShareThatEncryptsNeedsACipher) {
  negotiated_.cipher = Cipher::none;
  log_on();
  auto connecting = start_tree_connect();
  peer_.send_frame(keys_->sign(tree_answer(peer_.receive(), wire::ShareFlags::encrypt_data)));
  EXPECT_TRUE(fails(connecting->result(), ErrorKind::security, "demands encryption"));
}

TEST_F(LogonTest, AnUnsignedTreeConnectEndsTheConnection) {
  log_on();
  auto connecting = start_tree_connect();
  peer_.send_frame(tree_answer(peer_.receive()));
  EXPECT_TRUE(fails(connecting->result(), ErrorKind::security, "not signed"));
}

TEST_F(LogonTest, ARefusedTreeConnectNamesTheShare) {
  log_on();
  auto connecting = start_tree_connect();
  peer_.send_frame(keys_->sign(refusal(peer_.receive(), NtStatus::bad_network_name)));
  EXPECT_TRUE(fails(connecting->result(), ErrorKind::not_found, "//fs.lab.test/data"));
}

TEST_F(LogonTest, ATreeConnectAnsweredWithoutATreeIdIsRefused) {
  log_on();
  auto connecting = start_tree_connect();
  peer_.send_frame(keys_->sign(answer(peer_.receive(), wire::TreeConnectResponse{}, async(7))));
  EXPECT_TRUE(fails(connecting->result(), ErrorKind::protocol, "no TreeId"));
}

TEST_F(LogonTest, AnUnsignedFinalAnswerIsNotBelieved) {
  EXPECT_TRUE(fails(log_on_with([](const Final& final) { return final_answer(final); }),
                    ErrorKind::security, "final logon response is not signed"));
}

TEST_F(LogonTest, AChangedFinalAnswerIsNotBelieved) {
  EXPECT_TRUE(fails(log_on_with([](const Final& final) {
                      Octets reply = final.keys->sign(final_answer(final));
                      reply[wire::header_bytes + 2] ^= std::byte{4};  // encrypt_data
                      return reply;
                    }),
                    ErrorKind::security, "signature"));
}

// As after a downgrade of NEGOTIATE: the two sides have seen different messages.
TEST_F(LogonTest, AnotherChainOfMessagesIsNoticed) {
  auto logon = start_logon(alice());
  PreauthIntegrity other;
  ASSERT_TRUE(other.update(Octets(10)));
  const Final final = converse(other);
  ASSERT_TRUE(final.keys);
  peer_.send_frame(final.keys->sign(final_answer(final)));
  EXPECT_TRUE(fails(logon->result(), ErrorKind::security, "signature"));
}

TEST_F(LogonTest, NobodyIsMadeAGuest) {
  EXPECT_TRUE(fails(log_on_with([](const Final& final) {
                      return final_answer(final, wire::SessionFlags::is_guest);
                    }),
                    ErrorKind::security, "a guest although a user was named"));
}

TEST_F(LogonTest, NobodyIsMadeAnonymousThoughItBeSigned) {
  EXPECT_TRUE(fails(log_on_with([](const Final& final) {
                      return final.keys->sign(final_answer(final, wire::SessionFlags::is_null));
                    }),
                    ErrorKind::security, "anonymous although a user was named"));
}

TEST_F(LogonTest, EncryptionWithoutACipherIsAFault) {
  negotiated_.cipher = Cipher::none;
  EXPECT_TRUE(fails(log_on_with([](const Final& final) {
                      return final.keys->sign(
                          final_answer(final, wire::SessionFlags::encrypt_data));
                    }),
                    ErrorKind::protocol, "without a cipher"));
}

TEST_F(LogonTest, EncryptionThatIsRequiredNeedsACipher) {
  negotiated_.cipher = Cipher::none;
  auto logon = start_logon(alice(), {.encrypt = true});
  EXPECT_TRUE(fails(logon->result(), ErrorKind::security, "offers no cipher"));
  EXPECT_TRUE(peer_.is_quiet()) << "nothing of the user is told";
}

TEST_F(LogonTest, AWrongPasswordIsTold) {
  auto logon = start_logon(alice("wrong"));
  const Final final = converse();
  EXPECT_FALSE(final.keys);
  peer_.send_frame(refusal(final.request, NtStatus::logon_failure));
  EXPECT_TRUE(fails(logon->result(), ErrorKind::authentication, "wrong user name or password"));
}

TEST_F(LogonTest, AnyRefusalIsOneOfTheLogon) {
  auto logon = start_logon(alice());
  const Final final = converse();
  peer_.send_frame(refusal(final.request, NtStatus::access_denied));
  EXPECT_TRUE(fails(logon->result(), ErrorKind::authentication, "the logon was refused"));
}

TEST_F(LogonTest, AWrongMicIsNotBelieved) {
  spnego_->fault = SpnegoAcceptor::Fault::mic_wrong;
  auto result =
      log_on_with([](const Final& final) { return final.keys->sign(final_answer(final)); });
  EXPECT_TRUE(fails(std::move(result), ErrorKind::security, "mechListMIC"));
}

TEST_F(LogonTest, SuccessAtOnceProvesNothing) {
  auto logon = start_logon(alice());
  peer_.send_frame(session_setup_answer(peer_.receive(), {}, in_session(NtStatus::success)));
  auto result = logon->result();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind(), ErrorKind::security) << describe(result.error());
}

TEST_F(LogonTest, ASessionNeedsAnId) {
  auto logon = start_logon(alice());
  peer_.send_frame(
      session_setup_answer(peer_.receive(), {}, in_session(NtStatus::more_processing_required, 0)));
  EXPECT_TRUE(fails(logon->result(), ErrorKind::protocol, "SessionId"));
}

TEST_F(LogonTest, ASessionKeepsItsId) {
  auto result = log_on_with([](const Final& final) {
    return session_setup_answer(final.request, final.token, in_session(NtStatus::success, 8));
  });
  EXPECT_TRUE(fails(std::move(result), ErrorKind::protocol, "another session"));
}

TEST_F(LogonTest, TheConnectionMayBeLostOnTheWay) {
  auto logon = start_logon(alice());
  peer_.receive();
  peer_.close();
  EXPECT_TRUE(fails(logon->result(), ErrorKind::disconnected, "closed the connection"));
}

// Once the session is gone its keys are not used for what still comes.
TEST_F(LogonTest, ADestroyedSessionIsForgotten) {
  log_on();
  on_reactor([this] { session_.reset(); });
  auto asked = start({echo});
  peer_.send_frame(keys_->seal(answer(peer_.receive(), wire::EchoResponse{})));
  EXPECT_TRUE(fails(asked->result(), ErrorKind::protocol, "no session of this connection"));
}

// What a server says whose check of a signature has failed.
TEST_F(LogonTest, ARefusalOfWhatWasGrantedMayBeASignOfChangedTraffic) {
  log_on({.sign = true});
  connect_tree();
  auto creating = start_create("file");
  peer_.send_frame(keys_->sign(answer(peer_.receive(), created())));
  auto open = creating->result();
  ASSERT_TRUE(open) << describe(open.error());
  open_ = std::move(*open);
  const Octets data(100);
  const auto write = [&] { return open_->write(0, data, false); };
  auto writing = run<void>(write);
  peer_.send_frame(keys_->sign(refusal(peer_.receive(), NtStatus::access_denied)));
  EXPECT_TRUE(fails(writing->result(), ErrorKind::access_denied, "altered on its way"));
  auto setting = run<void>([this] { return open_->set_end_of_file(1); });
  peer_.send_frame(keys_->sign(refusal(peer_.receive(), NtStatus::access_denied)));
  auto refused = setting->result();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().hint(), "") << "that right may be missing";
  auto unsigned_one = run<void>(write);
  peer_.send_frame(refusal(peer_.receive(), NtStatus::access_denied));
  EXPECT_TRUE(fails(unsigned_one->result(), ErrorKind::security, "ACCESS_DENIED, WRITE"));
}

TEST_F(LogonTest, AnEncryptedConnectionThatEndsMayBeASignOfChangedTraffic) {
  log_on({.encrypt = true});
  connect_tree();
  auto creating = start_create("file");
  receive_sealed();
  peer_.close();
  EXPECT_TRUE(fails(creating->result(), ErrorKind::disconnected, "altered on its way"));
}

class NullSession : public SessionTest {};

TEST_F(NullSession, SendsAllInTheClear) {
  connect_share(64);
  EXPECT_TRUE(session_->is_guest());
  EXPECT_FALSE(session_->can_seal());
  EXPECT_TRUE(session_->session_key().empty());
  auto ending = run<void>([this] { return tree_->disconnect(); });
  const Element request = peer_.receive();
  EXPECT_FALSE(request.header.is_signed());
  peer_.send_frame(refusal(request, NtStatus::network_name_deleted));
  EXPECT_TRUE(ending->result()) << "the share is gone in any case";
}

TEST_F(NullSession, CannotUseAShareThatEncrypts) {
  log_on_as_nobody(64);
  auto connecting = start_tree_connect();
  peer_.send_frame(tree_answer(peer_.receive(), wire::ShareFlags::encrypt_data));
  EXPECT_TRUE(fails(connecting->result(), ErrorKind::security, "demands encryption"));
}

}  // namespace
}  // namespace smb3::test
