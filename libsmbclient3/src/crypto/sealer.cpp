// Encrypted frames: the TRANSFORM_HEADER and AES-GCM or AES-CCM.
#include "crypto/sealer.h"

#include "crypto/openssl.h"

#include <algorithm>
#include <cassert>
#include <climits>
#include <cstring>
#include <utility>

namespace smb3 {
namespace {

// SMB2 TRANSFORM_HEADER, [MS-SMB2] 2.2.41.
constexpr std::uint32_t transform_protocol_id = 0x424D53FD;
constexpr std::size_t tag_at = 4;
constexpr std::size_t nonce_at = 20;
constexpr std::size_t original_message_size_at = 36;
constexpr std::size_t flags_at = 42;
constexpr std::size_t session_id_at = 44;
constexpr std::uint16_t flags_encrypted = 1;

constexpr int tag_bytes = 16;
constexpr int gcm_nonce_bytes = 12;
constexpr int ccm_nonce_bytes = 11;

bool is_ccm(Cipher cipher) noexcept {
  return cipher == Cipher::aes_128_ccm || cipher == Cipher::aes_256_ccm;
}

// All that follows the tag is authenticated with the ciphertext.
Bytes additional_data(Bytes frame) noexcept {
  return frame.subspan(nonce_at, transform_header_bytes - nonce_at);
}

std::uint64_t total_bytes(std::span<const Bytes> pieces) noexcept {
  std::uint64_t total = 0;
  for (const Bytes piece : pieces) total += piece.size();
  return total;
}

void write_header(std::uint64_t session_id, const Nonce& nonce, MutableBytes frame) noexcept {
  std::memset(frame.data(), 0, transform_header_bytes);
  store_le(frame.data(), transform_protocol_id);
  std::copy(nonce.begin(), nonce.end(), frame.begin() + nonce_at);
  store_le(frame.data() + original_message_size_at,
           static_cast<std::uint32_t>(frame.size() - transform_header_bytes));
  store_le(frame.data() + flags_at, flags_encrypted);
  store_le(frame.data() + session_id_at, session_id);
}

// One of EVP_CipherUpdate's meanings each. The sizes have been checked to fit an int.
bool announce(EVP_CIPHER_CTX* context, std::size_t size) noexcept {
  int length = 0;
  return EVP_CipherUpdate(context, nullptr, &length, nullptr, static_cast<int>(size)) > 0;
}

bool authenticate(EVP_CIPHER_CTX* context, Bytes data) noexcept {
  int length = 0;
  return EVP_CipherUpdate(context, nullptr, &length, openssl::in(data.data()),
                          static_cast<int>(data.size())) > 0;
}

bool transform(EVP_CIPHER_CTX* context, Bytes from, std::byte* to) noexcept {
  int length = 0;
  return EVP_CipherUpdate(context, openssl::out(to), &length, openssl::in(from.data()),
                          static_cast<int>(from.size())) > 0 &&
         static_cast<std::size_t>(length) == from.size();
}

bool start(EVP_CIPHER_CTX* context, const std::byte* nonce) noexcept {
  return EVP_CipherInit_ex2(context, nullptr, nullptr, openssl::in(nonce), -1, nullptr);
}

bool finish(EVP_CIPHER_CTX* context, std::byte* end) noexcept {
  int length = 0;
  return EVP_CipherFinal_ex(context, openssl::out(end), &length) > 0;
}

// AES-CCM takes the whole plaintext in one call, so several pieces are put together where the
// ciphertext will be.
bool encrypt_ccm(EVP_CIPHER_CTX* context, std::span<const Bytes> pieces, MutableBytes frame) {
  const MutableBytes body = frame.subspan(transform_header_bytes);
  Bytes plaintext = pieces.front();
  if (pieces.size() > 1) {
    std::byte* at = body.data();
    for (const Bytes piece : pieces) at = std::copy(piece.begin(), piece.end(), at);
    plaintext = body;
  }
  return start(context, frame.data() + nonce_at) && announce(context, body.size()) &&
         authenticate(context, additional_data(frame)) &&
         transform(context, plaintext, body.data());
}

bool encrypt_gcm(EVP_CIPHER_CTX* context, std::span<const Bytes> pieces, MutableBytes frame) {
  bool done =
      start(context, frame.data() + nonce_at) && authenticate(context, additional_data(frame));
  std::byte* at = frame.data() + transform_header_bytes;
  for (const Bytes piece : pieces) {
    if (piece.empty()) continue;
    done = done && transform(context, piece, at);
    at += piece.size();
  }
  return done && finish(context, at);
}

// False when the tag is wrong.
bool decrypt(EVP_CIPHER_CTX* context, bool ccm, MutableBytes frame) {
  const MutableBytes body = frame.subspan(transform_header_bytes);
  return start(context, frame.data() + nonce_at) &&
         EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, tag_bytes, frame.data() + tag_at) >
             0 &&
         (!ccm || announce(context, body.size())) &&
         authenticate(context, additional_data(frame)) && transform(context, body, body.data()) &&
         (ccm || finish(context, frame.data() + frame.size()));
}

Error malformed(const char* what) { return Error(ErrorKind::protocol, what); }

Result<> check_header(Bytes frame) {
  if (frame.size() <= transform_header_bytes) {
    return std::unexpected(malformed("an encrypted message is too short"));
  }
  if (load_le<std::uint32_t>(frame.data()) != transform_protocol_id) {
    return std::unexpected(malformed("a message that must be encrypted is not encrypted"));
  }
  if (load_le<std::uint16_t>(frame.data() + flags_at) != flags_encrypted) {
    return std::unexpected(malformed("an encrypted message has wrong flags"));
  }
  const auto original_message_size =
      load_le<std::uint32_t>(frame.data() + original_message_size_at);
  if (original_message_size != frame.size() - transform_header_bytes || frame.size() > INT_MAX) {
    return std::unexpected(malformed("an encrypted message has not the length that it tells"));
  }
  return {};
}

}  // namespace

