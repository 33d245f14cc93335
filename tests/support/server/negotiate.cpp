// NEGOTIATE: [MS-SMB2] 3.3.5.4, of dialect 3.1.1 alone.
#include "wire/negotiate.h"

#include "base/utf16.h"
#include "support/server/connection.h"
#include "support/server/handlers.h"
#include "support/server/server.h"

#include <algorithm>

namespace smb3::server {
namespace {

using wire::Capabilities;
using wire::NegotiateContext;
using wire::NegotiateContextType;

constexpr std::size_t salt_bytes = 32;

// Without multi-credit requests one credit pays for all of a payload.
constexpr std::uint32_t small_payload_bytes = 65536;

std::size_t count(const wire::NegotiateRequest& request, NegotiateContextType type) {
  return static_cast<std::size_t>(
      std::ranges::count(request.contexts, type, &NegotiateContext::context_type));
}

const NegotiateContext* find(const wire::NegotiateRequest& request, NegotiateContextType type) {
  const auto found = std::ranges::find(request.contexts, type, &NegotiateContext::context_type);
  return found == request.contexts.end() ? nullptr : &*found;
}

StatusOr<> check_preauth(const wire::NegotiateRequest& request) {
  const auto type = NegotiateContextType::preauth_integrity_capabilities;
  if (count(request, type) != 1) return refuse(NtStatus::invalid_parameter);
  const auto preauth = wire::decode<wire::PreauthIntegrityCapabilities>(find(request, type)->data);
  if (!preauth) return refuse(NtStatus::invalid_parameter);
  if (std::ranges::find(preauth->hash_algorithms, HashAlgorithm::sha_512) ==
      preauth->hash_algorithms.end()) {
    return refuse(NtStatus::smb_no_preauth_integrity_hash_overlap);
  }
  return {};
}

StatusOr<> check(const wire::NegotiateRequest& request) {
  if (request.dialects.empty()) return refuse(NtStatus::invalid_parameter);
  if (std::ranges::find(request.dialects, wire::Dialect::smb_3_1_1) == request.dialects.end()) {
    return refuse(NtStatus::not_supported);
  }
  for (const auto type : {NegotiateContextType::encryption_capabilities,
                          NegotiateContextType::compression_capabilities,
                          NegotiateContextType::rdma_transform_capabilities,
                          NegotiateContextType::signing_capabilities}) {
    if (count(request, type) > 1) return refuse(NtStatus::invalid_parameter);
  }
  return check_preauth(request);
}

// The first of ours that the client offers too.
template <class T>
std::optional<T> choose(const std::vector<T>& ours, const std::vector<T>& theirs) {
  for (const T one : ours) {
    if (std::ranges::find(theirs, one) != theirs.end()) return one;
  }
  return std::nullopt;
}

// Nothing: the client sent no such context, or there is none of ours.
StatusOr<std::optional<Cipher>> choose_cipher(const wire::NegotiateRequest& request,
                                              const std::vector<Cipher>& ours) {
  const auto* const context = find(request, NegotiateContextType::encryption_capabilities);
  if (!context || ours.empty()) return std::nullopt;
  const auto encryption = wire::decode<wire::EncryptionCapabilities>(context->data);
  if (!encryption) return refuse(NtStatus::invalid_parameter);
  return choose(ours, encryption->ciphers).value_or(Cipher::none);
}

StatusOr<std::optional<SigningAlgorithm>> choose_signing(
    const wire::NegotiateRequest& request, const std::vector<SigningAlgorithm>& ours) {
  const auto* const context = find(request, NegotiateContextType::signing_capabilities);
  if (!context || ours.empty()) return std::nullopt;
  const auto signing = wire::decode<wire::SigningCapabilities>(context->data);
  if (!signing || signing->signing_algorithms.empty()) return refuse(NtStatus::invalid_parameter);
  // [MS-SMB2] 3.3.5.4: without a common one it is AES-CMAC.
  return choose(ours, signing->signing_algorithms).value_or(SigningAlgorithm::aes_128_cmac);
}

Capabilities capabilities_of(const ServerSettings& settings, Capabilities asked) {
  Capabilities capabilities = Capabilities::none;
  if (settings.leasing) capabilities |= Capabilities::leasing;
  if (settings.large_mtu) capabilities |= Capabilities::large_mtu;
  if (settings.multichannel) capabilities |= asked & Capabilities::multi_channel;
  if (settings.persistent_handles) capabilities |= asked & Capabilities::persistent_handles;
  return capabilities;
}

void remember(Connection::Negotiated& negotiated, const wire::NegotiateRequest& request,
              const ServerSettings& settings) {
  negotiated.done = true;
  negotiated.client_guid = request.client_guid;
  negotiated.client_capabilities = static_cast<std::uint32_t>(request.capabilities);
  negotiated.client_security_mode = static_cast<std::uint16_t>(request.security_mode);
  negotiated.large_mtu = settings.large_mtu;
  const std::uint32_t most = settings.large_mtu ? ~std::uint32_t{0} : small_payload_bytes;
  negotiated.max_transact_bytes = std::min(settings.max_transact_bytes, most);
  negotiated.max_read_bytes = std::min(settings.max_read_bytes, most);
  negotiated.max_write_bytes = std::min(settings.max_write_bytes, most);
  const auto* const netname = find(request, NegotiateContextType::netname_negotiate_context_id);
  if (netname) negotiated.netname = from_utf16le(netname->data).value_or("");
}

}  // namespace

Task<Answer> negotiate(Request& request) {
  const ServerSettings& settings = request.server.settings();
  Connection& connection = request.connection;
  const auto asked = wire::decode<wire::NegotiateRequest>(request.element);
  if (!asked) co_return Answer::refusal(NtStatus::invalid_parameter);
  if (const auto checked = check(*asked); !checked) co_return Answer::refusal(checked.error());
  const auto cipher = choose_cipher(*asked, settings.ciphers);
  if (!cipher) co_return Answer::refusal(cipher.error());
  const auto signing = choose_signing(*asked, settings.signing_algorithms);
  if (!signing) co_return Answer::refusal(signing.error());

  remember(connection.negotiated, *asked, settings);
  connection.negotiated.cipher = cipher->value_or(Cipher::none);
  connection.negotiated.signing = signing->value_or(SigningAlgorithm::aes_128_cmac);

  std::array<std::byte, salt_bytes> salt;
  request.server.reactor().random(salt);
  ByteBuffer preauth_data, cipher_data, signing_data;
  wire::PreauthIntegrityCapabilities preauth;
  preauth.hash_algorithms = {HashAlgorithm::sha_512};
  preauth.salt = salt;
  wire::NegotiateResponse response;
  response.contexts.push_back(wire::make_context(preauth, preauth_data));
  if (*cipher) {
    wire::EncryptionCapabilities encryption;
    encryption.ciphers = {**cipher};
    response.contexts.push_back(wire::make_context(encryption, cipher_data));
  }
  if (*signing) {
    wire::SigningCapabilities capabilities;
    capabilities.signing_algorithms = {**signing};
    response.contexts.push_back(wire::make_context(capabilities, signing_data));
  }
  response.security_mode = wire::SecurityMode::signing_enabled;
  if (settings.signing == SigningPolicy::required) {
    response.security_mode |= wire::SecurityMode::signing_required;
  }
  response.server_guid = request.server.guid();
  response.capabilities = capabilities_of(settings, asked->capabilities);
  response.max_transact_size = connection.negotiated.max_transact_bytes;
  response.max_read_size = connection.negotiated.max_read_bytes;
  response.max_write_size = connection.negotiated.max_write_bytes;
  response.system_time = request.server.file_time();
  const std::vector<std::byte> hint = request.server.acceptors().hint();
  response.security_buffer = hint;

  auto chained = connection.preauth.update(request.element);
  static_cast<void>(chained);
  Answer answer = Answer::of(response);
  answer.preauth = std::shared_ptr<PreauthIntegrity>(std::shared_ptr<void>(), &connection.preauth);
  co_return std::move(answer);
}

}  // namespace smb3::server
