#include "connection/negotiation.h"

#include "base/utf16.h"
#include "wire/negotiate.h"
#include "wire/negotiate_context.h"

#include <algorithm>
#include <cerrno>

namespace smb3 {
namespace {

using wire::NegotiateContext;
using wire::NegotiateContextType;

constexpr std::size_t salt_bytes = 32;

// Below this the standard lets a client disconnect: [MS-SMB2] 3.2.5.2.
constexpr std::uint32_t least_maximum_bytes = 65536;

Error broken(std::string what, unsigned line = __builtin_LINE()) {
  return Error(ErrorKind::protocol, std::move(what), __FILE__, line).during("NEGOTIATE");
}

// The data of the contexts of a request, at fixed addresses until it is encoded.
struct ContextStorage {
  ByteBuffer preauth, encryption, signing, netname;
};

Result<std::vector<NegotiateContext>> contexts_of(const NegotiateOptions& options, Bytes salt,
                                                  ContextStorage& storage) {
  std::vector<NegotiateContext> contexts;
  wire::PreauthIntegrityCapabilities preauth;
  preauth.hash_algorithms = {HashAlgorithm::sha_512};
  preauth.salt = salt;
  contexts.push_back(wire::make_context(preauth, storage.preauth));
  if (!options.ciphers.empty()) {
    wire::EncryptionCapabilities encryption;
    encryption.ciphers = options.ciphers;
    contexts.push_back(wire::make_context(encryption, storage.encryption));
  }
  wire::SigningCapabilities signing;
  signing.signing_algorithms = options.signing_algorithms;
  contexts.push_back(wire::make_context(signing, storage.signing));
  auto name = to_utf16le(options.server_name);
  if (!name) return std::unexpected(std::move(name).error());
  wire::NetnameNegotiateContextId netname;
  netname.net_name = *name;
  contexts.push_back(wire::make_context(netname, storage.netname));
  return contexts;
}

// The one context of a type; two of a type are a fault of the server.
Result<const NegotiateContext*> only(const std::vector<NegotiateContext>& contexts,
                                     NegotiateContextType type) {
  const NegotiateContext* found = nullptr;
  for (const NegotiateContext& context : contexts) {
    if (context.context_type != type) continue;
    if (found) return std::unexpected(broken("the server sent two contexts of one type"));
    found = &context;
  }
  return found;
}

Result<void> check_preauth(const std::vector<NegotiateContext>& contexts) {
  auto context = only(contexts, NegotiateContextType::preauth_integrity_capabilities);
  if (!context) return std::unexpected(std::move(context).error());
  if (!*context) {
    return std::unexpected(broken("the server sent no preauthentication integrity context"));
  }
  auto preauth = wire::decode<wire::PreauthIntegrityCapabilities>((*context)->data);
  if (!preauth) return std::unexpected(std::move(preauth).error());
  if (preauth->hash_algorithms != std::vector{HashAlgorithm::sha_512}) {
    return std::unexpected(broken("the server chose a hash that was not offered"));
  }
  return {};
}

Result<Cipher> chosen_cipher(const std::vector<NegotiateContext>& contexts,
                             const NegotiateOptions& options) {
  auto context = only(contexts, NegotiateContextType::encryption_capabilities);
  if (!context) return std::unexpected(std::move(context).error());
  if (!*context) return Cipher::none;
  auto encryption = wire::decode<wire::EncryptionCapabilities>((*context)->data);
  if (!encryption) return std::unexpected(std::move(encryption).error());
  if (encryption->ciphers.size() != 1) {
    return std::unexpected(broken("the server did not choose exactly one cipher"));
  }
  const Cipher cipher = encryption->ciphers.front();
  const bool offered =
      std::find(options.ciphers.begin(), options.ciphers.end(), cipher) != options.ciphers.end();
  if (cipher != Cipher::none && !offered) {
    return std::unexpected(broken("the server chose a cipher that was not offered"));
  }
  return cipher;
}

Result<SigningAlgorithm> chosen_signing(const std::vector<NegotiateContext>& contexts,
                                        const NegotiateOptions& options) {
  auto context = only(contexts, NegotiateContextType::signing_capabilities);
  if (!context) return std::unexpected(std::move(context).error());
  if (!*context) return SigningAlgorithm::aes_128_cmac;
  auto signing = wire::decode<wire::SigningCapabilities>((*context)->data);
  if (!signing) return std::unexpected(std::move(signing).error());
  const auto& offered = options.signing_algorithms;
  if (signing->signing_algorithms.size() != 1 ||
      std::find(offered.begin(), offered.end(), signing->signing_algorithms.front()) ==
          offered.end()) {
    return std::unexpected(broken("the server chose a signing algorithm that was not offered"));
  }
  return signing->signing_algorithms.front();
}

Result<Negotiated> check(const wire::NegotiateResponse& response, const NegotiateOptions& options) {
  if (response.dialect_revision != wire::Dialect::smb_3_1_1) {
    return std::unexpected(broken("the server chose a dialect that was not offered"));
  }
  if (response.max_transact_size < least_maximum_bytes ||
      response.max_read_size < least_maximum_bytes ||
      response.max_write_size < least_maximum_bytes) {
    return std::unexpected(broken("the server takes less than 65536 bytes a request"));
  }
  if (auto checked = check_preauth(response.contexts); !checked) {
    return std::unexpected(std::move(checked).error());
  }
  auto cipher = chosen_cipher(response.contexts, options);
  if (!cipher) return std::unexpected(std::move(cipher).error());
  auto signing = chosen_signing(response.contexts, options);
  if (!signing) return std::unexpected(std::move(signing).error());

  Negotiated negotiated;
  negotiated.server_guid = response.server_guid;
  negotiated.cipher = *cipher;
  negotiated.signing = *signing;
  negotiated.signing_required =
      wire::has(response.security_mode, wire::SecurityMode::signing_required);
  negotiated.capabilities = response.capabilities;
  // [MS-SMB2] 3.2.4.1.5: without multi-credit requests one credit pays for all of a payload.
  const bool large_mtu = wire::has(response.capabilities, wire::Capabilities::large_mtu);
  const std::uint32_t most = large_mtu ? ~std::uint32_t{0} : limits::credit_bytes;
  negotiated.max_transact_bytes = std::min(response.max_transact_size, most);
  negotiated.max_read_bytes = std::min(response.max_read_size, most);
  negotiated.max_write_bytes = std::min(response.max_write_size, most);
  negotiated.security_buffer.assign(response.security_buffer.begin(),
                                    response.security_buffer.end());
  return negotiated;
}

void give_up(void* context) {
  auto& connection = *static_cast<Connection*>(context);
  connection.fail(Error(ErrorKind::timed_out, "the server did not answer in time")
                      .during("NEGOTIATE")
                      .on(connection.options().server_label));
}

// Servers that know none of the dialects offered answer in this way too.
Error ended(Error error) {
  const int number = error.system_errno();
  const bool by_peer = number == 0 || number == ECONNRESET || number == EPIPE;
  if (error.kind() != ErrorKind::disconnected || !by_peer) return error;
  return Error(ErrorKind::disconnected, "the server closed the connection instead of an answer")
      .system(number)
      .during("NEGOTIATE")
      .on(error.object())
      .advise(only_smb_3_1_1)
      .advise_also("or check the port, if it is no SMB server");
}

Error refusal(NtStatus status) {
  if (status == NtStatus::not_supported || status == NtStatus::invalid_parameter ||
      status == NtStatus::smb_no_preauth_integrity_hash_overlap) {
    return Error(ErrorKind::unsupported, "the server does not speak SMB 3.1.1")
        .status(static_cast<std::uint32_t>(status))
        .during("NEGOTIATE")
        .advise(only_smb_3_1_1);
  }
  return status_error(status, "NEGOTIATE");
}

}  // namespace

Task<Negotiated> negotiate(Connection& connection, NegotiateOptions options) {
  std::array<std::byte, salt_bytes> salt;
  connection.reactor().random(salt);
  ContextStorage storage;
  wire::NegotiateRequest message;
  message.security_mode = options.signing_required ? wire::SecurityMode::signing_required
                                                   : wire::SecurityMode::signing_enabled;
  message.capabilities = wire::Capabilities::large_mtu | wire::Capabilities::encryption;
  if (options.multi_channel) message.capabilities |= wire::Capabilities::multi_channel;
  message.client_guid = options.client_guid;
  message.dialects = {wire::Dialect::smb_3_1_1};
  message.contexts = co_await contexts_of(options, salt, storage);

  Request request;
  request.set(message);
  Exchange exchange(request);
  // An answer that trickles in is no silence, but nothing so short may take so long.
  Timer bound(connection.reactor());
  bound.set(connection.deadline(), &give_up, &connection);
  auto answered = co_await connection.transact(exchange);
  bound.clear();
  if (!answered) co_await ended(std::move(answered).error());
  if (request.status() != NtStatus::success) co_await refusal(request.status());
  const wire::PacketHeader& header = request.reply->header;
  if (header.is_signed() || header.session_id != 0) {
    co_await broken("the response is signed or belongs to a session");
  }
  auto decoded = wire::decode<wire::NegotiateResponse>(request.reply->message);
  const wire::NegotiateResponse response = co_await std::move(decoded);
  Negotiated negotiated = co_await check(response, options);
  auto first = negotiated.preauth.update(request.message.bytes());
  co_await std::move(first);
  auto second = negotiated.preauth.update(request.reply->message);
  co_await std::move(second);
  connection.set_negotiated(wire::has(negotiated.capabilities, wire::Capabilities::large_mtu));
  co_return std::move(negotiated);
}

}  // namespace smb3
