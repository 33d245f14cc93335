// Frames that are encrypted, or say so: the TRANSFORM_HEADER, and what a wrong key or a changed
// byte must not get through.
#include "crypto/sealer.h"
#include "crypto/signer.h"
#include "fuzz/fuzz.h"
#include "wire/packet_header.h"

#include <array>

namespace smb3::fuzz {

constexpr Cipher ciphers[] = {Cipher::aes_128_ccm, Cipher::aes_128_gcm, Cipher::aes_256_ccm,
                              Cipher::aes_256_gcm};
constexpr SigningAlgorithm algorithms[] = {
    SigningAlgorithm::hmac_sha256, SigningAlgorithm::aes_128_cmac, SigningAlgorithm::aes_128_gmac};

Key key_of(std::size_t size) {
  Octets bytes(size, std::byte{0x5A});
  return Key(bytes);
}

Sealer& sealer(std::size_t which) {
  static std::array<Sealer, std::size(ciphers)> all = [] {
    const auto make = [](Cipher cipher) {
      const Key key = key_of(key_bytes(cipher));
      return *Sealer::create(cipher, key, key);
    };
    return std::array{make(ciphers[0]), make(ciphers[1]), make(ciphers[2]), make(ciphers[3])};
  }();
  return all[which];
}

// What nobody has sealed is refused.
void check_raw(Sealer& sealer, Bytes bytes) {
  Exact frame(bytes);
  const auto session_id = sealed_session_id(frame.bytes());
  require(session_id.has_value() == (bytes.size() >= transform_header_bytes &&
                                     wire::protocol_id_of(bytes) == wire::transform_protocol_id),
          "a frame is taken for sealed, or for plain");
  const auto plain = sealer.unseal(frame.mutable_bytes());
  if (plain) {
    Exact original(bytes);
    original.mutable_bytes()[bytes.size() - 1] ^= std::byte{1};
    require(!sealer.unseal(original.mutable_bytes()), "a frame decrypts whatever its bytes are");
  }
}

void check_sealed(Sealer& sealer, Input& input) {
  const auto session_id = input.number<std::uint64_t>();
  Nonce nonce{};
  store_le(nonce.data(), input.number<std::uint64_t>());
  const auto changed_at = input.number<std::uint16_t>();
  const std::uint8_t change = input.byte();
  const Bytes message = input.rest();
  if (message.empty()) return;
  Octets frame(transform_header_bytes + message.size());
  const Bytes pieces[] = {message.first(message.size() / 2), message.subspan(message.size() / 2)};
  require(sealer.seal(session_id, nonce, pieces, frame).has_value(), "a frame is not sealed");
  require(sealed_session_id(frame) == session_id, "the session of a sealed frame is another");
  // Of the nonce, CCM uses 11 bytes and GCM 12 of 16; the rest is authenticated too.
  frame[changed_at % frame.size()] ^= std::byte{change};
  const auto plain = sealer.unseal(frame);
  const bool nested = wire::protocol_id_of(message) == wire::transform_protocol_id;
  if (change != 0 || nested) {
    require(!plain, "a changed frame decrypts");
    // What is wiped is zero, as a message may be.
    const auto body = Bytes(frame).subspan(transform_header_bytes);
    const bool wiped =
        std::ranges::all_of(body, [](std::byte byte) { return byte == std::byte{}; });
    require(wiped || message.size() < 8 || !std::ranges::equal(body, message),
            "a plaintext is left behind");
  } else {
    require(plain && std::ranges::equal(*plain, message), "a sealed frame changes its message");
  }
}

void check_signed(SigningAlgorithm algorithm, Input& input) {
  auto signer = Signer::create(algorithm, key_of(16));
  const auto changed_at = input.number<std::uint16_t>();
  const std::uint8_t change = input.byte();
  const Bytes bytes = input.rest();
  if (bytes.size() < wire::header_bytes) return;
  Exact raw(bytes);
  if (signer->verify(raw.bytes())) require(false, "a signature is right by chance");
  Octets element(bytes.begin(), bytes.end());
  const Bytes rest[] = {Bytes(element).subspan(wire::header_bytes)};
  if (!signer->sign(MutableBytes(element).first(wire::header_bytes), rest)) {
    // The MessageId is GMAC's nonce, and not every one may be.
    require(algorithm == SigningAlgorithm::aes_128_gmac, "a message is not signed");
    return;
  }
  element[changed_at % element.size()] ^= std::byte{change};
  require(signer->verify(element).has_value() == (change == 0), "a signature says the contrary");
}

}  // namespace smb3::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace smb3::fuzz;
  Input input(input_of(data, size));
  const std::uint8_t which = input.byte();
  if (which < 4) {
    check_raw(sealer(which), input.rest());
  } else if (which < 8) {
    check_sealed(sealer(which - 4), input);
  } else if (which < 11) {
    check_signed(algorithms[which - 8], input);
  } else {
    return -1;
  }
  return 0;
}
