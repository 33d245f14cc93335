// Who waits for changes of a share's folders: [MS-FSA] 2.1.5.11 and 2.1.4.1.
#pragma once

#include "base/nt_status.h"
#include "reactor/event.h"
#include "wire/change_notify.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace smb3::server {

struct Change {
  wire::FileAction action{};
  std::u16string path;  // from the watched folder
};

// What changes below one open of a folder. It collects between the requests, from the first on.
class ChangeWatch : public std::enable_shared_from_this<ChangeWatch> {
 public:
  ChangeWatch(std::u16string folder, bool whole_tree, wire::CompletionFilter filter)
      : folder_(std::move(folder)), whole_tree_(whole_tree), filter_(filter) {}

  // Changes that a client has not fetched yet are kept up to a bound, then only that there were.
  void note(wire::FileAction action, wire::CompletionFilter what, std::u16string_view path);
  // The open ends (NOTIFY_CLEANUP), or its folder is about to be removed (DELETE_PENDING).
  void end(NtStatus status);
  const std::optional<NtStatus>& ended() const noexcept { return ended_; }

  // The oldest waiting request is served first.
  void add_waiter(Event& event) { waiters_.push_back(&event); }
  void remove_waiter(Event& event);
  bool is_first(const Event& event) const { return waiters_.front() == &event; }

  bool has_changes() const noexcept { return overflowed_ || !changes_.empty(); }
  // Nothing: more than was kept.
  std::optional<std::vector<Change>> take();

 private:
  void wake();

  std::u16string folder_;
  bool whole_tree_;
  wire::CompletionFilter filter_;
  std::vector<Change> changes_;
  bool overflowed_ = false;
  std::optional<NtStatus> ended_;
  std::vector<Event*> waiters_;
};

// Those of one share.
class ChangeWatches {
 public:
  // For an open to hold: the watch ends (NOTIFY_CLEANUP) when it lets go. Who waits holds
  // shared_from_this().
  std::shared_ptr<ChangeWatch> add(std::u16string folder, bool whole_tree,
                                   wire::CompletionFilter filter);
  void report(wire::FileAction action, wire::CompletionFilter what, std::u16string_view path);
  // Added or removed.
  void report_name(wire::FileAction action, bool is_directory, std::u16string_view path);
  void report_rename(bool is_directory, std::u16string_view from, std::u16string_view to);

 private:
  std::vector<std::weak_ptr<ChangeWatch>> watches_;
};

}  // namespace smb3::server
