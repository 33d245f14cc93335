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

// A path that the user named, or a member of a tree below it. There names come from the other
// side: no symbolic link is followed and nothing leads out.
class TreePath {
 public:
  TreePath() = default;
  TreePath(std::string named) : text_(std::move(named)), named_bytes_(text_.size()) {}
  TreePath(const char* named) : TreePath(std::string(named)) {}

  TreePath member(const std::string& name) const;

  const std::string& text() const noexcept { return text_; }
  bool is_named() const noexcept { return named_bytes_ == text_.size(); }
  // Of a member: what the user named, and the way from there.
  std::string root() const { return text_.substr(0, named_bytes_); }
  std::string below() const;

 private:
  std::string text_;
  std::size_t named_bytes_ = 0;
};

// All members run on the client's thread.
class Side {
 public:
  virtual ~Side() = default;
  virtual std::string display(const TreePath& path) const = 0;
  virtual Endpoint endpoint(TreePath path) const = 0;
  // Of what the user named.
  virtual Task<Entry> status(std::string path) = 0;
  virtual Task<std::unique_ptr<Listing>> list(TreePath path) = 0;
  virtual Task<void> make_directory(TreePath path) = 0;
  virtual Task<void> set_times(TreePath path, BasicInformation times) = 0;
  // Whether a name out of the other side's listing can be one here.
  virtual Result<void> check_name(const std::string& name) const = 0;
  // What names have in common that are one name here.
  virtual std::string key_of(const std::string& name) const { return name; }
};

std::unique_ptr<Side> make_local_side();
// The share must outlive it.
std::unique_ptr<Side> make_remote_side(Share& share);
// Takes any number of files, one after the other.
std::unique_ptr<Side> make_stdout_side();

}  // namespace smb3::cli
