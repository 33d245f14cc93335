#include "support/server/memory_store.h"

#include "support/server/file_contents.h"
#include "support/server/names.h"

#include <map>

namespace smb3::server {

namespace {

using wire::FileAttributes;

// Kept by the store and by every node: an open file outlives both its name and the share.
struct Volume {
  Clock clock;
  Quota quota;
  std::uint64_t next_index = 1;
};

class MemoryNode final : public Node {
 public:
  struct Child {
    std::u16string name;
    std::shared_ptr<MemoryNode> node;
  };
  using Children = std::map<std::u16string, Child>;  // by the name in upper case

  MemoryNode(std::shared_ptr<Volume> volume, bool is_directory, FileAttributes attributes)
      : volume_(std::move(volume)), contents_(volume_->quota) {
    status_.is_directory = is_directory;
    status_.attributes = shown_attributes(attributes, is_directory);
    status_.file_index = volume_->next_index++;
    status_.creation_time = status_.last_access_time = volume_->clock();
    status_.last_write_time = status_.change_time = status_.creation_time;
  }

  StatusOr<NodeStatus> status() override {
    NodeStatus status = status_;
    status.size_bytes = contents_.size_bytes();
    status.allocated_bytes = contents_.allocated_bytes();
    return status;
  }
  StatusOr<std::size_t> read(std::uint64_t offset, MutableBytes into) override {
    return contents_.read(offset, into);
  }
  ContentView view(std::uint64_t offset, std::size_t length) override {
    return contents_.view(offset, length);
  }
  StatusOr<> write(std::uint64_t offset, Bytes data) override {
    auto written = contents_.write(offset, data);
    if (written) touch();
    return written;
  }
  StatusOr<> set_size(std::uint64_t size_bytes) override {
    contents_.set_size(size_bytes);
    touch();
    return {};
  }
  StatusOr<> change(const NodeChange& change) override;
  StatusOr<> sync() override { return {}; }
  StatusOr<std::vector<StoreEntry>> list() override;

  bool is_directory() const noexcept { return status_.is_directory; }
  bool is_read_only() const noexcept { return has(status_.attributes, FileAttributes::readonly); }
  Children& children() noexcept { return children_; }
  void touch() { status_.last_write_time = status_.change_time = volume_->clock(); }
  void touch_change_time() { status_.change_time = volume_->clock(); }

 private:
  std::shared_ptr<Volume> volume_;
  NodeStatus status_;
  FileContents contents_;
  Children children_;
};

StatusOr<> MemoryNode::change(const NodeChange& change) {
  const auto take = [](wire::FileTime& kept, wire::FileTime given) {
    if (given != wire::FileTime::unset) kept = given;
  };
  touch_change_time();
  take(status_.creation_time, change.creation_time);
  take(status_.last_access_time, change.last_access_time);
  take(status_.last_write_time, change.last_write_time);
  take(status_.change_time, change.change_time);
  if (change.attributes != FileAttributes::none) {
    status_.attributes = shown_attributes(change.attributes, status_.is_directory);
  }
  return {};
}

StatusOr<std::vector<StoreEntry>> MemoryNode::list() {
  std::vector<StoreEntry> entries;
  entries.reserve(children_.size());
  for (const auto& [key, child] : children_) {
    entries.push_back({child.name, child.node->status().value()});
  }
  return entries;
}

// A folder and a name in it, which need not be there.
struct Place {
  MemoryNode* folder = nullptr;
  std::u16string_view name;

  MemoryNode::Children::iterator find() const { return folder->children().find(upper_case(name)); }
  bool is_missing(MemoryNode::Children::iterator found) const {
    return found == folder->children().end();
  }
};

class MemoryStore final : public FileStore {
 public:
  MemoryStore(const ShareSettings& share, Clock clock)
      : volume_(std::make_shared<Volume>(Volume{clock, {share.size_bytes, 0}, 1})),
        root_(std::make_shared<MemoryNode>(volume_, true, FileAttributes::none)) {}

