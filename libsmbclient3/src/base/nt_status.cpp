#include "base/nt_status.h"

#include <algorithm>
#include <array>

namespace smb3 {
namespace {

struct Entry {
  NtStatus status;
  std::string_view name;  // as in the list, in lower case
  ErrorKind kind;
  std::string_view words;
};

constexpr Entry entries[] = {
#define SMB3_STATUS(name, value, kind, words) {NtStatus::name, #name, ErrorKind::kind, words},
#include "base/nt_status.inc"
#undef SMB3_STATUS
};

constexpr const Entry* find(NtStatus status) noexcept {
  const auto* entry = std::find_if(std::begin(entries), std::end(entries),
                                   [status](const Entry& e) { return e.status == status; });
  return entry == std::end(entries) ? nullptr : entry;
}

// "STATUS_LOGON_FAILURE" of "logon_failure", made once for every entry.
struct Names {
  std::array<std::string, std::size(entries)> names;
  Names() {
    for (std::size_t i = 0; i < names.size(); ++i) {
      const bool prefixed = entries[i].name.starts_with("sec_e_");
      names[i] = prefixed ? "" : "STATUS_";
      for (char c : entries[i].name) {
        names[i] += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
      }
    }
  }
};

}  // namespace

std::string_view name_of(NtStatus status) noexcept {
  static const Names names;
  const Entry* entry = find(status);
  return entry ? std::string_view(names.names[static_cast<std::size_t>(entry - entries)])
               : std::string_view();
}

std::string_view words_of(NtStatus status) noexcept {
  const Entry* entry = find(status);
  return entry ? entry->words : std::string_view();
}

ErrorKind kind_of(NtStatus status) noexcept {
  const Entry* entry = find(status);
  return entry ? entry->kind : ErrorKind::failed;
}

Error status_error(NtStatus status, std::string_view operation, const char* file, unsigned line) {
  std::string_view words = words_of(status);
  return Error(kind_of(status), std::string(words.empty() ? "the server refused" : words), file,
               line)
      .status(static_cast<std::uint32_t>(status))
      .during(operation);
}

}  // namespace smb3
