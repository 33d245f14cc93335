// The fuzzer as a client of the scripted server whose requests fit: ids, credits, signatures and
// ciphertexts are right unless its bytes want them wrong.
#pragma once

#include "fuzz/memory_reactor.h"
#include "fuzz/side_keys.h"
#include "support/server/settings.h"

#include <map>

namespace smb3::fuzz {

// The first byte of an input.
enum ClientStart : std::uint8_t {
  logged_on = 0x01,  // begins with a session and a share
  anonymous_logon = 0x02,
  server_encrypts = 0x04,
  server_strict = 0x08,
  server_signs = 0x10,
  null_share = 0x20,
  writes_log = 0x40,
  few_credits = 0x80
};

// Then requests, each: a byte of these, the command, a block (its body), and what the bits take.
enum RequestInstruction : std::uint8_t {
  is_signed = 0x01,
  is_sealed = 0x02,
  header_edited = 0x04,  // number of a field, eight bytes
  joined = 0x08,         // with the next one in a frame
  related = 0x10,
  time_passes = 0x20,  // afterwards: a byte of seconds
  damaged = 0x40,      // where: a byte
  charged = 0x80,      // a byte of credits
  raw_request = 0xFF   // alone: a block that is sent as it is
};

class ClientScript final : public MemoryReactor::Peer {
 public:
  ClientScript(MemoryReactor& reactor, Bytes input);

  const std::uint8_t start;
  server::ServerSettings settings() const;
  // All of it, on this socket.
  void run(int socket);
  void sent(int socket, Bytes bytes) override;

 private:
  void begin();
  void next_request();
  void send(Octets elements, std::uint8_t instruction, std::uint8_t damage);
  wire::PacketHeader header_for(wire::Command command, std::uint16_t charge);
  template <wire::Message M>
  void request(const M& message, std::uint8_t instruction = 0);
  void handle_frame(Octets frame);
  void handle_answer(const wire::CompoundElement& answer);
  SideKeys* keys();

  MemoryReactor& reactor_;
  Input input_;
  int socket_ = -1;
  Octets incoming_;
  Octets joined_;  // earlier elements of the frame
  PreauthIntegrity preauth_, chain_;
  Cipher cipher_ = Cipher::none;
  SigningAlgorithm signing_ = SigningAlgorithm::aes_128_cmac;
  std::map<std::uint64_t, SideKeys> keys_;
  std::uint64_t session_id_ = 0, message_id_ = 0;
  std::uint32_t tree_id_ = 0;
};

}  // namespace smb3::fuzz
