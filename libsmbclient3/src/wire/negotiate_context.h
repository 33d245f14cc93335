// The contexts of NEGOTIATE: [MS-SMB2] 2.2.3.1.
#pragma once

#include "base/algorithms.h"
#include "wire/codec.h"
#include "wire/flags.h"

#include <vector>

namespace smb3::wire {

enum class NegotiateContextType : std::uint16_t {
  preauth_integrity_capabilities = 0x0001,
  encryption_capabilities = 0x0002,
  compression_capabilities = 0x0003,
  netname_negotiate_context_id = 0x0005,
  transport_capabilities = 0x0006,
  rdma_transform_capabilities = 0x0007,
  signing_capabilities = 0x0008,
  posix_extensions_available = 0x0100,  // of Samba and Linux
};

// Any context: its data is decoded by its type, and unknown types are passed over.
struct NegotiateContext {
  static constexpr std::string_view wire_name = "NEGOTIATE_CONTEXT";

  NegotiateContextType context_type{};
  Bytes data{};

  template <class Codec, class Self>
  static constexpr void describe(Codec& c, Self& m) {
    c("context_type", m.context_type).length(u16, m.data).reserved(u32).follows("data", m.data);
  }
};
static_assert(fixed_size<NegotiateContext>() == 8);

// [MS-SMB2] 2.2.3.1.1
struct PreauthIntegrityCapabilities {
  static constexpr std::string_view wire_name = "PREAUTH_INTEGRITY_CAPABILITIES";
  static constexpr auto context_type = NegotiateContextType::preauth_integrity_capabilities;

  std::vector<HashAlgorithm> hash_algorithms{};
  Bytes salt{};

  template <class Codec, class Self>
  static constexpr void describe(Codec& c, Self& m) {
    c.count(u16, m.hash_algorithms).length(u16, m.salt);
    c.array("hash_algorithms", m.hash_algorithms).follows("salt", m.salt);
  }
};
static_assert(fixed_size<PreauthIntegrityCapabilities>() == 4);

// [MS-SMB2] 2.2.3.1.2
struct EncryptionCapabilities {
  static constexpr std::string_view wire_name = "ENCRYPTION_CAPABILITIES";
  static constexpr auto context_type = NegotiateContextType::encryption_capabilities;

  std::vector<Cipher> ciphers{};

  template <class Codec, class Self>
  static constexpr void describe(Codec& c, Self& m) {
    c.count(u16, m.ciphers).array("ciphers", m.ciphers);
  }
};
static_assert(fixed_size<EncryptionCapabilities>() == 2);

enum class CompressionAlgorithm : std::uint16_t {
  none = 0,
  lznt1 = 1,
  lz77 = 2,
  lz77_huffman = 3,
  pattern_v1 = 4,
  lz4 = 5,
};
enum class CompressionFlags : std::uint32_t { none = 0, chained = 1 };
template <>
inline constexpr bool is_flags<CompressionFlags> = true;

// [MS-SMB2] 2.2.3.1.3
struct CompressionCapabilities {
  static constexpr std::string_view wire_name = "COMPRESSION_CAPABILITIES";
  static constexpr auto context_type = NegotiateContextType::compression_capabilities;

  CompressionFlags flags = CompressionFlags::none;
  std::vector<CompressionAlgorithm> compression_algorithms{};

  template <class Codec, class Self>
  static constexpr void describe(Codec& c, Self& m) {
    c.count(u16, m.compression_algorithms).reserved(u16)("flags", m.flags);
    c.array("compression_algorithms", m.compression_algorithms);
  }
};
static_assert(fixed_size<CompressionCapabilities>() == 8);

// [MS-SMB2] 2.2.3.1.4: the server's name as the user gave it, UTF-16LE
struct NetnameNegotiateContextId {
  static constexpr std::string_view wire_name = "NETNAME_NEGOTIATE_CONTEXT_ID";
  static constexpr auto context_type = NegotiateContextType::netname_negotiate_context_id;

  Bytes net_name{};

  template <class Codec, class Self>
  static constexpr void describe(Codec& c, Self& m) {
    c.rest("net_name", m.net_name, text_part);
  }
};

enum class TransportFlags : std::uint32_t { none = 0, accept_transport_level_security = 1 };
template <>
inline constexpr bool is_flags<TransportFlags> = true;

// [MS-SMB2] 2.2.3.1.5
struct TransportCapabilities {
  static constexpr std::string_view wire_name = "TRANSPORT_CAPABILITIES";
  static constexpr auto context_type = NegotiateContextType::transport_capabilities;

  TransportFlags flags = TransportFlags::none;

  template <class Codec, class Self>
  static constexpr void describe(Codec& c, Self& m) {
    c("flags", m.flags);
  }
};
static_assert(fixed_size<TransportCapabilities>() == 4);

enum class RdmaTransform : std::uint16_t { none = 0, encryption = 1, signing = 2 };

// [MS-SMB2] 2.2.3.1.6
struct RdmaTransformCapabilities {
  static constexpr std::string_view wire_name = "RDMA_TRANSFORM_CAPABILITIES";
  static constexpr auto context_type = NegotiateContextType::rdma_transform_capabilities;

  std::vector<RdmaTransform> rdma_transform_ids{};

  template <class Codec, class Self>
  static constexpr void describe(Codec& c, Self& m) {
    c.count(u16, m.rdma_transform_ids).reserved(u16).reserved(u32);
    c.array("rdma_transform_ids", m.rdma_transform_ids);
  }
};
static_assert(fixed_size<RdmaTransformCapabilities>() == 8);

// [MS-SMB2] 2.2.3.1.7
struct SigningCapabilities {
  static constexpr std::string_view wire_name = "SIGNING_CAPABILITIES";
  static constexpr auto context_type = NegotiateContextType::signing_capabilities;

  std::vector<SigningAlgorithm> signing_algorithms{};

  template <class Codec, class Self>
  static constexpr void describe(Codec& c, Self& m) {
    c.count(u16, m.signing_algorithms).array("signing_algorithms", m.signing_algorithms);
  }
};
static_assert(fixed_size<SigningCapabilities>() == 2);

// A context of a type, encoded into `storage`, which must be empty and outlive the result.
template <Structure C>
NegotiateContext make_context(const C& typed, ByteBuffer& storage) {
  assert(storage.size() == 0);
  encode(typed, storage);
  return {C::context_type, storage.bytes()};
}

}  // namespace smb3::wire
