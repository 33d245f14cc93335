#include "tree_copy.h"

#include "place.h"

#include <algorithm>
#include <utility>

namespace smb3::cli {
namespace {

constexpr std::size_t listings_at_once = 4;
constexpr std::size_t files_wanted = 64;         // in the queue, before copying beats listing
constexpr std::size_t files_waiting_max = 1024;  // a listing that is ahead by more copies itself
constexpr unsigned depth_max = 250;              // links on the server can make a tree endless

}  // namespace

TreePath TreePath::member(const std::string& name) const {
  TreePath path = *this;
  path.text_ = join(text_, name);
  return path;
}

std::string TreePath::below() const {
  const std::size_t start = text_.find_first_not_of('/', named_bytes_);
  return start == text_.npos ? std::string() : text_.substr(start);
}

Task<CopyReport> copy_file(Endpoint from, Endpoint to, CopyOptions options) {
  auto* local_from = std::get_if<Local>(&from);
  auto* local_to = std::get_if<Local>(&to);
  if (local_from != nullptr && local_to != nullptr) {
    co_return Error(ErrorKind::unsupported, "neither side is a share");
  }
  if (local_from != nullptr) {
    co_return co_await copy(std::move(*local_from), std::move(std::get<Remote>(to)), options);
  }
  if (local_to != nullptr) {
    co_return co_await copy(std::move(std::get<Remote>(from)), std::move(*local_to), options);
  }
  co_return co_await copy(std::move(std::get<Remote>(from)), std::move(std::get<Remote>(to)),
                          options);
}

Task<void> TreeCopy::run(std::vector<TreeJob> jobs) {
  unseen_ = jobs.size();
  for (TreeJob& job : jobs) files_.push_back({.job = std::move(job), .is_named = true});
  pump();
  co_await group_.join();
  files_.clear();
  directories_.clear();
}

// Starts what there is room for. Work that ends at once calls this again from inside start(): the
// loop that runs already goes on for it, so that nothing piles up on the stack.
void TreeCopy::pump() {
  if (is_pumping_) return;
  is_pumping_ = true;
  Item item;
  while (active_ < policy_.files_at_once && take(item)) {
    ++active_;
    group_.start(work(std::move(item)));
    item = Item();
  }
  is_pumping_ = false;
  if (unseen_ == 0 && listing_ == 0 && directories_.empty()) observer_.all_found();
}

bool TreeCopy::take(Item& item) {
  if (stopped_) return false;
  bool may_list = !directories_.empty() && listing_ < listings_at_once;
  if (may_list && (files_.empty() || (files_.size() < files_wanted && listing_ == 0))) {
    item = std::move(directories_.back());
    directories_.pop_back();
    ++listing_;
    return true;
  }
  if (files_.empty()) return false;
  item = std::move(files_.front());
  files_.pop_front();
  return true;
}

Task<void> TreeCopy::work(Item item) {
  if (item.is_named && item.kind == EntryKind::other) {
    co_await look_at(item);
  } else if (item.kind == EntryKind::directory) {
    co_await copy_directory(std::move(item));
    --listing_;
  } else {
    co_await copy_one(std::move(item));
  }
  --active_;
  pump();
}

// Of what the user named, only now is it seen what it is.
Task<void> TreeCopy::look_at(Item& item) {
  const TreeJob& job = item.job;
  auto entry = co_await attempt(job.from->status(job.from_path.text()));
  --unseen_;
  if (!entry) {
    fail(item, entry.error());
    co_return;
  }
  item.kind = entry->kind;
  item.times = entry->times;
  if (item.kind == EntryKind::directory) {
    if (policy_.recursive) {
      directories_.push_back(std::move(item));
    } else {
      fail(item, Error(ErrorKind::local, "omitting directory")
                     .advise("directories are copied with --recursive"));
    }
    co_return;
  }
  if (job.source_must_be_directory) {
    fail(item, Error(ErrorKind::not_found, "not a directory"));
    co_return;
  }
  if (job.target_must_be_directory) {
    fail(item, Error(ErrorKind::not_found, "no such directory").on(job.to->display(job.to_path)));
    co_return;
  }
  observer_.found(entry->size_bytes);
  co_await copy_one(std::move(item));
}

void TreeCopy::fail(const Item& item, const Error& error) {
  observer_.failed(item.job.from->display(item.job.from_path), error);
}

Task<void> TreeCopy::copy_one(Item item) {
  const TreeJob& job = item.job;
  std::string from = job.from->display(job.from_path);
  std::string to = job.to->display(job.to_path);
  if (policy_.dry_run) {
    observer_.planned(from, to);
  } else {
    auto report = co_await attempt(
        copier_(job.from->endpoint(job.from_path), job.to->endpoint(job.to_path), policy_.copy));
    if (report) {
      observer_.copied(from, to, report->bytes);
    } else {
      observer_.failed(from, report.error());
    }
  }
  co_await release(std::move(item.parent));
}

Task<void> TreeCopy::copy_directory(Item item) {
  const TreeJob& job = item.job;
  auto folder = std::make_shared<Folder>();
  folder->parent = item.parent;
  folder->depth = item.parent ? item.parent->depth + 1 : 0;
  folder->to = job.to;
  folder->to_path = job.to_path;
  folder->times = item.times;
  if (policy_.dry_run) {
    observer_.planned(job.from->display(job.from_path), job.to->display(job.to_path));
  } else {
    auto made = co_await attempt(job.to->make_directory(job.to_path));
    if (!made) {
      fail(item, made.error());
      co_await release(std::move(folder));
      co_return;
    }
    folder->is_made = true;
  }
  auto walked = co_await attempt(copy_members(item, folder));
  if (!walked) fail(item, walked.error());
  co_await release(std::move(folder));
}

Task<void> TreeCopy::copy_members(Item& item, std::shared_ptr<Folder> folder) {
  if (folder->depth > depth_max) {
    co_await Error(ErrorKind::local, "directories are nested too deeply");
  }
  std::unique_ptr<Listing> listing = co_await item.job.from->list(item.job.from_path);
  Result<void> result;
  Names taken;
  while (!stopped_) {
    auto batch = co_await attempt(listing->next());
    if (!batch) result = std::unexpected(std::move(batch).error());
    if (!batch || batch->empty()) break;
    for (Entry& entry : *batch) add(item, folder, std::move(entry), taken);
    pump();
    while (files_.size() > files_waiting_max && !stopped_) {
      Item next = std::move(files_.front());
      files_.pop_front();
      co_await copy_one(std::move(next));
    }
  }
  auto closed = co_await attempt(listing->close());
  static_cast<void>(closed);  // nothing was written
  co_await std::move(result);
}

// Queues one member of a directory.
void TreeCopy::add(const Item& directory, const std::shared_ptr<Folder>& folder, Entry entry,
                   Names& taken) {
  const TreeJob& job = directory.job;
  if (!entry.name) {
    observer_.failed(
        job.from->display(job.from_path),
        Error(ErrorKind::local, "a member cannot be used: " + explain(entry.name.error())));
    return;
  }
  const std::string& name = *entry.name;
  TreePath from_path = job.from_path.member(name);
  if (entry.kind == EntryKind::other) {
    observer_.left_out(job.from->display(from_path), entry.what);
    return;
  }
  if (auto usable = job.to->check_name(name); !usable) {
    observer_.failed(job.from->display(from_path), usable.error());
    return;
  }
  // On a share that tells no case apart the second would replace the first, and nobody would know.
  if (!taken.insert(job.to->key_of(name)).second) {
    observer_.failed(job.from->display(from_path),
                     Error(ErrorKind::exists, "another member has the same name on the target")
                         .advise("they differ in case only; rename one of them"));
    return;
  }
  Item item{.job = {.from = job.from,
                    .from_path = std::move(from_path),
                    .to = job.to,
                    .to_path = job.to_path.member(name)},
            .kind = entry.kind,
            .times = entry.times,
            .parent = folder};
  ++folder->unfinished;
  if (item.kind == EntryKind::directory) {
    directories_.push_back(std::move(item));
  } else {
    observer_.found(entry.size_bytes);
    files_.push_back(std::move(item));
  }
}

Task<void> TreeCopy::release(std::shared_ptr<Folder> folder) {
  while (folder && --folder->unfinished == 0) {
    if (folder->is_made && policy_.preserve_directories) {
      auto set = co_await attempt(folder->to->set_times(folder->to_path, folder->times));
      if (!set) observer_.failed(folder->to->display(folder->to_path), set.error());
    }
    folder = folder->parent;
  }
}

}  // namespace smb3::cli
