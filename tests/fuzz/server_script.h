// The fuzzer as a server whose answers fit: ids, credits, the integrity chain, signatures and
// ciphertexts are right unless its bytes want them wrong. So what it says reaches every layer.
#pragma once

#include "base/nt_status.h"
#include "fuzz/memory_reactor.h"
#include "fuzz/side_keys.h"

#include <set>
#include <vector>

namespace smb3::fuzz {

// The first bytes of an input: what the two sides are.
struct Conversation {
  Cipher cipher = Cipher::none;
  bool has_cipher_context = true;
  SigningAlgorithm signing = SigningAlgorithm::aes_128_cmac;
  bool has_signing_context = true;
  bool requires_signing = false;
  bool session_seals = false;
  bool share_seals = false;
  bool large_mtu = true;
  bool two_legs = false;     // of the logon
  bool compounds = false;    // compounds are answered in one frame
  bool ends = false;         // with the script; else all later answers are right
  bool is_silent = false;    // once the script has ended
  bool anonymous = false;    // the client's logon, which has no keys
  bool policy_sign = false;  // what its user demands
  bool policy_encrypt = false;
  std::uint16_t credits = 0;  // that an answer grants, if they are more than its charge

  static constexpr std::size_t bytes = 5;
  static Conversation read(Input& input);
};

// An instruction stands for each request, in order; when there is none, the answer is right.
//   a byte of these, then what each takes, in the order of the bits
enum Instruction : std::uint8_t {
  own_body = 0x01,      // a block instead of the right body
  own_status = 0x02,    // the number of a status in the table; 255: four bytes
  own_header = 0x04,    // a field is changed: its number, eight bytes
  forged = 0x08,        // not signed, not sealed, or damaged: a byte
  interim = 0x10,       // STATUS_PENDING goes first
  held = 0x20,          // sent behind the next one
  oplock_break = 0x40,  // goes first: level, number of the file
  patched = 0x80,       // bytes of the body: two bytes where, a block
  raw_bytes = 0xFF      // alone: a block that is sent as it is, instead of an answer
};

class ServerScript final : public MemoryReactor::Peer {
 public:
  ServerScript(MemoryReactor& reactor, Bytes input);

  const Conversation& conversation() const noexcept { return conversation_; }
  void sent(int socket, Bytes bytes) override;

  // What a client that checks everything must have done with what it got.
  bool must_have_failed() const noexcept { return must_have_failed_; }
  bool must_not_log_on() const noexcept { return must_not_log_on_; }

  // For seeds: all that went to the client, and the requests that came.
  struct Recorded {
    wire::Command command{};
    Octets body{};
  };
  const Octets& stream() const noexcept { return stream_; }
  const std::vector<Recorded>& requests() const noexcept { return requests_; }

 private:
  struct Answer {
    wire::PacketHeader header{};
    Octets body{};
    bool is_protected = false;  // the request was
    bool seal = false, sign = false;
    std::optional<std::uint8_t> forgery{};
    bool header_edited = false;
    bool hold = false;
  };

  void handle_frame(Octets frame);
  void check_request(const wire::CompoundElement& element, bool sealed);
  std::optional<Answer> answer_to(const wire::CompoundElement& element, bool sealed);
  void change(Answer& answer, std::uint8_t instruction);
  void send_break();
  void send_interim(const Answer& answer);
  void learn(const wire::CompoundElement& request, Answer& answer, Octets& element);
  void negotiated(Bytes answer);
  Octets finished(const wire::CompoundElement& request, Answer& answer);
  void deliver(const Answer& answer, Bytes message);
  void feed(Bytes frame);

  // server_answers.cpp: the right answer.
  NtStatus right_answer(const wire::CompoundElement& request, Octets& body);
  NtStatus negotiate_answer(Octets& body);
  NtStatus session_setup_answer(const wire::CompoundElement& request, Octets& body);
  NtStatus read_answer(Bytes request, Octets& body);
  NtStatus directory_answer(Octets& body);

  MemoryReactor& reactor_;
  Input input_;
  Conversation conversation_;
  int socket_ = -1;
  Octets incoming_;
  Octets stream_;
  std::vector<Recorded> requests_;
  std::vector<Octets> held_;

  PreauthIntegrity preauth_, chain_;
  Cipher cipher_ = Cipher::none;
  SigningAlgorithm signing_ = SigningAlgorithm::aes_128_cmac;
  std::optional<SideKeys> keys_;
  std::uint64_t session_id_ = 0;
  std::set<std::uint64_t> nonces_seen_;
  std::uint64_t next_message_id_ = 0;
  std::uint64_t granted_ = 1;
  bool grants_known_ = true;
  std::uint64_t files_ = 0, pages_ = 0, legs_ = 0;
  bool must_have_failed_ = false;
  bool must_not_log_on_ = false;
  bool ended_ = false;
};

}  // namespace smb3::fuzz
