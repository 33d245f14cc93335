#include "support/server/folder_store.h"

#include "support/server/folder_files.h"
#include "support/server/names.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

namespace smb3::server {

namespace {

using wire::FileAttributes;
using wire::FileTime;

class FolderNode;

// Kept by the store and by every node.
struct Volume {
  Descriptor root;
  DosFactsKeeper dos_facts;
  std::map<FileKey, std::weak_ptr<FolderNode>> nodes;

  NodeStatus status_of(const FileFacts& facts, int folder, const std::string& name) const;
};

NodeStatus Volume::status_of(const FileFacts& facts, int folder, const std::string& name) const {
  const DosFacts dos = dos_facts.get(folder, name, facts.key);
  FileAttributes attributes = dos.attributes;
  if (!facts.is_directory && facts.is_read_only) attributes |= FileAttributes::readonly;
  NodeStatus status;
  status.is_directory = facts.is_directory;
  status.size_bytes = facts.size_bytes;
  status.allocated_bytes = facts.allocated_bytes;
  status.creation_time =
      dos.creation_time == FileTime::unset ? facts.creation_time : dos.creation_time;
  status.last_access_time = facts.last_access_time;
  status.last_write_time = facts.last_write_time;
  status.change_time = facts.change_time;
  status.attributes = shown_attributes(attributes, facts.is_directory);
  status.file_index = facts.key.second;
  return status;
}

class FolderNode final : public Node {
 public:
  FolderNode(std::shared_ptr<Volume> volume, Descriptor file, FileKey key)
      : volume_(std::move(volume)), file_(std::move(file)), key_(key) {}
  ~FolderNode() override { volume_->nodes.erase(key_); }

  StatusOr<NodeStatus> status() override {
    const auto facts = facts_of(file_.get(), "");
    if (!facts) return refuse(facts.error());
    return volume_->status_of(*facts, file_.get(), "");
  }
  StatusOr<std::size_t> read(std::uint64_t offset, MutableBytes into) override;
  StatusOr<> write(std::uint64_t offset, Bytes data) override;
  StatusOr<> set_size(std::uint64_t size_bytes) override {
    if (::ftruncate(file_.get(), static_cast<off_t>(size_bytes)) != 0) return refuse_errno(errno);
    return {};
  }
  StatusOr<> change(const NodeChange& change) override;
  StatusOr<> sync() override {
    if (::fsync(file_.get()) != 0) return refuse_errno(errno);
    return {};
  }
  StatusOr<std::vector<StoreEntry>> list() override;

 private:
  StatusOr<> change_attributes(const FileFacts& facts, const NodeChange& change);

