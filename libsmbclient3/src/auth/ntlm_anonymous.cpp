#include "auth/ntlm_anonymous.h"

#include "auth/spnego.h"

#include <algorithm>
#include <array>

namespace smb3 {

namespace {

// [MS-NLMP] 2.2.2.5
constexpr std::uint32_t unicode = 0x00000001;
constexpr std::uint32_t request_target = 0x00000004;
constexpr std::uint32_t ntlm = 0x00000200;
constexpr std::uint32_t anonymous = 0x00000800;
constexpr std::uint32_t always_sign = 0x00008000;
constexpr std::uint32_t extended_session_security = 0x00080000;
constexpr std::uint32_t wanted =
    unicode | request_target | ntlm | always_sign | extended_session_security;

constexpr std::array<char, 8> signature{'N', 'T', 'L', 'M', 'S', 'S', 'P', '\0'};
constexpr std::size_t type_offset = 8;
constexpr std::size_t negotiate_flags_offset = 12;
constexpr std::size_t negotiate_bytes = 32;
constexpr std::size_t challenge_flags_offset = 20;
constexpr std::size_t challenge_bytes_min = 32;
constexpr std::size_t authenticate_fields_offset = 12;
constexpr std::size_t authenticate_fields = 6;  // LM, NT, domain, user, workstation, session key
constexpr std::size_t field_bytes = 8;
constexpr std::size_t authenticate_flags_offset = 60;
constexpr std::size_t authenticate_bytes = 64;  // neither Version nor MIC

std::vector<std::byte> message(std::uint32_t type, std::size_t size) {
  std::vector<std::byte> out(size);
  std::memcpy(out.data(), signature.data(), signature.size());
  store_le(out.data() + type_offset, type);
  return out;
}

std::vector<std::byte> negotiate_message() {
  auto out = message(1, negotiate_bytes);
  store_le(out.data() + negotiate_flags_offset, wanted);
  return out;
}

// All fields are empty but LmChallengeResponse, which is one zero byte.
std::vector<std::byte> authenticate_message(std::uint32_t challenge_flags) {
  auto out = message(3, authenticate_bytes + 1);
  for (std::size_t i = 0; i < authenticate_fields; ++i) {
    std::byte* field = out.data() + authenticate_fields_offset + i * field_bytes;
    const std::uint16_t length = i == 0 ? 1 : 0;
    store_le<std::uint16_t>(field, length);
    store_le<std::uint16_t>(field + 2, length);
    store_le<std::uint32_t>(field + 4, authenticate_bytes);
  }
  store_le(out.data() + authenticate_flags_offset, (challenge_flags & wanted) | anonymous);
  return out;
}

std::unexpected<Error> no_key() {
  return std::unexpected(Error(ErrorKind::unsupported, "an anonymous logon has no key to sign with")
                             .during("NTLMSSP"));
}

}  // namespace

std::span<const Bytes> NtlmAnonymousMechanism::oids() const noexcept {
  static const std::array<Bytes, 1> oids{spnego::ntlmssp};
  return oids;
}

Result<std::vector<std::byte>> NtlmAnonymousMechanism::step(Bytes peer_token) {
  if (state_ == State::begin) {
    state_ = State::negotiate_sent;
    return negotiate_message();
  }
  if (peer_token.size() < challenge_bytes_min ||
      std::memcmp(peer_token.data(), signature.data(), signature.size()) != 0 ||
      load_le<std::uint32_t>(peer_token.data() + type_offset) != 2) {
    return std::unexpected(
        Error(ErrorKind::protocol, "the server's token is not a CHALLENGE").during("NTLMSSP"));
  }
  state_ = State::complete;
  return authenticate_message(load_le<std::uint32_t>(peer_token.data() + challenge_flags_offset));
}

Result<std::vector<std::byte>> NtlmAnonymousMechanism::sign(Bytes) { return no_key(); }

Result<void> NtlmAnonymousMechanism::verify(Bytes, Bytes) { return no_key(); }

}  // namespace smb3
