// A session, a tree connect and an open file on a scripted server: a null session, which has no
// keys, so that all its traffic can be played in the clear.
#pragma once

#include "auth/spnego.h"
#include "session/open.h"
#include "support/connection_fixture.h"
#include "wire/create.h"
#include "wire/session_setup.h"
#include "wire/tree_connect.h"
#include "wire/write.h"

namespace smb3::test {

inline constexpr std::uint64_t test_session = 7;
inline constexpr std::uint32_t test_tree = 5;
inline constexpr wire::FileId test_file{0x1111, 0x2222};

inline Edit in_session(NtStatus status, std::uint64_t session = test_session) {
  return [=](wire::PacketHeader& header) {
    header.status = static_cast<std::uint32_t>(status);
    header.session_id = session;
  };
}

inline Octets session_setup_answer(const Element& request, Bytes token, const Edit& edit,
                                   wire::SessionFlags flags = {}) {
  wire::SessionSetupResponse response;
  response.session_flags = flags;
  response.security_buffer = token;
  return answer(request, response, edit);
}

class SessionTest : public ConnectionTest {
 protected:
  void TearDown() override {
    if (connection_ && !closed_) close();
    on_reactor([this] {
      open_.reset();
      tree_.reset();
      session_.reset();
    });
    ConnectionTest::TearDown();
  }

  std::unique_ptr<Running<std::unique_ptr<Session>>> start_logon(LogonRequest logon,
                                                                 SecurityPolicy policy = {}) {
    auto shared = std::make_shared<const LogonRequest>(std::move(logon));
    return std::make_unique<Running<std::unique_ptr<Session>>>(reactor(), [this, shared, policy] {
      return Session::setup(*connection_, negotiated_, shared, "fs.lab.test", policy);
    });
  }
  // The server's side of a null session's logon, or of its renewal (of the `session` that is
  // there).
  void welcome_nobody(std::uint64_t session) {
    const Element first = peer_.receive();
    EXPECT_EQ(first.header.command, wire::Command::session_setup);
    EXPECT_EQ(first.header.session_id, session);
    Octets challenge(48);
    std::memcpy(challenge.data(), "NTLMSSP", 8);
    challenge[8] = std::byte{2};
    const Octets token =
        spnego::encode(spnego::NegTokenResp{.state = spnego::NegState::accept_incomplete,
                                            .supported_mech = spnego::ntlmssp,
                                            .response_token = challenge,
                                            .mech_list_mic = {}});
    peer_.send_frame(
        session_setup_answer(first, token, in_session(NtStatus::more_processing_required)));
    const Element second = peer_.receive();
    EXPECT_EQ(second.header.session_id, test_session);
    peer_.send_frame(session_setup_answer(second, {}, in_session(NtStatus::success),
                                          wire::SessionFlags::is_null));
  }
  // `credits`: in hand once all is set up.
  void log_on_as_nobody(std::uint16_t credits) {
    connect_negotiated(credits);
    negotiated_.max_transact_bytes = 1 << 20;
    negotiated_.max_read_bytes = negotiated_.max_write_bytes = 8 << 20;
    LogonRequest nobody;
    nobody.anonymous = true;
    auto logon = start_logon(std::move(nobody));
    welcome_nobody(0);
    auto session = logon->result();
    ASSERT_TRUE(session) << describe(session.error());
    session_ = std::move(*session);
  }

  std::unique_ptr<Running<std::unique_ptr<TreeConnect>>> start_tree_connect() {
    return std::make_unique<Running<std::unique_ptr<TreeConnect>>>(
        reactor(), [this] { return TreeConnect::connect(*session_, "fs.lab.test", "data"); });
  }
  static Octets tree_answer(const Element& request, wire::ShareFlags flags = {}) {
    wire::TreeConnectResponse response;
    response.share_flags = flags;
    return answer(request, response, [](auto& header) { header.tree_id = test_tree; });
  }
  void connect_share(std::uint16_t credits) {
    log_on_as_nobody(credits);
    auto connecting = start_tree_connect();
    peer_.send_frame(tree_answer(peer_.receive()));
    auto tree = connecting->result();
    ASSERT_TRUE(tree) << describe(tree.error());
    tree_ = std::move(*tree);
  }

  std::unique_ptr<Running<std::unique_ptr<Open>>> start_create(std::string path,
                                                               CreateParameters parameters = {}) {
    return std::make_unique<Running<std::unique_ptr<Open>>>(
        reactor(), [=, this] { return Open::create(*tree_, path, parameters); });
  }
  static wire::CreateResponse created(std::uint64_t size = 0) {
    wire::CreateResponse response;
    response.file_id = test_file;
    response.end_of_file = size;
    response.file_attributes = wire::FileAttributes::archive;
    return response;
  }
  void open_file(std::uint16_t credits, std::string path = "folder/file") {
    connect_share(credits);
    auto creating = start_create(std::move(path));
    peer_.send_frame(answer(peer_.receive(), created()));
    auto open = creating->result();
    ASSERT_TRUE(open) << describe(open.error());
    open_ = std::move(*open);
  }

  // Of a coroutine that a member function makes.
  template <class T>
  std::unique_ptr<Running<T>> run(std::function<Task<T>()> make) {
    return std::make_unique<Running<T>>(reactor(), std::move(make));
  }

  Negotiated negotiated_;
  std::unique_ptr<Session> session_;
  std::unique_ptr<TreeConnect> tree_;
  std::unique_ptr<Open> open_;
};

}  // namespace smb3::test
