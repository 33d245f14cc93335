// The contexts of CREATE: [MS-SMB2] 2.2.13.2 (requests) and 2.2.14.2 (responses).
#pragma once

#include "wire/codec.h"
#include "wire/file_types.h"
#include "wire/types.h"

#include <vector>

namespace smb3::wire {

// Any context: told apart by name, its data decoded by what it stands for.
struct CreateContext {
  static constexpr std::string_view wire_name = "CREATE_CONTEXT";

  Bytes name{};
  Bytes data{};

  template <class Codec, class Self>
  static constexpr void describe(Codec& c, Self& m) {
    c.next_entry();
    c.offset(u16, m.name).length(u16, m.name).reserved(u16);
    c.offset(u16, m.data).length(u32, m.data);
    c.part("name", m.name);
    c.part("data", m.data, Part{.alignment = 8, .zero_if_empty = true});
  }
};
static_assert(fixed_size<CreateContext>() == 16);

namespace create_context {

// Names of four letters, sent in this order, or GUIDs.
inline constexpr std::string_view durable_handle_request = "DHnQ";
inline constexpr std::string_view durable_handle_reconnect = "DHnC";
inline constexpr std::string_view durable_handle_request_v2 = "DH2Q";
inline constexpr std::string_view durable_handle_reconnect_v2 = "DH2C";
inline constexpr std::string_view lease = "RqLs";
inline constexpr std::string_view query_maximal_access = "MxAc";
inline constexpr std::string_view query_on_disk_id = "QFid";
inline constexpr std::string_view allocation_size = "AlSi";
inline constexpr std::string_view timewarp_token = "TWrp";
inline constexpr std::string_view ea_buffer = "ExtA";
inline constexpr std::string_view sd_buffer = "SecD";
inline constexpr std::string_view app_instance_id{
    "\x45\xBC\xA6\x6A\xEF\xA7\xF7\x4A\x90\x08\xFA\x46\x2E\x14\x4D\x74", 16};
inline constexpr std::string_view app_instance_version{
    "\xB9\x82\xD0\xB7\x3B\x56\x07\x4F\xA0\x7B\x52\x4A\x81\x16\xA0\x10", 16};

inline Bytes bytes_of(std::string_view name) noexcept {
  return {reinterpret_cast<const std::byte*>(name.data()), name.size()};
}

}  // namespace create_context

// DHnQ, request: 16 zero bytes. Response: 8 zero bytes.
struct DurableHandleRequest {
  static constexpr std::string_view wire_name = "DHnQ request";
  static constexpr std::string_view context_name = create_context::durable_handle_request;

  template <class Codec, class Self>
  static constexpr void describe(Codec& c, Self&) {
    c.reserved(u64).reserved(u64);
  }
};
static_assert(fixed_size<DurableHandleRequest>() == 16);

struct DurableHandleResponse {
  static constexpr std::string_view wire_name = "DHnQ response";
  static constexpr std::string_view context_name = create_context::durable_handle_request;

  template <class Codec, class Self>
  static constexpr void describe(Codec& c, Self&) {
    c.reserved(u64);
  }
};
static_assert(fixed_size<DurableHandleResponse>() == 8);

struct DurableHandleReconnect {
  static constexpr std::string_view wire_name = "DHnC";
  static constexpr std::string_view context_name = create_context::durable_handle_reconnect;

  FileId file_id{};

  template <class Codec, class Self>
  static constexpr void describe(Codec& c, Self& m) {
    c("file_id", m.file_id);
  }
};
static_assert(fixed_size<DurableHandleReconnect>() == 16);

enum class DurableHandleFlags : std::uint32_t { none = 0, persistent = 0x2 };
template <>
inline constexpr bool is_flags<DurableHandleFlags> = true;

// [MS-SMB2] 2.2.13.2.11
struct DurableHandleRequestV2 {
  static constexpr std::string_view wire_name = "DH2Q request";
  static constexpr std::string_view context_name = create_context::durable_handle_request_v2;

