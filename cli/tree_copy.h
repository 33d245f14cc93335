// Copies files and trees: several files at once, while directories are still being listed.
#pragma once

#include "side.h"

#include <smbclient3/task_group.h>

#include <atomic>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

namespace smb3::cli {

struct TreePolicy {
  bool recursive = false;
  bool preserve_directories = false;  // their times; those of files are in `copy`
  bool dry_run = false;
  std::size_t files_at_once = 16;
  CopyOptions copy;
};

// One operand of the command line.
struct TreeJob {
  Side* from = nullptr;
  TreePath from_path;
  Side* to = nullptr;
  TreePath to_path;
  bool target_must_be_directory = false;  // the destination ends in a slash
  bool source_must_be_directory = false;  // the source does
};

// Told on the client's thread. Paths are as display() has them.
class TreeObserver {
 public:
  virtual ~TreeObserver() = default;
  virtual void found(std::uint64_t bytes) = 0;
  virtual void all_found() = 0;
  virtual void planned(const std::string& from, const std::string& to) = 0;
  virtual void copied(const std::string& from, const std::string& to, std::uint64_t bytes) = 0;
  virtual void left_out(const std::string& path, const std::string& what) = 0;
  virtual void failed(const std::string& path, const Error& error) = 0;
};

using FileCopier = std::function<Task<CopyReport>(Endpoint from, Endpoint to, CopyOptions)>;

Task<CopyReport> copy_file(Endpoint from, Endpoint to, CopyOptions options);

// Runs on the client's thread, but for stop(). A file's failure is told and the next one copied.
class TreeCopy {
 public:
  TreeCopy(TreePolicy policy, TreeObserver& observer, FileCopier copier = copy_file)
      : policy_(policy), observer_(observer), copier_(std::move(copier)) {}

  Task<void> run(std::vector<TreeJob> jobs);
  // Starts nothing more. From any thread.
  void stop() noexcept { stopped_ = true; }

 private:
  // A directory whose copy is not complete. Its times are set when that of its last member is.
  struct Folder {
    std::shared_ptr<Folder> parent;
    std::size_t unfinished = 1;  // members, and the listing itself
    unsigned depth = 0;
    Side* to = nullptr;
    TreePath to_path{};
    BasicInformation times{};
    bool is_made = false;
  };
  struct Item {
    TreeJob job;
    EntryKind kind = EntryKind::other;  // of a named item: not known yet
    bool is_named = false;
    BasicInformation times{};
    std::shared_ptr<Folder> parent{};
  };

  void pump();
  bool take(Item& item);
  Task<void> work(Item item);
  Task<void> look_at(Item& item);
  Task<void> copy_one(Item item);
  Task<void> copy_directory(Item item);
  Task<void> copy_members(Item& item, std::shared_ptr<Folder> folder);
  using Names = std::unordered_set<std::string>;  // of one target directory, as its side tells them
  void add(const Item& directory, const std::shared_ptr<Folder>& folder, Entry entry, Names& taken);
  Task<void> release(std::shared_ptr<Folder> folder);
  void fail(const Item& item, const Error& error);

  TreePolicy policy_;
  TreeObserver& observer_;
  FileCopier copier_;
  TaskGroup group_;
  std::deque<Item> files_;
  std::vector<Item> directories_;  // the last one first: depth before breadth keeps this short
  std::size_t unseen_ = 0;         // named items of which it is not known yet what they are
  std::size_t active_ = 0;
  std::size_t listing_ = 0;
  bool is_pumping_ = false;
  std::atomic<bool> stopped_ = false;
};

}  // namespace smb3::cli
