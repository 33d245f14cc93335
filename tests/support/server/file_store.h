// Where the files of a share lie: in memory, in a folder, or nowhere.
#pragma once

#include "base/bytes.h"
#include "support/server/settings.h"
#include "support/server/status.h"
#include "wire/file_types.h"
#include "wire/types.h"

#include <memory>
#include <string>
#include <vector>

namespace smb3::server {

struct NodeStatus {
  bool is_directory = false;
  std::uint64_t size_bytes = 0;
  std::uint64_t allocated_bytes = 0;
  wire::FileTime creation_time{}, last_access_time{}, last_write_time{}, change_time{};
  wire::FileAttributes attributes = wire::FileAttributes::normal;  // as clients see them
  wire::ReparseTag reparse_tag = wire::ReparseTag::none;
  std::uint64_t file_index = 0;  // tells nodes of one store apart, for good
};

// As a client may see what is kept: the directory's bit, and NORMAL for want of any other.
constexpr wire::FileAttributes shown_attributes(wire::FileAttributes kept, bool is_directory) {
  kept &= ~(wire::FileAttributes::directory | wire::FileAttributes::normal);
  if (is_directory) return kept | wire::FileAttributes::directory;
  return kept == wire::FileAttributes::none ? wire::FileAttributes::normal : kept;
}

// Times of 0 and attributes of none stay as they are; NORMAL clears the attributes.
struct NodeChange {
  wire::FileTime creation_time{}, last_access_time{}, last_write_time{}, change_time{};
  wire::FileAttributes attributes = wire::FileAttributes::none;
};

struct StoreEntry {
  std::u16string name;
  NodeStatus status;
};

// Contents that need no copy. They hold as long as the owner does, whatever happens to the file; a
// view without an owner holds for good.
struct ContentView {
  Bytes bytes{};
  std::shared_ptr<const void> owner{};
};

// A file or folder of a store, open. It outlives its removal, as on any POSIX system.
class Node {
 public:
  Node() = default;
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;
  virtual ~Node() = default;

  virtual StatusOr<NodeStatus> status() = 0;
  // Bytes read; 0 at and behind the end.
  virtual StatusOr<std::size_t> read(std::uint64_t offset, MutableBytes into) = 0;
  // All of `length` bytes, or those up to the end; empty where there is no such view, then read()
  // tells.
  virtual ContentView view(std::uint64_t, std::size_t) { return {}; }
  virtual StatusOr<> write(std::uint64_t offset, Bytes data) = 0;
  virtual StatusOr<> set_size(std::uint64_t size_bytes) = 0;
  virtual StatusOr<> change(const NodeChange& change) = 0;
  virtual StatusOr<> sync() = 0;
  // Of a folder, in a stable order, without "." and "..".
  virtual StatusOr<std::vector<StoreEntry>> list() = 0;
};

// Paths: names with backslashes between, none in front; empty for the share itself. Looked up
// without regard to case, kept as given. A path that leaves the share (by "..") is refused.
class FileStore {
 public:
  FileStore() = default;
  FileStore(const FileStore&) = delete;
  FileStore& operator=(const FileStore&) = delete;
  virtual ~FileStore() = default;

  // object_name_not_found, object_path_not_found, object_name_invalid. The same node for one file
  // as long as somebody holds it.
  virtual StatusOr<std::shared_ptr<Node>> open(std::u16string_view path) = 0;
  // object_name_collision if there is one.
  virtual StatusOr<std::shared_ptr<Node>> create(std::u16string_view path, bool directory,
                                                 wire::FileAttributes attributes) = 0;
  // Files and folders. object_name_collision without `replace`; with it, access_denied where the
  // target is a folder or read-only. Another spelling of the same name is always allowed.
  virtual StatusOr<> rename(std::u16string_view from, std::u16string_view to, bool replace) = 0;
  // directory_not_empty; access_denied for the share itself.
  virtual StatusOr<> remove(std::u16string_view path) = 0;
  virtual std::uint64_t total_bytes() = 0;
  virtual std::uint64_t free_bytes() = 0;
};

// `now`: the time that changes are marked with.
using FileClock = wire::FileTime (*)(void* context);
struct Clock {
  FileClock now = nullptr;
  void* context = nullptr;
  wire::FileTime operator()() const { return now(context); }
};

Result<std::unique_ptr<FileStore>> make_store(const ShareSettings& share, Clock clock);

}  // namespace smb3::server
