// A side of a copy that exists in memory, and a copier that can be held up.
#pragma once

#include "place.h"
#include "tree_copy.h"

#include <coroutine>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace smb3::cli {

// Lets coroutines wait for the test.
struct Gate {
  bool is_open = true;
  std::vector<std::coroutine_handle<>> waiting;

  bool await_ready() const { return is_open; }
  void await_suspend(std::coroutine_handle<> handle) { waiting.push_back(handle); }
  void await_resume() const {}

  // Lets the longest waiting one go on.
  void pass_one() {
    auto first = waiting.front();
    waiting.erase(waiting.begin());
    first.resume();
  }
};

class FakeSide : public Side {
 public:
  struct Member {
    std::string name;
    EntryKind kind;
    std::uint64_t size_bytes = 0;
  };
  std::map<std::string, std::vector<Member>> directories;  // what list() finds
  std::map<std::string, std::uint64_t> files;              // what status() finds besides
  std::set<std::string> unmakeable, unlistable, bad_names;
  std::size_t unreadable_members = 0;  // of each directory
  std::vector<std::string> log;        // "mkdir a", "times a"
  bool is_endless = false;             // every directory has one named "d"

  std::string display(const TreePath& path) const override { return "<" + path.text() + ">"; }
  Endpoint endpoint(TreePath path) const override {
    return path.is_named() ? Local(path.text()) : Local::beneath(path.root(), path.below());
  }

  Task<Entry> status(std::string path) override {
    Entry entry{.name = path};
    if (directories.contains(path) || is_endless) {
      entry.kind = EntryKind::directory;
    } else if (files.contains(path)) {
      entry.size_bytes = files[path];
    } else {
      co_return Error(ErrorKind::not_found, "no such file").on(display(path));
    }
    co_return std::move(entry);
  }

  Task<std::unique_ptr<Listing>> list(TreePath where) override {
    const std::string& path = where.text();
    if (unlistable.contains(path)) co_return Error(ErrorKind::access_denied, "closed");
    std::vector<Entry> entries;
    for (const Member& member : directories[path]) {
      entries.push_back({.name = member.name,
                         .kind = member.kind,
                         .size_bytes = member.size_bytes,
                         .what = "a thing"});
    }
    for (std::size_t i = 0; i < unreadable_members; ++i) {
      entries.push_back({.name = std::unexpected(Error(ErrorKind::protocol, "a slash in it"))});
    }
    if (is_endless) entries.push_back({.name = "d", .kind = EntryKind::directory});
    co_return std::unique_ptr<Listing>(std::make_unique<Pages>(std::move(entries)));
  }

  Task<void> make_directory(TreePath where) override {
    const std::string& path = where.text();
    if (unmakeable.contains(path)) co_await Error(ErrorKind::exists, "a file is there");
    log.push_back("mkdir " + path);
  }
  Task<void> set_times(TreePath path, BasicInformation) override {
    log.push_back("times " + path.text());
    co_return;
  }
  Result<void> check_name(const std::string& name) const override {
    if (bad_names.contains(name)) return std::unexpected(Error(ErrorKind::local, "bad name"));
    return {};
  }

 private:
  class Pages : public Listing {
   public:
    explicit Pages(std::vector<Entry> entries) : entries_(std::move(entries)) {}
    Task<std::vector<Entry>> next() override {
      std::vector<Entry> page;
      while (at_ < entries_.size() && page.size() < 10) page.push_back(std::move(entries_[at_++]));
      co_return std::move(page);
    }
    Task<void> close() override { co_return; }

   private:
    std::vector<Entry> entries_;
    std::size_t at_ = 0;
  };
};

struct FakeCopier {
  Gate gate;
  std::size_t running = 0;
  std::size_t most_at_once = 0;
  std::vector<std::string> copied;  // "from>to"
  std::vector<std::string> roots;   // of the targets: what the user named of them
  std::set<std::string> failing;    // sources

  static Task<CopyReport> copy(FakeCopier* self, std::string from, std::string to) {
    self->most_at_once = std::max(self->most_at_once, ++self->running);
    co_await self->gate;
    --self->running;
    if (self->failing.contains(from)) co_return Error(ErrorKind::access_denied, "denied");
    self->copied.push_back(from + ">" + to);
    co_return CopyReport{.bytes = from.size()};
  }
  FileCopier function() {
    return [this](Endpoint from, Endpoint to, CopyOptions) {
      const Local& target = std::get<Local>(to);
      roots.push_back(target.is_beneath() ? target.root() : target.path());
      return copy(this, std::get<Local>(from).path(), target.path());
    };
  }
};

struct Observed : TreeObserver {
  std::vector<std::string> plans, done, omitted, failures;
  std::uint64_t files_found = 0, bytes_found = 0;
  bool is_all_found = false;

  void found(std::uint64_t bytes) override {
    ++files_found;
    bytes_found += bytes;
  }
  void all_found() override { is_all_found = true; }
  void planned(const std::string& from, const std::string& to) override {
    plans.push_back(from + ">" + to);
  }
  void copied(const std::string& from, const std::string& to, std::uint64_t) override {
    done.push_back(from + ">" + to);
  }
  void left_out(const std::string& path, const std::string& what) override {
    omitted.push_back(path + " " + what);
  }
  void failed(const std::string& path, const Error& error) override {
    failures.push_back(path + " " + explain(error));
  }
};

}  // namespace smb3::cli
