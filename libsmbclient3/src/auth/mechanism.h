// What SPNEGO asks of a mechanism that it negotiates.
#pragma once

#include "base/bytes.h"
#include "base/key_material.h"

#include <smbclient3/error.h>

#include <span>
#include <string_view>
#include <vector>

namespace smb3 {

// One context of one mechanism, our side of it. It may block.
class Mechanism {
 public:
  Mechanism() = default;
  Mechanism(const Mechanism&) = delete;
  Mechanism& operator=(const Mechanism&) = delete;
  virtual ~Mechanism() = default;

  virtual std::string_view name() const noexcept = 0;
  // Under which SPNEGO offers it, preferred first; at least one, and they live as long as it.
  virtual std::span<const Bytes> oids() const noexcept = 0;

  // The peer's token (none at first) in, ours out (empty: nothing to send).
  virtual Result<std::vector<std::byte>> step(Bytes peer_token) = 0;
  virtual bool complete() const noexcept = 0;

  // When complete: signatures of whole messages, and the key.
  virtual Result<std::vector<std::byte>> sign(Bytes message) = 0;
  virtual Result<void> verify(Bytes message, Bytes signature) = 0;
  virtual Result<KeyMaterial> session_key() = 0;
  // Whether a mechListMIC is sent even where RFC 4178 5 lets both sides leave it out.
  virtual bool signs_mech_list() const noexcept = 0;
};

}  // namespace smb3