  std::uint32_t timeout = 0;  // milliseconds; 0: as the server likes
  DurableHandleFlags flags = DurableHandleFlags::none;
  Guid create_guid{};

  template <class Codec, class Self>
  static constexpr void describe(Codec& c, Self& m) {
    c("timeout", m.timeout)("flags", m.flags).reserved(u64)("create_guid", m.create_guid);
  }
};
static_assert(fixed_size<DurableHandleRequestV2>() == 32);

// [MS-SMB2] 2.2.14.2.12
struct DurableHandleResponseV2 {
  static constexpr std::string_view wire_name = "DH2Q response";
  static constexpr std::string_view context_name = create_context::durable_handle_request_v2;

  std::uint32_t timeout = 0;
  DurableHandleFlags flags = DurableHandleFlags::none;

  template <class Codec, class Self>
  static constexpr void describe(Codec& c, Self& m) {
    c("timeout", m.timeout)("flags", m.flags);
  }
};
static_assert(fixed_size<DurableHandleResponseV2>() == 8);

// [MS-SMB2] 2.2.13.2.12
struct DurableHandleReconnectV2 {
  static constexpr std::string_view wire_name = "DH2C";
  static constexpr std::string_view context_name = create_context::durable_handle_reconnect_v2;

  FileId file_id{};
  Guid create_guid{};
  DurableHandleFlags flags = DurableHandleFlags::none;

  template <class Codec, class Self>
  static constexpr void describe(Codec& c, Self& m) {
    c("file_id", m.file_id)("create_guid", m.create_guid)("flags", m.flags);
  }
};
static_assert(fixed_size<DurableHandleReconnectV2>() == 36);

enum class LeaseFlags : std::uint32_t {
  none = 0,
  break_in_progress = 0x2,
  parent_lease_key_set = 0x4
};
template <>
inline constexpr bool is_flags<LeaseFlags> = true;

// RqLs both ways: [MS-SMB2] 2.2.13.2.8. The two versions are told apart by the length of the data.
struct LeaseV1 {
  static constexpr std::string_view wire_name = "RqLs v1";
  static constexpr std::string_view context_name = create_context::lease;

  Guid lease_key{};
  LeaseState lease_state = LeaseState::none;
  LeaseFlags lease_flags = LeaseFlags::none;

  template <class Codec, class Self>
  static constexpr void describe(Codec& c, Self& m) {
    c("lease_key", m.lease_key)("lease_state", m.lease_state)("lease_flags", m.lease_flags);
    c.reserved(u64);  // LeaseDuration
  }
};
static_assert(fixed_size<LeaseV1>() == 32);

// [MS-SMB2] 2.2.13.2.10
struct LeaseV2 {
  static constexpr std::string_view wire_name = "RqLs v2";
  static constexpr std::string_view context_name = create_context::lease;

  Guid lease_key{};
  LeaseState lease_state = LeaseState::none;
  LeaseFlags flags = LeaseFlags::none;
  Guid parent_lease_key{};
  std::uint16_t epoch = 0;

  template <class Codec, class Self>
  static constexpr void describe(Codec& c, Self& m) {
    c("lease_key", m.lease_key)("lease_state", m.lease_state)("flags", m.flags);
    c.reserved(u64);  // LeaseDuration
    c("parent_lease_key", m.parent_lease_key)("epoch", m.epoch).reserved(u16);
  }
};
static_assert(fixed_size<LeaseV2>() == 52);

// MxAc, response ([MS-SMB2] 2.2.14.2.5). The request's data is empty.
struct QueryMaximalAccessResponse {
  static constexpr std::string_view wire_name = "MxAc response";
  static constexpr std::string_view context_name = create_context::query_maximal_access;

  std::uint32_t query_status = 0;
  AccessMask maximal_access = AccessMask::none;  // holds only if the status is success

