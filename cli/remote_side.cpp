// The side of a copy that lies on a share.
#include "place.h"
#include "side.h"

#include <algorithm>
#include <array>
#include <utility>

namespace smb3::cli {
namespace {

// [MS-FSCC] 2.1.2.1. A reparse point that names something else, or is no file at all; others
// (deduplicated and such) are files that only lie elsewhere.
bool stands_for_something_else(std::uint32_t tag) {
  constexpr std::uint32_t name_surrogate = 0x2000'0000;
  constexpr std::array<std::uint32_t, 8> special{
      0,           // not told
      0x8000000A,  // DFS
      0x80000014,  // NFS: links, devices, pipes
      0x80000023,  // AF_UNIX
      0x80000024,  // LX_FIFO
      0x80000025,  // LX_CHR
      0x80000026,  // LX_BLK
      0x80000012,  // DFSR
  };
  return (tag & name_surrogate) != 0 || std::ranges::find(special, tag) != special.end();
}

Entry entry_of(Result<std::string> name, const FileStatus& status) {
  Entry entry{.name = std::move(name)};
  entry.kind = status.is_directory() ? EntryKind::directory : EntryKind::file;
  entry.size_bytes = status.is_directory() ? 0 : status.size_bytes;
  entry.times.access_time = status.access_time;
  entry.times.write_time = status.write_time;
  return entry;
}

class RemoteListing : public Listing {
 public:
  explicit RemoteListing(Directory directory) : directory_(std::move(directory)) {}

  Task<std::vector<Entry>> next() override {
    std::vector<DirectoryEntry> page = co_await directory_.next();
    std::vector<Entry> entries;
    for (DirectoryEntry& item : page) {
      Entry entry = entry_of(std::move(item.name), item.status);
      if (item.status.is_reparse_point() && stands_for_something_else(item.reparse_tag)) {
        entry.kind = EntryKind::other;
        entry.what = "a reparse point";
      }
      entries.push_back(std::move(entry));
    }
    co_return std::move(entries);
  }

  Task<void> close() override { co_await directory_.close(); }

 private:
  Directory directory_;
};

class RemoteSide : public Side {
 public:
  explicit RemoteSide(Share& share) : share_(share) {}

  std::string display(const TreePath& path) const override {
    return join(share_.name(), path.text());
  }
  Endpoint endpoint(TreePath path) const override { return Remote(share_, path.text()); }

  Task<Entry> status(std::string path) override {
    FileStatus status = co_await share_.status(path);
    co_return entry_of(path, status);
  }

  Task<std::unique_ptr<Listing>> list(TreePath path) override {
    Directory directory = co_await share_.open_directory(path.text());
    co_return std::unique_ptr<Listing>(std::make_unique<RemoteListing>(std::move(directory)));
  }

  Task<void> make_directory(TreePath path) override {
    if (path.text().empty()) co_return;
    auto made = co_await attempt(share_.make_directory(path.text()));
    if (made) co_return;
    if (made.error().kind() != ErrorKind::exists) co_await std::move(made).error();
    FileStatus status = co_await share_.status(path.text());
    if (!status.is_directory()) {
      co_await Error(ErrorKind::exists, "is there, and is no directory").on(display(path));
    }
  }

  Task<void> set_times(TreePath path, BasicInformation times) override {
    co_await share_.set_information(path.text(), times);
  }

  Result<void> check_name(const std::string& name) const override {
    // Behind a ':' a server reads the name of a stream.
    if (name.empty() || name == "." || name == ".." || name.find_first_of("/\\:") != name.npos) {
      return std::unexpected(Error(ErrorKind::local, "no file on a share can have this name"));
    }
    return check_end_of_share_name(name);
  }

  std::string key_of(const std::string& name) const override { return folded(name); }

 private:
  Share& share_;
};

}  // namespace

std::unique_ptr<Side> make_remote_side(Share& share) { return std::make_unique<RemoteSide>(share); }

}  // namespace smb3::cli
