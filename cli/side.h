// One side of a copy, local or a share: what walking a tree needs of it.
#pragma once

#include <smbclient3/copy.h>
#include <smbclient3/share.h>

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace smb3::cli {

enum class EntryKind : std::uint8_t {
  file,
  directory,
  other,  // cannot be copied
};

struct Entry {
  Result<std::string> name;  // an error: it cannot be used
  EntryKind kind = EntryKind::file;
  std::uint64_t size_bytes = 0;
  BasicInformation times{};  // access and write
  std::string what{};        // of kind other: "a symbolic link"
};

using Endpoint = std::variant<Remote, Local>;

class Listing {
 public:
  virtual ~Listing() = default;
  // Empty at the end.
  virtual Task<std::vector<Entry>> next() = 0;
  virtual Task<void> close() = 0;
};

// Paths are those that the user named, or what join() made of them. All members run on the
// client's thread.
class Side {
 public:
  virtual ~Side() = default;
  virtual std::string display(const std::string& path) const = 0;
  virtual Endpoint endpoint(std::string path) const = 0;
  // What the user named: a symbolic link is followed.
  virtual Task<Entry> status(std::string path) = 0;
  // `is_named`: by the user, who may have a symbolic link there.
  virtual Task<std::unique_ptr<Listing>> list(std::string path, bool is_named) = 0;
  virtual Task<void> make_directory(std::string path, bool is_named) = 0;
  virtual Task<void> set_times(std::string path, BasicInformation times) = 0;
  // Whether a name out of the other side's listing can be one here.
  virtual Result<void> check_name(const std::string& name) const = 0;
  // What names have in common that are one name here.
  virtual std::string key_of(const std::string& name) const { return name; }
  // Whether a file may be written there, inside a tree: never through a link that was there.
  virtual Result<void> check_target(const std::string& path) const = 0;
};

std::unique_ptr<Side> make_local_side();
// The share must outlive it.
std::unique_ptr<Side> make_remote_side(Share& share);
// Takes any number of files, one after the other.
std::unique_ptr<Side> make_stdout_side();

}  // namespace smb3::cli