  template <class Codec, class Self>
  static constexpr void describe(Codec& c, Self& m) {
    c("query_status", m.query_status)("maximal_access", m.maximal_access);
  }
};
static_assert(fixed_size<QueryMaximalAccessResponse>() == 8);

// QFid, response ([MS-SMB2] 2.2.14.2.9). The request's data is empty.
struct QueryOnDiskIdResponse {
  static constexpr std::string_view wire_name = "QFid response";
  static constexpr std::string_view context_name = create_context::query_on_disk_id;

  std::uint64_t disk_file_id = 0;
  std::uint64_t volume_id = 0;

  template <class Codec, class Self>
  static constexpr void describe(Codec& c, Self& m) {
    c("disk_file_id", m.disk_file_id)("volume_id", m.volume_id).reserved(u64).reserved(u64);
  }
};
static_assert(fixed_size<QueryOnDiskIdResponse>() == 32);

struct AllocationSize {
  static constexpr std::string_view wire_name = "AlSi";
  static constexpr std::string_view context_name = create_context::allocation_size;

  std::uint64_t allocation_size = 0;

  template <class Codec, class Self>
  static constexpr void describe(Codec& c, Self& m) {
    c("allocation_size", m.allocation_size);
  }
};
static_assert(fixed_size<AllocationSize>() == 8);

// A snapshot to open in ([MS-SMB2] 2.2.13.2.7).
struct TimewarpToken {
  static constexpr std::string_view wire_name = "TWrp";
  static constexpr std::string_view context_name = create_context::timewarp_token;

  FileTime timestamp{};

  template <class Codec, class Self>
  static constexpr void describe(Codec& c, Self& m) {
    c("timestamp", m.timestamp);
  }
};
static_assert(fixed_size<TimewarpToken>() == 8);

// [MS-SMB2] 2.2.13.2.13
struct AppInstanceId {
  static constexpr std::string_view wire_name = "AppInstanceId";
  static constexpr std::string_view context_name = create_context::app_instance_id;

  Guid app_instance_id{};

  template <class Codec, class Self>
  static constexpr void describe(Codec& c, Self& m) {
    c.constant("structure_size", u16, 20).reserved(u16)("app_instance_id", m.app_instance_id);
  }
};
static_assert(fixed_size<AppInstanceId>() == 20);

// [MS-SMB2] 2.2.13.2.15
struct AppInstanceVersion {
  static constexpr std::string_view wire_name = "AppInstanceVersion";
  static constexpr std::string_view context_name = create_context::app_instance_version;

  std::uint64_t app_instance_version_high = 0;
  std::uint64_t app_instance_version_low = 0;

  template <class Codec, class Self>
  static constexpr void describe(Codec& c, Self& m) {
    c.constant("structure_size", u16, 24).reserved(u16).reserved(u32);
    c("app_instance_version_high", m.app_instance_version_high);
    c("app_instance_version_low", m.app_instance_version_low);
  }
};
static_assert(fixed_size<AppInstanceVersion>() == 24);

// A context of a type, encoded into `storage`, which must be empty and outlive the result.
template <Structure C>
  requires requires { C::context_name; }
CreateContext make_create_context(const C& typed, ByteBuffer& storage) {
  assert(storage.size() == 0);
  encode(typed, storage);
  return {create_context::bytes_of(C::context_name), storage.bytes()};
}

// The data of the first context of that name, if there is one.
std::optional<Bytes> find_context(const std::vector<CreateContext>& contexts,
                                  std::string_view name);

// The first context of that type, decoded; nothing if the list has none.
template <Structure C>
  requires requires { C::context_name; }
Result<std::optional<C>> find_context(const std::vector<CreateContext>& contexts) {
  const std::optional<Bytes> data = find_context(contexts, C::context_name);
  if (!data) return std::nullopt;
  Result<C> typed = decode<C>(*data);
  if (!typed) return std::unexpected(std::move(typed).error());
  return std::optional<C>(std::move(*typed));
}

// The lease in a list of either version; a v1 comes without epoch and parent.
Result<std::optional<LeaseV2>> find_lease(const std::vector<CreateContext>& contexts);

}  // namespace smb3::wire
