#include "support/server/name_pattern.h"

#include "support/server/names.h"

#include <string>
#include <vector>

namespace smb3::server {

namespace {

constexpr std::u16string_view wildcards = u"*?<>\"";
constexpr char16_t end_of_name = 0;

// The places in a pattern that a name may have come to.
class PatternStates {
 public:
  explicit PatternStates(std::u16string_view pattern)
      : pattern_(pattern), now_(pattern.size() + 1), next_(pattern.size() + 1) {
    now_[0] = true;
  }

  // Goes on where nothing of the name is needed, with `c` (or the end) to come.
  void skip(char16_t c) {
    for (std::size_t at = 0; at < pattern_.size(); ++at) {
      if (now_[at] && may_skip(pattern_[at], c)) now_[at + 1] = true;
    }
  }
  void take(char16_t c, bool is_last_dot) {
    next_.assign(next_.size(), false);
    for (std::size_t at = 0; at < pattern_.size(); ++at) {
      if (!now_[at]) continue;
      const char16_t p = pattern_[at];
      if (p == u'*' || (p == u'<' && !is_last_dot)) next_[at] = true;
      if (takes_one(p, c)) next_[at + 1] = true;
    }
    now_.swap(next_);
  }
  bool is_complete() const { return now_.back(); }

 private:
  static bool may_skip(char16_t p, char16_t c) {
    if (p == u'*' || p == u'<') return true;
    if (p == u'>') return c == u'.' || c == end_of_name;
    return p == u'"' && c == end_of_name;
  }
  static bool takes_one(char16_t p, char16_t c) {
    switch (p) {
      case u'*':
      case u'<': return false;
      case u'?': return true;
      case u'>': return c != u'.';
      case u'"': return c == u'.';
      default: return upper_case(p) == upper_case(c);
    }
  }

  std::u16string_view pattern_;
  std::vector<bool> now_, next_;
};

}  // namespace

bool has_wildcards(std::u16string_view pattern) noexcept {
  return pattern.find_first_of(wildcards) != pattern.npos;
}

bool is_valid_pattern(std::u16string_view pattern) noexcept {
  if (pattern == u"." || pattern == u"..") return true;
  std::u16string plain(pattern);
  for (char16_t& c : plain) {
    if (wildcards.find(c) != wildcards.npos) c = u'x';
  }
  return is_valid_name(plain);
}

bool matches(std::u16string_view name, std::u16string_view pattern) {
  if (pattern == u"*" || pattern == u"*.*") return true;
  const std::size_t last_dot = name.rfind(u'.');
  PatternStates states(pattern);
  for (std::size_t at = 0; at < name.size(); ++at) {
    states.skip(name[at]);
    states.take(name[at], at == last_dot);
  }
  states.skip(end_of_name);
  return states.is_complete();
}

}  // namespace smb3::server
