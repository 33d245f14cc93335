// A connected share: [MS-SMB2] 3.2.1.4.
#pragma once

#include "session/session.h"
#include "wire/tree_connect.h"

#include <memory>
#include <string>

namespace smb3 {

class TreeConnect {
 public:
  // `server` is the name that the user gave, wherever the connection leads.
  static Task<std::unique_ptr<TreeConnect>> connect(Session& session, std::string server,
                                                    std::string share);
  TreeConnect(const TreeConnect&) = delete;
  TreeConnect& operator=(const TreeConnect&) = delete;

  Task<void> disconnect();

  // Fills in what every request on this share needs.
  void prepare(Request& request, bool must_sign = false) {
    session_.prepare(request, seals_, must_sign);
    request.tree_id = id_;
  }

  Session& session() const noexcept { return session_; }
  Connection& connection() const noexcept { return session_.connection(); }
  std::uint32_t id() const noexcept { return id_; }
  bool seals() const noexcept { return seals_ || session_.seals(); }
  bool is_disk() const noexcept { return is_disk_; }
  // "//server/share"
  const std::string& name() const noexcept { return name_; }

 private:
  TreeConnect(Session& session, std::string name) : session_(session), name_(std::move(name)) {}

  Session& session_;
  std::string name_;
  std::uint32_t id_ = 0;
  bool seals_ = false;  // SMB2_SHAREFLAG_ENCRYPT_DATA
  bool is_disk_ = true;
};

}  // namespace smb3
