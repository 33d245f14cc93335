// AES-128-CMAC, RFC 4493, on top of OpenSSL's AES-CBC.
#include "crypto/cmac.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace smb3 {
namespace {

// Multiplication by x in GF(2^128): RFC 4493 2.3.
template <class Block>
Block doubled(const Block& block) noexcept {
  Block result;
  for (std::size_t i = 0; i < block.size(); ++i) {
    const std::byte carry = i + 1 < block.size() ? block[i + 1] >> 7 : std::byte{0};
    result[i] = (block[i] << 1) | carry;
  }
  // No branch on a bit of the key.
  const auto top_bit = std::to_integer<unsigned>(block[0] >> 7);
  result.back() ^= static_cast<std::byte>(0x87 & (0U - top_bit));
  return result;
}

}  // namespace

Result<std::unique_ptr<Mac>> Cmac::make(const Key& key) {
  const auto cipher = openssl::fetch_cipher("AES-128-CBC");
  if (!cipher) return std::unexpected(openssl::lacks("AES-128-CBC"));
  openssl::CipherContextPtr cbc(EVP_CIPHER_CTX_new());
  if (!cbc ||
      !EVP_EncryptInit_ex2(cbc.get(), cipher.get(), openssl::in(key.bytes().data()), nullptr,
                           nullptr) ||
      !EVP_CIPHER_CTX_set_padding(cbc.get(), 0)) {
    return std::unexpected(openssl::failed("EVP_EncryptInit_ex2"));
  }
  std::unique_ptr<Cmac> mac(new Cmac(std::move(cbc)));
  if (!mac->make_subkeys()) return std::unexpected(openssl::failed("EVP_EncryptUpdate"));
  return mac;
}

Cmac::~Cmac() {
  cleanse(subkey_full_);
  cleanse(subkey_padded_);
}

bool Cmac::make_subkeys() {
  if (!begin({}) || !encrypt(Block{})) return false;
  Block zero_block;
  std::copy_n(ciphertext_.begin(), block_bytes, zero_block.begin());
  subkey_full_ = doubled(zero_block);
  subkey_padded_ = doubled(subkey_full_);
  cleanse(zero_block);
  cleanse(ciphertext_);
  return true;
}

bool Cmac::begin(const GmacNonce&) {
  static constexpr Block zero_iv{};
  held_bytes_ = 0;
  return EVP_EncryptInit_ex2(cbc_.get(), nullptr, nullptr, openssl::in(zero_iv.data()), nullptr);
}

bool Cmac::update(Bytes piece) {
  if (piece.empty()) return true;
  const std::size_t taken = std::min(block_bytes - held_bytes_, piece.size());
  std::copy_n(piece.begin(), taken, held_.begin() + held_bytes_);
  held_bytes_ += taken;
  piece = piece.subspan(taken);
  if (piece.empty()) return true;

  // More follows, so the held block is not the last one; of what follows the last block, whole or
  // not, is kept back in its place.
  if (!encrypt(held_)) return false;
  const std::size_t blocks_bytes = (piece.size() - 1) / block_bytes * block_bytes;
  if (!encrypt(piece.first(blocks_bytes))) return false;
  piece = piece.subspan(blocks_bytes);
  std::copy(piece.begin(), piece.end(), held_.begin());
  held_bytes_ = piece.size();
  return true;
}

bool Cmac::finish(Tag& tag) {
  const bool whole = held_bytes_ == block_bytes;
  if (!whole) {
    held_[held_bytes_] = std::byte{0x80};
    std::fill(held_.begin() + held_bytes_ + 1, held_.end(), std::byte{0});
  }
  const Block& subkey = whole ? subkey_full_ : subkey_padded_;
  for (std::size_t i = 0; i < block_bytes; ++i) held_[i] ^= subkey[i];
  if (!encrypt(held_)) return false;
  std::copy_n(ciphertext_.begin(), block_bytes, tag.begin());
  return true;
}

bool Cmac::encrypt(Bytes blocks) {
  assert(blocks.size() % block_bytes == 0);
  while (!blocks.empty()) {
    const Bytes run = blocks.first(std::min(blocks.size(), ciphertext_.size()));
    int written = 0;
    if (!EVP_EncryptUpdate(cbc_.get(), openssl::out(ciphertext_.data()), &written,
                           openssl::in(run.data()), static_cast<int>(run.size())) ||
        static_cast<std::size_t>(written) != run.size()) {
      return false;
    }
    blocks = blocks.subspan(run.size());
  }
  return true;
}

}  // namespace smb3