std::optional<std::uint64_t> sealed_session_id(Bytes frame) noexcept {
  if (frame.size() < transform_header_bytes ||
      load_le<std::uint32_t>(frame.data()) != transform_protocol_id) {
    return std::nullopt;
  }
  return load_le<std::uint64_t>(frame.data() + session_id_at);
}

void Sealer::ContextDeleter::operator()(evp_cipher_ctx_st* context) const noexcept {
  EVP_CIPHER_CTX_free(context);
}

Sealer::Sealer(Cipher cipher, Context encryption, Context decryption) noexcept
    : cipher_(cipher), encryption_(std::move(encryption)), decryption_(std::move(decryption)) {}
Sealer::Sealer(Sealer&&) noexcept = default;
Sealer& Sealer::operator=(Sealer&&) noexcept = default;
Sealer::~Sealer() = default;

Result<Sealer> Sealer::create(Cipher cipher, const Key& encryption_key, const Key& decryption_key) {
  auto encryption = make_context(cipher, encryption_key, true);
  if (!encryption) return std::unexpected(std::move(encryption.error()));
  auto decryption = make_context(cipher, decryption_key, false);
  if (!decryption) return std::unexpected(std::move(decryption.error()));
  return Sealer(cipher, *std::move(encryption), *std::move(decryption));
}

Result<Sealer::Context> Sealer::make_context(Cipher cipher, const Key& key, bool encrypts) {
  // Checked in every build: an empty key would encrypt, with zeros.
  if (cipher == Cipher::none || key.size() != key_bytes(cipher)) {
    return std::unexpected(Error(ErrorKind::local, "a key for encryption has the wrong size"));
  }
  const auto algorithm = openssl::fetch_cipher(name_of(cipher));
  if (!algorithm) return std::unexpected(openssl::lacks(name_of(cipher)));
  Context context(EVP_CIPHER_CTX_new());
  const bool ccm = is_ccm(cipher);
  const int nonce_bytes = ccm ? ccm_nonce_bytes : gcm_nonce_bytes;
  // The sizes of nonce and tag (CCM mixes them into the first block) go in before the key.
  if (!context ||
      !EVP_CipherInit_ex2(context.get(), algorithm.get(), nullptr, nullptr, encrypts, nullptr) ||
      EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_AEAD_SET_IVLEN, nonce_bytes, nullptr) <= 0 ||
      (ccm && EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_AEAD_SET_TAG, tag_bytes, nullptr) <= 0) ||
      !EVP_CipherInit_ex2(context.get(), nullptr, openssl::in(key.bytes().data()), nullptr, -1,
                          nullptr)) {
    return std::unexpected(openssl::failed("EVP_CipherInit_ex2"));
  }
  return context;
}

Result<> Sealer::seal(std::uint64_t session_id, const Nonce& nonce, std::span<const Bytes> pieces,
                      MutableBytes out) {
  const std::uint64_t total = total_bytes(pieces);
  assert(out.size() == transform_header_bytes + total);
  if (total == 0 || out.size() != transform_header_bytes + total || out.size() > INT_MAX) {
    return std::unexpected(Error(ErrorKind::local, "a message of this size cannot be encrypted"));
  }
  write_header(session_id, nonce, out);
  const bool done = is_ccm(cipher_) ? encrypt_ccm(encryption_.get(), pieces, out)
                                    : encrypt_gcm(encryption_.get(), pieces, out);
  if (!done || EVP_CIPHER_CTX_ctrl(encryption_.get(), EVP_CTRL_AEAD_GET_TAG, tag_bytes,
                                   out.data() + tag_at) <= 0) {
    // For AES-CCM it may hold plaintext.
    cleanse(out);
    return std::unexpected(openssl::failed("sealing"));
  }
  return {};
}

Result<MutableBytes> Sealer::unseal(MutableBytes frame) {
  if (auto checked = check_header(frame); !checked) {
    return std::unexpected(std::move(checked.error()));
  }
  const MutableBytes body = frame.subspan(transform_header_bytes);
  if (!decrypt(decryption_.get(), is_ccm(cipher_), frame)) {
    cleanse(body);
    return std::unexpected(
        Error(ErrorKind::security, "an encrypted message does not decrypt")
            .advise("something between this machine and the server alters the traffic"));
  }
  // [MS-SMB2] 3.2.5.1.1: what was encrypted is a message or a compressed one.
  if (body.size() >= sizeof(std::uint32_t) &&
      load_le<std::uint32_t>(body.data()) == transform_protocol_id) {
    cleanse(body);
    return std::unexpected(malformed("an encrypted message lies within an encrypted message"));
  }
  return body;
}

}  // namespace smb3
