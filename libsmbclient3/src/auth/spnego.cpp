#include "auth/spnego.h"

#include "auth/der.h"

#include <algorithm>

namespace smb3::spnego {

namespace {

// 1.3.6.1.5.5.2
constexpr auto spnego_oid = oid_content(0x2B, 0x06, 0x01, 0x05, 0x05, 0x02);
constexpr std::size_t mech_types_max = 64;

std::unexpected<Error> malformed(const char* what) {
  return std::unexpected(Error(ErrorKind::protocol, what).during("decoding SPNEGO"));
}

// The content of an explicitly tagged field: [n] around one element of type `tag`.
Result<std::optional<Bytes>> read_field(der::Reader& fields, unsigned n, std::uint8_t tag) {
  if (!fields.next_is(der::context(n))) return std::nullopt;
  auto wrapped = fields.read(der::context(n));
  if (!wrapped) return std::unexpected(std::move(wrapped.error()));
  auto content = der::Reader(*wrapped).read_last(tag);
  if (!content) return std::unexpected(std::move(content.error()));
  return *content;
}

Result<void> read_mech_types(Bytes list, NegTokenInit& token) {
  for (der::Reader oids(list); !oids.at_end();) {
    if (token.mech_types.size() == mech_types_max) return malformed("too many mechanisms");
    auto oid = oids.read(der::object_identifier);
    if (!oid) return std::unexpected(std::move(oid.error()));
    token.mech_types.push_back(*oid);
  }
  return {};
}

// [3] is a mechListMIC in RFC 4178; in NegTokenInit2 it is negHints, and the MIC comes as [4].
Result<void> read_mic_of_init(der::Reader& fields, NegTokenInit& token) {
  for (unsigned n = 3; n <= 4; ++n) {
    if (!fields.next_is(der::context(n))) continue;
    auto wrapped = fields.read(der::context(n));
    if (!wrapped) return std::unexpected(std::move(wrapped.error()));
    der::Reader content(*wrapped);
    if (!content.next_is(der::octet_string)) continue;
    auto mic = content.read_last(der::octet_string);
    if (!mic) return std::unexpected(std::move(mic.error()));
    token.mech_list_mic = *mic;
  }
  return {};
}

std::vector<std::byte> field(unsigned n, std::uint8_t tag, std::optional<Bytes> content) {
  if (!content) return {};
  return der::encode(der::context(n), {der::encode(tag, {*content})});
}

}  // namespace

bool same(Bytes a, Bytes b) noexcept { return std::ranges::equal(a, b); }

Result<NegTokenInit> decode_init(Bytes input) {
  auto outer = der::Reader(input).read_last(der::application(0));
  if (!outer) return std::unexpected(std::move(outer.error()));
  der::Reader framed(*outer);
  auto oid = framed.read(der::object_identifier);
  if (!oid) return std::unexpected(std::move(oid.error()));
  if (!same(*oid, spnego_oid)) return malformed("not a token of SPNEGO");
  auto choice = framed.read_last(der::context(0));
  if (!choice) return std::unexpected(std::move(choice.error()));
  auto body = der::Reader(*choice).read_last(der::sequence);
  if (!body) return std::unexpected(std::move(body.error()));

  der::Reader fields(*body);
  auto wrapped = fields.read(der::context(0));
  if (!wrapped) return std::unexpected(std::move(wrapped.error()));
  auto list = der::Reader(*wrapped).read_last(der::sequence);
  if (!list) return std::unexpected(std::move(list.error()));
  NegTokenInit token{
      .mech_types = {}, .mech_types_der = *wrapped, .mech_token = {}, .mech_list_mic = {}};
  if (auto read = read_mech_types(*list, token); !read) {
    return std::unexpected(std::move(read.error()));
  }
  if (fields.next_is(der::context(1))) {  // reqFlags, which nobody may rely on
    if (auto flags = fields.read(); !flags) return std::unexpected(std::move(flags.error()));
  }
  auto mech_token = read_field(fields, 2, der::octet_string);
  if (!mech_token) return std::unexpected(std::move(mech_token.error()));
  token.mech_token = *mech_token;
  if (auto read = read_mic_of_init(fields, token); !read) {
    return std::unexpected(std::move(read.error()));
  }
  if (!fields.at_end()) return malformed("an unknown field in NegTokenInit");
  return token;
}

Result<NegTokenResp> decode_resp(Bytes input) {
  auto choice = der::Reader(input).read_last(der::context(1));
  if (!choice) return std::unexpected(std::move(choice.error()));
  auto body = der::Reader(*choice).read_last(der::sequence);
  if (!body) return std::unexpected(std::move(body.error()));

  der::Reader fields(*body);
  NegTokenResp token;
  auto state = read_field(fields, 0, der::enumerated);
  if (!state) return std::unexpected(std::move(state.error()));
  if (*state) {
    if ((*state)->size() != 1 || (*state)->front() > std::byte{3}) {
      return malformed("an unknown negState");
    }
    token.state = static_cast<NegState>((*state)->front());
  }
  struct Field {
    std::uint8_t tag;
    std::optional<Bytes>& value;
  };
  const Field in_order[] = {{der::object_identifier, token.supported_mech},
                            {der::octet_string, token.response_token},
                            {der::octet_string, token.mech_list_mic}};
  for (unsigned n = 1; const Field& expected : in_order) {
    auto value = read_field(fields, n++, expected.tag);
    if (!value) return std::unexpected(std::move(value.error()));
    expected.value = *value;
  }
  if (!fields.at_end()) return malformed("an unknown field in NegTokenResp");
  return token;
}

std::vector<std::byte> encode_mech_types(std::span<const Bytes> mech_types) {
  std::vector<std::byte> oids;
  for (Bytes mech_type : mech_types) {
    const auto oid = der::encode(der::object_identifier, {mech_type});
    oids.insert(oids.end(), oid.begin(), oid.end());
  }
  return der::encode(der::sequence, {oids});
}

std::vector<std::byte> encode(const NegTokenInit& token) {
  const auto body =
      der::encode(der::sequence, {der::encode(der::context(0), {token.mech_types_der}),
                                  field(2, der::octet_string, token.mech_token),
                                  field(3, der::octet_string, token.mech_list_mic)});
  return der::encode(der::application(0), {der::encode(der::object_identifier, {spnego_oid}),
                                           der::encode(der::context(0), {body})});
}

std::vector<std::byte> encode(const NegTokenResp& token) {
  std::optional<Bytes> state_content;
  std::byte state{};
  if (token.state) {
    state = static_cast<std::byte>(*token.state);
    state_content = Bytes(&state, 1);
  }
  const auto body =
      der::encode(der::sequence, {field(0, der::enumerated, state_content),
                                  field(1, der::object_identifier, token.supported_mech),
                                  field(2, der::octet_string, token.response_token),
                                  field(3, der::octet_string, token.mech_list_mic)});
  return der::encode(der::context(1), {body});
}

}  // namespace smb3::spnego
