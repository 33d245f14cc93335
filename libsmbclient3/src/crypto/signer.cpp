// Signatures of messages under one key.
#include "crypto/signer.h"

#include "crypto/mac.h"
#include "crypto/openssl.h"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <limits>
#include <utility>

namespace smb3 {
namespace {

// The parts of the SMB2 header that signing looks at, [MS-SMB2] 2.2.1.2.
constexpr std::size_t header_bytes = 64;
constexpr std::size_t command_at = 12;
constexpr std::size_t flags_at = 16;
constexpr std::size_t message_id_at = 24;
constexpr std::size_t signature_at = 48;
constexpr std::uint32_t flags_server_to_redir = 0x1;
constexpr std::uint32_t flags_signed = 0x8;
constexpr std::uint16_t command_cancel = 0xC;

constexpr std::size_t signing_key_bytes = 16;

// [MS-SMB2] 3.1.4.1: who sends is part of the nonce, and so is whether it is a CANCEL, which bears
// the MessageId of the request that it cancels.
Mac::GmacNonce gmac_nonce(Bytes header) noexcept {
  const bool from_server =
      (load_le<std::uint32_t>(header.data() + flags_at) & flags_server_to_redir) != 0;
  const bool cancel = load_le<std::uint16_t>(header.data() + command_at) == command_cancel;
  Mac::GmacNonce nonce;
  store_le(nonce.data(), load_le<std::uint64_t>(header.data() + message_id_at));
  store_le(nonce.data() + sizeof(std::uint64_t),
           (from_server ? std::uint32_t{1} : 0) | (cancel ? std::uint32_t{2} : 0));
  return nonce;
}

// Under these two several messages would share a nonce.
bool message_id_unfit_for_gmac(Bytes header) noexcept {
  const auto message_id = load_le<std::uint64_t>(header.data() + message_id_at);
  return message_id == 0 || message_id == std::numeric_limits<std::uint64_t>::max();
}

}  // namespace

Signer::Signer(SigningAlgorithm algorithm, std::unique_ptr<Mac> mac) noexcept
    : algorithm_(algorithm), mac_(std::move(mac)) {}
Signer::Signer(Signer&&) noexcept = default;
Signer& Signer::operator=(Signer&&) noexcept = default;
Signer::~Signer() = default;

Result<Signer> Signer::create(SigningAlgorithm algorithm, const Key& signing_key) {
  // Checked in every build: an empty key would sign, with zeros.
  if (signing_key.size() != signing_key_bytes) {
    return std::unexpected(Error(ErrorKind::local, "a signing key has the wrong size"));
  }
  auto mac = make_mac(algorithm, signing_key);
  if (!mac) return std::unexpected(std::move(mac.error()));
  return Signer(algorithm, *std::move(mac));
}

Result<> Signer::sign(MutableBytes header, std::span<const Bytes> rest) {
  assert(header.size() == header_bytes);
  store_le(header.data() + flags_at,
           load_le<std::uint32_t>(header.data() + flags_at) | flags_signed);
  const MutableBytes field = header.subspan(signature_at);
  std::fill(field.begin(), field.end(), std::byte{0});
  Signature signature;
  auto computed = compute(header, rest, signature);
  if (computed) std::copy(signature.begin(), signature.end(), field.begin());
  return computed;
}

Result<> Signer::verify(Bytes element) {
  if (element.size() < header_bytes) {
    return std::unexpected(Error(ErrorKind::protocol, "a message is shorter than its header"));
  }
  std::array<std::byte, header_bytes> header;
  std::copy_n(element.begin(), header_bytes, header.begin());
  if ((load_le<std::uint32_t>(header.data() + flags_at) & flags_signed) == 0) {
    return std::unexpected(
        Error(ErrorKind::security, "a message that must be signed is not signed"));
  }
  std::fill(header.begin() + signature_at, header.end(), std::byte{0});

  const Bytes rest[] = {element.subspan(header_bytes)};
  Signature expected;
  if (auto computed = compute(header, rest, expected); !computed) return computed;
  if (!equal_in_constant_time(element.subspan(signature_at, expected.size()), expected)) {
    return std::unexpected(
        Error(ErrorKind::security, "the signature of a message is wrong")
            .advise("something between this machine and the server alters the traffic"));
  }
  return {};
}

Result<> Signer::compute(Bytes header, std::span<const Bytes> rest, Signature& signature) {
  Mac::GmacNonce nonce{};
  if (algorithm_ == SigningAlgorithm::aes_128_gmac) {
    if (message_id_unfit_for_gmac(header)) {
      return std::unexpected(
          Error(ErrorKind::security, "a message with this MessageId cannot bear an AES-GMAC"));
    }
    nonce = gmac_nonce(header);
  }
  bool done = mac_->begin(nonce) && mac_->update(header);
  for (const Bytes piece : rest) done = done && mac_->update(piece);
  if (!done || !mac_->finish(signature)) return std::unexpected(openssl::failed("signing"));
  return {};
}

}  // namespace smb3
