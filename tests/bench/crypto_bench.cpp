// How fast one core signs and seals messages of 1 MiB, for each algorithm.
#include "crypto/available.h"
#include "crypto/sealer.h"
#include "crypto/signer.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

using namespace smb3;
using Clock = std::chrono::steady_clock;

constexpr std::size_t header_bytes = 64;
constexpr std::size_t fixed_part_bytes = 16;
constexpr std::size_t payload_bytes = 1_MiB;
constexpr std::size_t message_bytes = header_bytes + fixed_part_bytes + payload_bytes;
constexpr auto duration = std::chrono::milliseconds(500);

// The best of three, so that a busy machine shows less.
template <class Work>
void measure(const char* verb, std::string_view algorithm, Work work) {
  double best = 0;
  for (int attempt = 0; attempt < 3; ++attempt) {
    const auto begin = Clock::now();
    std::size_t messages = 0;
    do {
      if (!work()) {
        std::fprintf(stderr, "%s failed\n", verb);
        std::exit(1);
      }
      ++messages;
    } while (Clock::now() - begin < duration);
    const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    best = std::max(best, static_cast<double>(messages * message_bytes) / seconds / 1e9);
  }
  std::printf("%-7s %-13.*s %6.2f GB/s\n", verb, static_cast<int>(algorithm.size()),
              algorithm.data(), best);
}

void measure_signing(SigningAlgorithm algorithm) {
  std::vector<std::byte> message(message_bytes);
  store_le(message.data() + 24, std::uint64_t{1});
  const MutableBytes header = MutableBytes(message).first(header_bytes);
  const Bytes rest[] = {Bytes(message).subspan(header_bytes, fixed_part_bytes),
                        Bytes(message).last(payload_bytes)};
  Signer signer = Signer::create(algorithm, Key::zeros(16)).value();
  measure("sign", name_of(algorithm), [&] { return signer.sign(header, rest).has_value(); });
  measure("verify", name_of(algorithm), [&] { return signer.verify(message).has_value(); });
}

void measure_sealing(Cipher cipher) {
  const std::vector<std::byte> message(message_bytes);
  const Bytes pieces[] = {Bytes(message).first(header_bytes + fixed_part_bytes),
                          Bytes(message).last(payload_bytes)};
  std::vector<std::byte> frame(transform_header_bytes + message_bytes);
  const Key key = Key::zeros(key_bytes(cipher));
  Sealer sealer = Sealer::create(cipher, key, key).value();
  NonceRange nonces(0);
  measure("seal", name_of(cipher),
          [&] { return sealer.seal(1, *nonces.next(), pieces, frame).has_value(); });
  // Decrypts in place, so each turn needs the sealed frame again: a copy is part of the time.
  std::vector<std::byte> received(frame.size());
  measure("unseal", name_of(cipher), [&] {
    std::copy(frame.begin(), frame.end(), received.begin());
    return sealer.unseal(received).has_value();
  });
}

}  // namespace

int main() {
  for (const SigningAlgorithm algorithm : preferred_signing_algorithms()) {
    measure_signing(algorithm);
  }
  for (const Cipher cipher : preferred_ciphers()) measure_sealing(cipher);
}
