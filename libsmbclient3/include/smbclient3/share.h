// A connected share.
#pragma once

#include <smbclient3/directory.h>
#include <smbclient3/file.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace smb3 {

enum class ChannelState : std::uint8_t { up, down, failed };

struct ChannelInformation {
  std::string local;  // "ip:port", IPv6 as "[ip]:port"
  std::string remote;
  std::uint64_t bytes = 0;  // of file data, both ways
  ChannelState state = ChannelState::up;
  std::uint64_t requests = 0;
  std::uint64_t speed_bits_per_second = 0;  // of its link, the slower end; 0: unknown
};

// What was negotiated, in the words of the command-line tools.
struct ConnectionInformation {
  std::string dialect;    // "3.1.1"
  std::string signing;    // "AES-128-GMAC", "AES-128-CMAC", "HMAC-SHA256" or "none"
  std::string cipher;     // "AES-128-GCM", ... or "none": what traffic of this share is sealed with
  std::string mechanism;  // "Kerberos", "NTLMSSP"
  bool guest = false;
  std::vector<ChannelInformation> channels;
  std::vector<std::string> warnings;  // why further channels could not be had
};

// Paths are UTF-8, relative to the share, with '/' between components and none at either end; ""
// is the share's root. '\', NUL, "." and ".." are refused. All members run on the reactor's thread.
class SMB3_API Share {
 public:
  struct Impl;
  explicit Share(std::shared_ptr<Impl> impl);
  Share(Share&&) noexcept;
  Share& operator=(Share&&) noexcept;
  ~Share();

  Task<File> open(std::string path, OpenOptions options = {});
  Task<Directory> open_directory(std::string path);
  Task<FileStatus> status(std::string path);
  Task<void> make_directory(std::string path);
  // A new name within the share; `replace` lets it take the place of an existing file.
  Task<void> rename(std::string from, std::string to, bool replace);
  Task<void> remove_file(std::string path);
  Task<void> remove_directory(std::string path);
  Task<void> set_information(std::string path, BasicInformation information);

  ConnectionInformation information() const;
  // "//server/share"
  const std::string& name() const noexcept;

  // TREE_DISCONNECT, LOGOFF, and the end of the connection. Everything opened is closed before.
  Task<void> close();

  Impl& impl() const noexcept { return *impl_; }

 private:
  std::shared_ptr<Impl> impl_;
};

}  // namespace smb3
