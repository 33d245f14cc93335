#include "support/server/null_store.h"

#include "support/server/names.h"

#include <algorithm>
#include <map>

namespace smb3::server {

namespace {

using wire::FileAttributes;

constexpr std::uint64_t view_bytes_max = 8_MiB;
constexpr std::u16string_view listed_name = u"file";

// Long enough that a view of any offset lies in one run.
const std::vector<std::byte>& pattern_block() {
  static const std::vector<std::byte> block = [] {
    std::vector<std::byte> bytes(null_period_bytes + view_bytes_max);
    for (std::size_t at = 0; at < bytes.size(); ++at) bytes[at] = null_pattern(at);
    return bytes;
  }();
  return block;
}

class NullNode final : public Node {
 public:
  NullNode(bool is_directory, std::uint64_t size_bytes, std::uint64_t index, Clock clock)
      : clock_(clock) {
    status_.is_directory = is_directory;
    status_.size_bytes = size_bytes;
    status_.attributes = shown_attributes(FileAttributes::none, is_directory);
    status_.file_index = index;
    status_.creation_time = status_.last_access_time = clock_();
    status_.last_write_time = status_.change_time = status_.creation_time;
  }

  StatusOr<NodeStatus> status() override {
    NodeStatus status = status_;
    status.allocated_bytes = align_up(status.size_bytes, 4_KiB);
    return status;
  }
  StatusOr<std::size_t> read(std::uint64_t offset, MutableBytes into) override;
  ContentView view(std::uint64_t offset, std::size_t length) override;
  StatusOr<> write(std::uint64_t offset, Bytes data) override {
    status_.size_bytes = std::max(status_.size_bytes, offset + data.size());
    status_.last_write_time = status_.change_time = clock_();
    return {};
  }
  StatusOr<> set_size(std::uint64_t size_bytes) override {
    status_.size_bytes = size_bytes;
    return {};
  }
  StatusOr<> change(const NodeChange& change) override;
  StatusOr<> sync() override { return {}; }
  StatusOr<std::vector<StoreEntry>> list() override { return listing; }

  std::vector<StoreEntry> listing;

 private:
  NodeStatus status_;
  Clock clock_;
};

StatusOr<std::size_t> NullNode::read(std::uint64_t offset, MutableBytes into) {
  std::size_t done = 0;
  while (done < into.size()) {
    const std::size_t left = into.size() - done;
    const Bytes part = view(offset + done, std::min<std::uint64_t>(left, view_bytes_max)).bytes;
    if (part.empty()) break;
    std::ranges::copy(part, into.begin() + static_cast<std::ptrdiff_t>(done));
    done += part.size();
  }
  return done;
}

ContentView NullNode::view(std::uint64_t offset, std::size_t length) {
  if (offset >= status_.size_bytes) return {};
  const std::uint64_t size = std::min<std::uint64_t>(length, status_.size_bytes - offset);
  if (size > view_bytes_max) return {};
  return {Bytes(pattern_block()).subspan(offset % null_period_bytes, size), {}};
}

StatusOr<> NullNode::change(const NodeChange& change) {
  const auto take = [](wire::FileTime& kept, wire::FileTime given) {
    if (given != wire::FileTime::unset) kept = given;
  };
  take(status_.creation_time, change.creation_time);
  take(status_.last_access_time, change.last_access_time);
  take(status_.last_write_time, change.last_write_time);
  take(status_.change_time, change.change_time);
  if (change.attributes != FileAttributes::none) {
    status_.attributes = shown_attributes(change.attributes, status_.is_directory);
  }
  return {};
}

class NullStore final : public FileStore {
 public:
  NullStore(const ShareSettings& share, Clock clock)
      : file_bytes_(share.null_file_bytes), total_bytes_(share.size_bytes), clock_(clock) {
    pattern_block();  // now, not while the first READ waits
    root_ = make(true, 0);
    const auto entry = make(false, file_bytes_)->status();
    root_->listing.push_back({std::u16string(listed_name), *entry});
  }

