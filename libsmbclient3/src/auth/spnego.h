// The tokens of SPNEGO (RFC 4178 4.2, [MS-SPNG] 2.2): encoded and decoded, without judgement.
#pragma once

#include "base/bytes.h"

#include <smbclient3/error.h>

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace smb3::spnego {

template <class... Value>
constexpr std::array<std::byte, sizeof...(Value)> oid_content(Value... value) {
  return {static_cast<std::byte>(value)...};
}

// Object identifiers without tag and length. 1.3.6.1.4.1.311.2.2.10:
inline constexpr auto ntlmssp =
    oid_content(0x2B, 0x06, 0x01, 0x04, 0x01, 0x82, 0x37, 0x02, 0x02, 0x0A);
// 1.2.840.113554.1.2.2
inline constexpr auto kerberos = oid_content(0x2A, 0x86, 0x48, 0x86, 0xF7, 0x12, 0x01, 0x02, 0x02);
// 1.2.840.48018.1.2.2: the same under a number that Windows 2000 cut short
inline constexpr auto microsoft_kerberos =
    oid_content(0x2A, 0x86, 0x48, 0x82, 0xF7, 0x12, 0x01, 0x02, 0x02);

bool same(Bytes a, Bytes b) noexcept;

// All views point into the token that was decoded, or to what shall be encoded.
struct NegTokenInit {
  std::vector<Bytes> mech_types;
  Bytes mech_types_der;  // the MechTypeList as it lies in the token: what a mechListMIC covers
  std::optional<Bytes> mech_token;
  std::optional<Bytes> mech_list_mic;
};

enum class NegState : std::uint8_t { accept_completed, accept_incomplete, reject, request_mic };

struct NegTokenResp {
  std::optional<NegState> state;
  std::optional<Bytes> supported_mech;
  std::optional<Bytes> response_token;
  std::optional<Bytes> mech_list_mic;
};

// Reads NegTokenInit2 as well: its hints are passed over.
Result<NegTokenInit> decode_init(Bytes token);
Result<NegTokenResp> decode_resp(Bytes token);

std::vector<std::byte> encode_mech_types(std::span<const Bytes> mech_types);
// Takes the list from `mech_types_der`.
std::vector<std::byte> encode(const NegTokenInit& token);
std::vector<std::byte> encode(const NegTokenResp& token);

}  // namespace smb3::spnego
