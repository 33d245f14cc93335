// GSSAPI's handles as owners, and its status codes as errors.
#pragma once

#include "base/bytes.h"

#include <gssapi/gssapi.h>
#include <gssapi/gssapi_ext.h>

#include <smbclient3/error.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace smb3::gss {

enum class MechanismKind : std::uint8_t { kerberos, ntlm };

std::string_view name_of(MechanismKind kind) noexcept;
gss_OID oid_of(MechanismKind kind) noexcept;
// The set of this one mechanism, for acquiring credentials.
gss_OID_set oid_set_of(MechanismKind kind) noexcept;

// Owns what GSSAPI fills in through a pointer.
template <class Handle, void (*release)(Handle&)>
class Owner {
 public:
  Owner() = default;
  Owner(Owner&& other) noexcept : handle_(std::exchange(other.handle_, Handle{})) {}
  Owner& operator=(Owner&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Owner() { release(handle_); }

  const Handle& get() const noexcept { return handle_; }
  Handle* out() noexcept { return &handle_; }

 private:
  Handle handle_{};
};

void release_name(gss_name_t& name);
void release_credential(gss_cred_id_t& credential);
void release_context(gss_ctx_id_t& context);
void release_buffer(gss_buffer_desc& buffer);
// Wiped first: it may hold a key.
void release_buffer_set(gss_buffer_set_t& set);

using Name = Owner<gss_name_t, release_name>;
using Credential = Owner<gss_cred_id_t, release_credential>;
using Context = Owner<gss_ctx_id_t, release_context>;
using Buffer = Owner<gss_buffer_desc, release_buffer>;
using BufferSet = Owner<gss_buffer_set_t, release_buffer_set>;

// Views in GSSAPI's dress: it does not write to its inputs.
gss_buffer_desc buffer_of(Bytes bytes) noexcept;
gss_buffer_desc buffer_of(std::string_view text) noexcept;
Bytes bytes_of(const gss_buffer_desc& buffer) noexcept;

Result<Name> import_name(MechanismKind kind, std::string_view text, gss_OID type);

// What the two codes say, in words, with the package to install where one is missing.
Error status_error(MechanismKind kind, std::string_view operation, OM_uint32 major,
                   OM_uint32 minor);

}  // namespace smb3::gss
