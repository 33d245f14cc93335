#include "crypto/available.h"

#include "crypto/preauth_integrity.h"
#include "crypto/sealer.h"
#include "crypto/signer.h"

#include <openssl/err.h>
#include <openssl/evp.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace smb3 {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(Available, EverythingOnAPlainInstallation) {
  EXPECT_TRUE(check_crypto());
  EXPECT_THAT(preferred_ciphers(), ElementsAre(Cipher::aes_128_gcm, Cipher::aes_256_gcm,
                                               Cipher::aes_128_ccm, Cipher::aes_256_ccm));
  EXPECT_THAT(preferred_signing_algorithms(),
              ElementsAre(SigningAlgorithm::aes_128_gmac, SigningAlgorithm::aes_128_cmac,
                          SigningAlgorithm::hmac_sha256));
}

TEST(Available, NoneIsNotACipher) { EXPECT_FALSE(has_cipher(Cipher::none)); }

// A policy that no provider of this process fulfils, as on a machine with a half-made FIPS setup.
class WithoutAlgorithms : public testing::Test {
 protected:
  WithoutAlgorithms() { EVP_set_default_properties(nullptr, "fips=yes"); }
  ~WithoutAlgorithms() override { EVP_set_default_properties(nullptr, ""); }
};

TEST_F(WithoutAlgorithms, TheErrorTellsWhatIsMissingAndWhereToLook) {
  ERR_clear_error();
  const auto checked = check_crypto();
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().kind(), ErrorKind::local);
  EXPECT_THAT(checked.error().what(), HasSubstr("SHA-512"));
  EXPECT_THAT(checked.error().hint(), HasSubstr("libssl3"));
  EXPECT_THAT(checked.error().hint(), HasSubstr("openssl.cnf"));
  EXPECT_EQ(ERR_peek_error(), 0U) << "the application's queue of errors is not ours to fill";
}

TEST_F(WithoutAlgorithms, NothingIsOffered) {
  EXPECT_THAT(preferred_ciphers(), IsEmpty());
  EXPECT_THAT(preferred_signing_algorithms(), IsEmpty());
}

TEST_F(WithoutAlgorithms, NothingCanBeMade) {
  const Key key = Key::zeros(16);
  for (const auto algorithm : {SigningAlgorithm::hmac_sha256, SigningAlgorithm::aes_128_cmac,
                               SigningAlgorithm::aes_128_gmac}) {
    const auto signer = Signer::create(algorithm, key);
    ASSERT_FALSE(signer);
    EXPECT_EQ(signer.error().kind(), ErrorKind::local);
  }
  const auto sealer = Sealer::create(Cipher::aes_128_ccm, key, key);
  ASSERT_FALSE(sealer);
  EXPECT_THAT(sealer.error().what(), HasSubstr("AES-128-CCM"));
  EXPECT_FALSE(PreauthIntegrity().update({}));
}

}  // namespace
}  // namespace smb3
