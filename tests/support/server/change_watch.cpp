#include "support/server/change_watch.h"

#include "support/server/names.h"

#include <algorithm>

namespace smb3::server {

namespace {

constexpr std::size_t changes_kept_max = 1024;

wire::CompletionFilter name_filter(bool is_directory) {
  return is_directory ? wire::CompletionFilter::dir_name : wire::CompletionFilter::file_name;
}

}  // namespace

void ChangeWatch::note(wire::FileAction action, wire::CompletionFilter what,
                       std::u16string_view path) {
  if (ended_ || (filter_ & what) == wire::CompletionFilter::none) return;
  if (!lies_below(path, folder_)) return;
  const std::u16string_view rest = path.substr(folder_.empty() ? 0 : folder_.size() + 1);
  if (!whole_tree_ && rest.find(u'\\') != rest.npos) return;
  if (changes_.size() >= changes_kept_max) {
    overflowed_ = true;
  } else if (changes_.empty() || changes_.back().action != action || changes_.back().path != rest) {
    changes_.push_back({action, std::u16string(rest)});
  }
  wake();
}

void ChangeWatch::end(NtStatus status) {
  if (!ended_) ended_ = status;
  for (Event* waiter : waiters_) waiter->set();
}

void ChangeWatch::remove_waiter(Event& event) {
  std::erase(waiters_, &event);
  if (has_changes()) wake();
}

std::optional<std::vector<Change>> ChangeWatch::take() {
  const bool lost = std::exchange(overflowed_, false);
  std::vector<Change> changes = std::exchange(changes_, {});
  if (lost) return std::nullopt;
  return changes;
}

void ChangeWatch::wake() {
  if (!waiters_.empty()) waiters_.front()->set();
}

std::shared_ptr<ChangeWatch> ChangeWatches::add(std::u16string folder, bool whole_tree,
                                                wire::CompletionFilter filter) {
  auto watch = std::make_shared<ChangeWatch>(std::move(folder), whole_tree, filter);
  std::erase_if(watches_, [](const auto& known) { return known.expired(); });
  watches_.push_back(watch);
  return {watch.get(), [watch](ChangeWatch* held) { held->end(NtStatus::notify_cleanup); }};
}

void ChangeWatches::report(wire::FileAction action, wire::CompletionFilter what,
                           std::u16string_view path) {
  for (const auto& known : watches_) {
    if (const auto watch = known.lock()) watch->note(action, what, path);
  }
}

void ChangeWatches::report_name(wire::FileAction action, bool is_directory,
                                std::u16string_view path) {
  report(action, name_filter(is_directory), path);
}

void ChangeWatches::report_rename(bool is_directory, std::u16string_view from,
                                  std::u16string_view to) {
  const wire::CompletionFilter what = name_filter(is_directory);
  if (same_name(split(from).folder, split(to).folder)) {
    report(wire::FileAction::renamed_old_name, what, from);
    report(wire::FileAction::renamed_new_name, what, to);
  } else {
    report(wire::FileAction::removed, what, from);
    report(wire::FileAction::added, what, to);
  }
}

}  // namespace smb3::server
