#include "support/server/directory_scan.h"

#include "support/server/name_pattern.h"
#include "support/server/names.h"

namespace smb3::server {

StatusOr<DirectoryScan> scan_directory(FileStore& store, Node& node, std::u16string_view path,
                                       std::u16string pattern) {
  DirectoryScan scan;
  scan.pattern = std::move(pattern);
  const auto own = node.status();
  if (!own) return refuse(own.error());
  if (matches(u".", scan.pattern)) scan.entries.push_back({u".", *own});
  if (matches(u"..", scan.pattern)) {
    // The share's own parent is nobody's business: it is its own.
    const auto parent = store.open(split(path).folder);
    const auto status = parent ? (*parent)->status() : own;
    scan.entries.push_back({u"..", status ? *status : *own});
  }
  auto all = node.list();
  if (!all) return refuse(all.error());
  for (StoreEntry& entry : *all) {
    if (matches(entry.name, scan.pattern)) scan.entries.push_back(std::move(entry));
  }
  return scan;
}

}  // namespace smb3::server
