// The data path allocates nothing: neither ours (operator new) nor OpenSSL's.
#include "crypto/sealer.h"
#include "crypto/signer.h"

#include "unit/crypto/vectors.h"

#include <openssl/crypto.h>

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<long> allocations{0};

void* counted(std::size_t size) {
  ++allocations;
  return std::malloc(size == 0 ? 1 : size);
}

void* openssl_malloc(std::size_t size, const char*, int) {
  return size == 0 ? nullptr : counted(size);
}
void* openssl_realloc(void* old, std::size_t size, const char*, int) {
  ++allocations;
  return std::realloc(old, size);
}
void openssl_free(void* memory, const char*, int) { std::free(memory); }

// Possible only before OpenSSL has allocated anything.
const bool counts_openssl =
    CRYPTO_set_mem_functions(openssl_malloc, openssl_realloc, openssl_free) == 1;

}  // namespace

[[gnu::noinline]] void* operator new(std::size_t size) {
  void* memory = counted(size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace smb3 {
namespace {

using namespace test;

template <class Work>
long allocations_of(int times, Work work) {
  for (int i = 0; i < 3; ++i) work();
  const long before = allocations;
  for (int i = 0; i < times; ++i) work();
  return allocations - before;
}

TEST(Allocation, TheCounterCounts) {
  ASSERT_TRUE(counts_openssl);
  EXPECT_EQ(allocations_of(5, [] { delete ::new (::operator new(sizeof(int))) int; }), 5);
  EXPECT_GE(allocations_of(5, [] { CRYPTO_free(CRYPTO_malloc(8, "", 0), "", 0); }), 5);
}

TEST(Allocation, SigningAndVerifying) {
  Octets message(64 + 100'000);
  store_le(message.data() + 24, std::uint64_t{5});
  const Bytes rest[] = {Bytes(message).subspan(64, 100), Bytes(message).subspan(164)};
  for (const auto algorithm : {SigningAlgorithm::hmac_sha256, SigningAlgorithm::aes_128_cmac,
                               SigningAlgorithm::aes_128_gmac}) {
    Signer signer = Signer::create(algorithm, Key::zeros(16)).value();
    bool good = true;
    const long count = allocations_of(100, [&] {
      good = good && signer.sign(MutableBytes(message).first(64), rest) && signer.verify(message);
    });
    EXPECT_TRUE(good);
    // OpenSSL copies a digest's state for each HMAC; there is no way around it that keeps the key.
    const long allowed = algorithm == SigningAlgorithm::hmac_sha256 ? 2 * 200 : 0;
    EXPECT_LE(count, allowed) << name_of(algorithm);
  }
}

TEST(Allocation, SealingAndUnsealing) {
  Octets message(100'000);
  const Bytes pieces[] = {Bytes(message).first(100), Bytes(message).subspan(100)};
  Octets frame(transform_header_bytes + message.size());
  NonceRange nonces(0);
  for (const Cipher cipher :
       {Cipher::aes_128_ccm, Cipher::aes_128_gcm, Cipher::aes_256_ccm, Cipher::aes_256_gcm}) {
    const Key key = Key::zeros(key_bytes(cipher));
    Sealer sealer = Sealer::create(cipher, key, key).value();
    bool good = true;
    const long count = allocations_of(100, [&] {
      good = good && sealer.seal(1, *nonces.next(), pieces, frame) && sealer.unseal(frame);
    });
    EXPECT_TRUE(good);
    EXPECT_EQ(count, 0) << name_of(cipher);
  }
}

}  // namespace
}  // namespace smb3
