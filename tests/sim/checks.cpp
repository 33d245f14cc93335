// What must hold at the end of every run, whatever went wrong in it.
#include "sim/network.h"
#include "sim/world.h"

#include <algorithm>

namespace smb3::sim {
namespace {

constexpr std::string_view part_prefix = ".smbcp-";

std::string last_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

void World::wrong(std::string what) { violations_.push_back(std::move(what)); }

std::string World::source_display(const std::string& below) const {
  std::string top = source_top();
  if (!source_is_local()) top = "//" + nodes_.front()->address + "/data/" + top;
  return below.empty() ? top : top + "/" + below;
}

// An error for the file itself, for a folder on the way to it, or for everything.
bool World::is_reported(const PlannedFile& file) const {
  if (!told_.whole.empty() || interrupted_) return true;
  std::string path = file.path;
  while (true) {
    if (told_.failures.contains(source_display(path))) return true;
    if (path.empty()) return false;
    const std::size_t slash = path.rfind('/');
    path = slash == path.npos ? "" : path.substr(0, slash);
  }
}

void World::check_file(const PlannedFile& file, const Found& found) {
  const std::string shown = file.path.empty() ? "the file" : file.path;
  const auto copies = told_.copies.find(source_display(file.path));
  const bool is_copied = copies != told_.copies.end();
  const bool has_failed = told_.failures.contains(source_display(file.path));
  if (is_copied && (has_failed || copies->second > 1)) wrong(shown + ": told of more than once");
  if (!is_copied && !is_reported(file)) wrong(shown + ": neither copied nor an error: silence");
  if (plan_.is_lying) return;

  const auto now = found.files.find(file.path);
  const bool is_there = now != found.files.end();
  const auto new_bytes = contents_of(file.contents, file.size);
  const bool is_new = is_there && now->second == new_bytes;
  const bool is_old =
      file.replaces ? is_there && now->second == contents_of(*file.replaces, file.replaced_size())
                    : !is_there;
  if (is_copied) {
    if (!is_new) wrong(shown + ": told to be copied, but " + (is_there ? "differs" : "is missing"));
    if (file.replaces && plan_.copy.must_not_exist) wrong(shown + ": replaced a file");
    return;
  }
  const bool may_be_partial = has_failed && !plan_.copy.through_temporary;
  if (!is_new && !is_old && !may_be_partial) {
    wrong(shown + ": was not copied, and what is there is neither the old file nor the new one");
  }
  const bool must_fail = file.replaces && plan_.copy.must_not_exist;
  if (!plan_.may_fail && !must_fail) {
    wrong(shown + ": failed, though nothing was wrong");
  }
}

void World::check(const Found& found) {
  for (const PlannedFile& file : plan_.files) check_file(file, found);
  check_others(found);
  if (!plan_.may_fail) {
    for (const std::string& text : told_.whole) wrong("failed, though nothing was wrong: " + text);
    for (const auto& [path, texts] : told_.failures) {
      if (!plan_.copy.must_not_exist) wrong(path + ": " + texts.front());
    }
    for (const std::string& folder : plan_.folders) {
      if (std::ranges::find(found.folders, folder) == found.folders.end()) {
        wrong(folder + ": the folder is missing");
      }
    }
  }
  if (plan_.wrong_password && !told_.copies.empty()) wrong("a wrong password was good enough");
}

bool World::is_named_in_an_error(const std::string& name) const {
  for (const auto& [source, texts] : told_.failures) {
    for (const std::string& text : texts) {
      if (text.contains(name)) return true;
    }
  }
  return false;
}

// Files that nobody planned.
void World::check_others(const Found& found) {
  for (const std::string& name : found.outside) {
    const bool is_part = name.starts_with(part_prefix);  // of a target that is a single file
    if (!is_part) wrong("outside of the target: " + name);
    if (is_part && !is_named_in_an_error(name)) wrong(name + " was left behind without a word");
  }
  for (const auto& [path, bytes] : found.files) {
    const std::string name = last_name(path);
    if (name.starts_with(part_prefix)) {
      // On a share it may be out of reach, or its making was never told of.
      if (!target_is_local() && plan_.may_fail) continue;
      if (!is_named_in_an_error(name)) wrong(path + " was left behind without a word");
    } else if (!plan_.is_lying &&
               std::ranges::find(plan_.files, path, &PlannedFile::path) == plan_.files.end()) {
      wrong(path + ": nobody asked for this file");
    }
  }
}

// What the server saw on its side: it ends a connection over a MessageId that was used before or
// never granted, a frame that cannot be unsealed, a message that cannot be read.
void World::check_servers() {
  if (plan_.is_lying || plan_.link.tampering_one_in != 0) return;
  static constexpr std::string_view harmless[] = {"closed by the client", "ended by the server",
                                                  "closed by a fault", "reset by a fault",
                                                  "a fault of the connection"};
  for (const auto& node : nodes_) {
    for (const std::string& why : node->server->ends()) {
      const bool is_harmless =
          why.empty() || why.starts_with("recv: ") || why.starts_with("send: ") ||
          why.ends_with("(recv)") || why.ends_with("(send)") ||
          std::ranges::any_of(harmless, [&](std::string_view text) { return why == text; });
      if (!is_harmless) wrong("the server ended the connection: " + why);
    }
  }
}

void World::check_nothing_is_left() {
  if (reactor_.in_flight() != 0) wrong("operations are still in flight");
  if (reactor_.has_timer()) wrong("a timer is still set");
  if (reactor_.has_work()) wrong("something still wants to run");
  if (reactor_.network().open_sockets() != 0) wrong("a socket is still open");
}

}  // namespace smb3::sim