  StatusOr<std::shared_ptr<Node>> open(std::u16string_view path) override;
  StatusOr<std::shared_ptr<Node>> create(std::u16string_view path, bool directory,
                                         FileAttributes attributes) override;
  StatusOr<> rename(std::u16string_view from, std::u16string_view to, bool replace) override;
  StatusOr<> remove(std::u16string_view path) override;
  std::uint64_t total_bytes() override { return total_bytes_; }
  std::uint64_t free_bytes() override { return total_bytes_; }

 private:
  std::shared_ptr<NullNode> make(bool is_directory, std::uint64_t size_bytes) {
    return std::make_shared<NullNode>(is_directory, size_bytes, next_index_++, clock_);
  }
  StatusOr<> must_exist(std::u16string_view path) {
    const auto node = open(path);
    if (!node) return refuse(node.error());
    return {};
  }
  bool exists_always(std::u16string_view path) const {
    const std::u16string_view name = split(path).name;
    return file_bytes_ > 0 ? name.front() != u'.' : same_name(path, listed_name);
  }

  std::uint64_t file_bytes_, total_bytes_;
  Clock clock_;
  std::uint64_t next_index_ = 1;
  std::shared_ptr<NullNode> root_;
  std::map<std::u16string, std::shared_ptr<NullNode>> made_;       // created, by upper case
  std::map<std::u16string, std::weak_ptr<NullNode>> always_open_;  // the others, while open
};

StatusOr<std::shared_ptr<Node>> NullStore::open(std::u16string_view path) {
  if (path.empty()) return root_;
  if (const auto valid = check_path(path); !valid) return refuse(valid.error());
  const std::u16string key = upper_case(path);
  if (const auto found = made_.find(key); found != made_.end()) return found->second;
  if (!exists_always(path)) return refuse(NtStatus::object_name_not_found);
  if (auto node = always_open_[key].lock()) return node;
  auto node = make(false, file_bytes_);
  std::erase_if(always_open_, [](const auto& entry) { return entry.second.expired(); });
  always_open_[key] = node;
  return node;
}

StatusOr<std::shared_ptr<Node>> NullStore::create(std::u16string_view path, bool directory,
                                                  FileAttributes attributes) {
  if (path.empty()) return refuse(NtStatus::object_name_collision);
  if (const auto valid = check_path(path); !valid) return refuse(valid.error());
  const std::u16string key = upper_case(path);
  if (made_.contains(key) || exists_always(path)) return refuse(NtStatus::object_name_collision);
  auto node = make(directory, 0);
  NodeChange change;
  change.attributes = attributes;
  if (auto done = node->change(change); !done) return refuse(done.error());
  made_[key] = node;
  return node;
}

StatusOr<> NullStore::rename(std::u16string_view from, std::u16string_view to, bool replace) {
  if (from.empty() || to.empty()) return refuse(NtStatus::access_denied);
  if (const auto valid = check_path(to); !valid) return refuse(valid.error());
  const std::u16string source = upper_case(from), target = upper_case(to);
  if (source != target && !replace && (made_.contains(target) || exists_always(to))) {
    return refuse(NtStatus::object_name_collision);
  }
  const auto found = made_.find(source);
  // A name that is always there can be moved, and is there again.
  if (found == made_.end()) return must_exist(from);
  auto node = found->second;
  made_.erase(found);
  made_[target] = std::move(node);
  return {};
}

StatusOr<> NullStore::remove(std::u16string_view path) {
  if (path.empty()) return refuse(NtStatus::access_denied);
  if (made_.erase(upper_case(path)) == 0) return must_exist(path);
  return {};
}

}  // namespace

std::byte null_pattern(std::uint64_t offset) noexcept {
  const auto at = static_cast<std::uint32_t>(offset % null_period_bytes);
  return static_cast<std::byte>((at * 0x9E3779B1U) >> 24);
}

std::unique_ptr<FileStore> make_null_store(const ShareSettings& share, Clock clock) {
  return std::make_unique<NullStore>(share, clock);
}

}  // namespace smb3::server