  std::shared_ptr<Volume> volume_;
  Descriptor file_;
  FileKey key_;
};

StatusOr<std::size_t> FolderNode::read(std::uint64_t offset, MutableBytes into) {
  std::size_t done = 0;
  while (done < into.size()) {
    const ssize_t got = ::pread(file_.get(), into.data() + done, into.size() - done,
                                static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return refuse_errno(errno);
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

StatusOr<> FolderNode::write(std::uint64_t offset, Bytes data) {
  while (!data.empty()) {
    const ssize_t done =
        ::pwrite(file_.get(), data.data(), data.size(), static_cast<off_t>(offset));
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return refuse_errno(errno);
    offset += static_cast<std::uint64_t>(done);
    data = data.subspan(static_cast<std::size_t>(done));
  }
  return {};
}

StatusOr<> FolderNode::change(const NodeChange& change) {
  const auto facts = facts_of(file_.get(), "");
  if (!facts) return refuse(facts.error());
  const auto time_of = [](FileTime time) {
    return time == FileTime::unset ? timespec{0, UTIME_OMIT} : wire::to_unix(time);
  };
  if (auto done = change_attributes(*facts, change); !done) return done;
  const timespec times[] = {time_of(change.last_access_time), time_of(change.last_write_time)};
  if (::futimens(file_.get(), times) != 0) return refuse_errno(errno);
  return {};
}

StatusOr<> FolderNode::change_attributes(const FileFacts& facts, const NodeChange& change) {
  DosFacts dos = volume_->dos_facts.get(file_.get(), "", facts.key);
  const DosFacts before = dos;
  if (change.creation_time != FileTime::unset) dos.creation_time = change.creation_time;
  if (change.attributes != FileAttributes::none) {
    dos.attributes = change.attributes & ~(FileAttributes::directory | FileAttributes::normal);
    const bool read_only = has(change.attributes, FileAttributes::readonly);
    if (!facts.is_directory) {
      dos.attributes &= ~FileAttributes::readonly;
      const mode_t mode = read_only ? 0444 : 0644;
      if (read_only != facts.is_read_only && ::fchmod(file_.get(), mode) != 0) {
        return refuse_errno(errno);
      }
    }
  }
  if (dos.attributes != before.attributes || dos.creation_time != before.creation_time) {
    volume_->dos_facts.set(file_.get(), facts.key, dos);
  }
  return {};
}

StatusOr<std::vector<StoreEntry>> FolderNode::list() {
  const auto names = names_in(file_.get());
  if (!names) return refuse(names.error());
  std::vector<StoreEntry> entries;
  entries.reserve(names->size());
  for (const std::string& name : *names) {
    const auto text = from_utf8(name);
    const auto facts = facts_of(file_.get(), name);
    // What clients cannot name, and links, pipes and devices: not part of the share.
    if (!text || !facts || (!facts->is_directory && !facts->is_regular)) continue;
    entries.push_back({*text, volume_->status_of(*facts, file_.get(), name)});
  }
  return entries;
}

// A folder and a name in it.
struct Place {
  Descriptor folder;
  std::string name;    // as given
  std::string actual;  // as it is spelled there; empty: there is none
};

class FolderStore final : public FileStore {
 public:
  explicit FolderStore(Descriptor root) : volume_(std::make_shared<Volume>()) {
    volume_->root = std::move(root);
  }

  StatusOr<std::shared_ptr<Node>> open(std::u16string_view path) override;
  StatusOr<std::shared_ptr<Node>> create(std::u16string_view path, bool directory,
                                         FileAttributes attributes) override;
  StatusOr<> rename(std::u16string_view from, std::u16string_view to, bool replace) override;
  StatusOr<> remove(std::u16string_view path) override;
  std::uint64_t total_bytes() override { return blocks(&::statvfs::f_blocks); }
  std::uint64_t free_bytes() override { return blocks(&::statvfs::f_bavail); }

 private:
  StatusOr<Place> place_of(std::u16string_view path) const;
  StatusOr<Descriptor> folder_of(std::u16string_view path) const;
  StatusOr<std::shared_ptr<Node>> node_of(const Descriptor& folder, const std::string& name);
  std::uint64_t blocks(fsblkcnt_t(::statvfs::* member)) const;

  std::shared_ptr<Volume> volume_;
};

StatusOr<Descriptor> FolderStore::folder_of(std::u16string_view path) const {
  constexpr int flags = O_RDONLY | O_DIRECTORY | O_NONBLOCK;
  auto folder = open_beneath(volume_->root.get(), "", flags);
  while (folder && !path.empty()) {
    const auto wanted = to_utf8(take_component(path));
    if (!wanted) return refuse(wanted.error());
    const auto actual = find_name(folder->get(), *wanted);
    if (!actual) return refuse(NtStatus::object_path_not_found);
    folder = open_beneath(folder->get(), *actual, flags);
  }
  return folder;
}

StatusOr<Place> FolderStore::place_of(std::u16string_view path) const {
  if (const auto valid = check_path(path); !valid) return refuse(valid.error());
  const SplitPath parts = split(path);
  auto folder = folder_of(parts.folder);
  if (!folder) return refuse(folder.error());
  const auto name = to_utf8(parts.name);
  if (!name) return refuse(name.error());
  const std::string actual = find_name(folder->get(), *name).value_or("");
  return Place{std::move(*folder), *name, actual};
}

StatusOr<std::shared_ptr<Node>> FolderStore::node_of(const Descriptor& folder,
                                                     const std::string& name) {
  const auto facts = facts_of(folder.get(), name);
  if (!facts) return refuse(facts.error());
  if (!facts->is_directory && !facts->is_regular) return refuse(NtStatus::access_denied);
  const auto known = volume_->nodes.find(facts->key);
  if (known != volume_->nodes.end()) return known->second.lock();
  const int kind = facts->is_directory ? O_DIRECTORY : 0;
  auto file = open_beneath(folder.get(), name, kind | O_NONBLOCK | (kind ? O_RDONLY : O_RDWR));
  if (!file && file.error() == NtStatus::access_denied) {
    file = open_beneath(folder.get(), name, kind | O_NONBLOCK | O_RDONLY);
  }
  if (!file) return refuse(file.error());
  auto node = std::make_shared<FolderNode>(volume_, std::move(*file), facts->key);
  volume_->nodes[facts->key] = node;
  return node;
}

StatusOr<std::shared_ptr<Node>> FolderStore::open(std::u16string_view path) {
  if (path.empty()) return node_of(volume_->root, "");
  const auto place = place_of(path);
  if (!place) return refuse(place.error());
  if (place->actual.empty()) return refuse(NtStatus::object_name_not_found);
  return node_of(place->folder, place->actual);
}

StatusOr<std::shared_ptr<Node>> FolderStore::create(std::u16string_view path, bool directory,
                                                    FileAttributes attributes) {
  if (path.empty()) return refuse(NtStatus::object_name_collision);
  const auto place = place_of(path);
  if (!place) return refuse(place.error());
  if (!place->actual.empty()) return refuse(NtStatus::object_name_collision);
  if (directory) {
    if (::mkdirat(place->folder.get(), place->name.c_str(), 0755) != 0) {
      return refuse_errno(errno);
    }
  } else {
    const auto made = open_beneath(place->folder.get(), place->name, O_CREAT | O_EXCL | O_RDWR);
    if (!made) return refuse(made.error());
  }
  auto node = node_of(place->folder, place->name);
  // A number that an earlier file had must not bring that file's attributes back.
  if (const auto facts = facts_of(place->folder.get(), place->name)) {
    volume_->dos_facts.forget(facts->key);
  }
  if (node && shown_attributes(attributes, false) != FileAttributes::normal) {
    NodeChange change;
    change.attributes = attributes;
    if (const auto done = (*node)->change(change); !done) return refuse(done.error());
  }
  return node;
}

StatusOr<> FolderStore::rename(std::u16string_view from, std::u16string_view to, bool replace) {
  if (from.empty() || to.empty() || lies_below(to, from)) return refuse(NtStatus::access_denied);
  const auto source = place_of(from);
  if (!source) return refuse(source.error());
  if (source->actual.empty()) return refuse(NtStatus::object_name_not_found);
  const auto target = place_of(to);
  if (!target) return refuse(target.error());
  const std::string& over = target->actual.empty() ? target->name : target->actual;
  if (!target->actual.empty()) {
    const auto moved = facts_of(source->folder.get(), source->actual);
    const auto there = facts_of(target->folder.get(), target->actual);
    if (!moved || !there) return refuse(NtStatus::access_denied);
    if (moved->key != there->key) {
      if (!replace) return refuse(NtStatus::object_name_collision);
      if (there->is_directory || there->is_read_only) return refuse(NtStatus::access_denied);
    }
  }
  const auto move = [](const Place& a, const std::string& x, const Place& b, const std::string& y) {
    return ::renameat(a.folder.get(), x.c_str(), b.folder.get(), y.c_str()) == 0;
  };
  if (!move(*source, source->actual, *target, over)) return refuse_errno(errno);
  if (over != target->name && !move(*target, over, *target, target->name)) {
    return refuse_errno(errno);
  }
  return {};
}

StatusOr<> FolderStore::remove(std::u16string_view path) {
  if (path.empty()) return refuse(NtStatus::access_denied);
  const auto place = place_of(path);
  if (!place) return refuse(place.error());
  if (place->actual.empty()) return refuse(NtStatus::object_name_not_found);
  const auto facts = facts_of(place->folder.get(), place->actual);
  if (!facts) return refuse(facts.error());
  const int flags = facts->is_directory ? AT_REMOVEDIR : 0;
  if (::unlinkat(place->folder.get(), place->actual.c_str(), flags) != 0) {
    return refuse_errno(errno);
  }
  return {};
}

std::uint64_t FolderStore::blocks(fsblkcnt_t(::statvfs::* member)) const {
  struct statvfs found;
  if (::fstatvfs(volume_->root.get(), &found) != 0) return 0;
  return found.*member * found.f_frsize;
}

}  // namespace

Result<std::unique_ptr<FileStore>> make_folder_store(const ShareSettings& share) {
  Descriptor root(::open(share.folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!root) return std::unexpected(system_error(errno, "open").on(share.folder));
  return std::make_unique<FolderStore>(std::move(root));
}

}  // namespace smb3::server