  StatusOr<std::shared_ptr<Node>> open(std::u16string_view path) override;
  StatusOr<std::shared_ptr<Node>> create(std::u16string_view path, bool directory,
                                         FileAttributes attributes) override;
  StatusOr<> rename(std::u16string_view from, std::u16string_view to, bool replace) override;
  StatusOr<> remove(std::u16string_view path) override;
  std::uint64_t total_bytes() override { return volume_->quota.limit_bytes; }
  std::uint64_t free_bytes() override { return volume_->quota.free_bytes(); }

 private:
  // Precondition: the path is not empty. object_path_not_found.
  StatusOr<Place> place_of(std::u16string_view path) const;

  std::shared_ptr<Volume> volume_;
  std::shared_ptr<MemoryNode> root_;
};

StatusOr<Place> MemoryStore::place_of(std::u16string_view path) const {
  if (const auto valid = check_path(path); !valid) return refuse(valid.error());
  SplitPath parts = split(path);
  MemoryNode* folder = root_.get();
  while (!parts.folder.empty()) {
    const Place step{folder, take_component(parts.folder)};
    const auto found = step.find();
    if (step.is_missing(found) || !found->second.node->is_directory()) {
      return refuse(NtStatus::object_path_not_found);
    }
    folder = found->second.node.get();
  }
  return Place{folder, parts.name};
}

StatusOr<std::shared_ptr<Node>> MemoryStore::open(std::u16string_view path) {
  if (path.empty()) return root_;
  const auto place = place_of(path);
  if (!place) return refuse(place.error());
  const auto found = place->find();
  if (place->is_missing(found)) return refuse(NtStatus::object_name_not_found);
  return found->second.node;
}

StatusOr<std::shared_ptr<Node>> MemoryStore::create(std::u16string_view path, bool directory,
                                                    FileAttributes attributes) {
  if (path.empty()) return refuse(NtStatus::object_name_collision);
  const auto place = place_of(path);
  if (!place) return refuse(place.error());
  if (!place->is_missing(place->find())) return refuse(NtStatus::object_name_collision);
  auto node = std::make_shared<MemoryNode>(volume_, directory, attributes);
  place->folder->children()[upper_case(place->name)] = {std::u16string(place->name), node};
  place->folder->touch();
  return node;
}

StatusOr<> MemoryStore::rename(std::u16string_view from, std::u16string_view to, bool replace) {
  if (from.empty() || to.empty() || lies_below(to, from)) return refuse(NtStatus::access_denied);
  const auto source = place_of(from);
  if (!source) return refuse(source.error());
  const auto target = place_of(to);
  if (!target) return refuse(target.error());
  const auto found = source->find();
  if (source->is_missing(found)) return refuse(NtStatus::object_name_not_found);
  const std::shared_ptr<MemoryNode> node = found->second.node;
  const auto there = target->find();
  if (!target->is_missing(there) && there->second.node != node) {
    if (!replace) return refuse(NtStatus::object_name_collision);
    if (there->second.node->is_directory() || there->second.node->is_read_only()) {
      return refuse(NtStatus::access_denied);
    }
  }
  source->folder->children().erase(found);
  target->folder->children()[upper_case(target->name)] = {std::u16string(target->name), node};
  node->touch_change_time();
  source->folder->touch();
  if (target->folder != source->folder) target->folder->touch();
  return {};
}

StatusOr<> MemoryStore::remove(std::u16string_view path) {
  if (path.empty()) return refuse(NtStatus::access_denied);
  const auto place = place_of(path);
  if (!place) return refuse(place.error());
  const auto found = place->find();
  if (place->is_missing(found)) return refuse(NtStatus::object_name_not_found);
  if (!found->second.node->children().empty()) return refuse(NtStatus::directory_not_empty);
  place->folder->children().erase(found);
  place->folder->touch();
  return {};
}

}  // namespace

std::unique_ptr<FileStore> make_memory_store(const ShareSettings& share, Clock clock) {
  return std::make_unique<MemoryStore>(share, clock);
}

}  // namespace smb3::server
