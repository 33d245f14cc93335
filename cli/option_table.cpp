#include "option_table.h"

#include <smbclient3/share_path.h>

#include <fmt/format.h>
#include <getopt.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string_view>
#include <utility>

namespace smb3::cli {
namespace {

constexpr int first_index = 256;  // above every letter

Error usage(std::string what) { return Error(ErrorKind::local, std::move(what)); }

std::string shown(const Option& option) { return "--" + option.name; }

// Why getopt_long returned '?'.
Error refusal(std::span<const Option> table, const char* argument) {
  if (optopt >= first_index) {
    return usage(shown(table[static_cast<std::size_t>(optopt - first_index)]) + " takes no value");
  }
  if (optopt != 0) return usage(fmt::format("unknown option -{}", static_cast<char>(optopt)));
  // What follows a '=' can be a secret.
  std::string_view name(argument);
  return usage("unknown or ambiguous option " + std::string(name.substr(0, name.find('='))));
}

const Option* find(std::span<const Option> table, int code) {
  if (code >= first_index) return &table[static_cast<std::size_t>(code - first_index)];
  auto found = std::ranges::find(table, code, &Option::letter);
  return found == table.end() ? nullptr : &*found;
}

}  // namespace

Option flag(char letter, std::string name, std::string help, bool& target) {
  return {letter, std::move(name), Takes::nothing, "", std::move(help), [&target](char*) {
            target = true;
            return Result<void>();
          }};
}

void append(std::vector<Option>& table, std::vector<Option> more) {
  for (Option& option : more) table.push_back(std::move(option));
}

Result<std::vector<char*>> read_options(std::span<const Option> table, int argc, char** argv) {
  std::string letters = ":";  // a missing value is told from an unknown option
  std::vector<option> names;
  for (std::size_t i = 0; i < table.size(); ++i) {
    const Option& entry = table[i];
    int has_argument = entry.takes == Takes::nothing ? no_argument
                       : entry.takes == Takes::value ? required_argument
                                                     : optional_argument;
    names.push_back({entry.name.c_str(), has_argument, nullptr, first_index + static_cast<int>(i)});
    // getopt_long says '?' for what it does not know, so that letter is found on that way.
    if (entry.letter == 0 || entry.letter == '?') continue;
    letters += entry.letter;
    if (entry.takes == Takes::value) letters += ':';
    if (entry.takes == Takes::maybe_value) letters += "::";
  }
  names.push_back({});

  opterr = 0;
  optind = 0;  // begin anew
  for (int code; (code = getopt_long(argc, argv, letters.c_str(), names.data(), nullptr)) != -1;) {
    const Option* entry = find(table, code == ':' || code == '?' ? optopt : code);
    if (code == '?' && (optopt != '?' || entry == nullptr)) {
      return std::unexpected(refusal(table, argv[optind - 1]));
    }
    if (code == ':') return std::unexpected(usage(shown(*entry) + " needs a value"));
    if (auto applied = entry->apply(optarg); !applied) {
      return std::unexpected(std::move(applied).error().on(shown(*entry)));
    }
  }
  return std::vector<char*>(argv + optind, argv + argc);
}

std::string help_of(std::span<const Option> table) {
  constexpr std::size_t column = 30;
  std::string text;
  for (const Option& entry : table) {
    std::string left =
        entry.letter == 0 ? "      " : fmt::format("  -{}, ", static_cast<char>(entry.letter));
    left += shown(entry);
    if (entry.takes == Takes::value) left += "=" + entry.value_name;
    if (entry.takes == Takes::maybe_value) left += "[=" + entry.value_name + "]";
    if (left.size() + 2 > column) left += "\n";
    std::size_t used = left.ends_with('\n') ? 0 : left.size();
    text += left + std::string(column - used, ' ');
    for (char c : entry.help) {
      text += c;
      if (c == '\n') text += std::string(column, ' ');
    }
    text += '\n';
  }
  return text;
}

void overwrite(char* secret) noexcept {
  if (secret != nullptr) std::memset(secret, '*', std::strlen(secret));
}

void overwrite_url_password(char* operand) noexcept {
  std::string_view text(operand);
  // From the first colon to the last '@', since a password that is not written as it should be
  // can hold all of '/', ':' and '@'.
  std::size_t scheme_bytes = std::strlen("smb://");
  if (!SharePath::is_share_path(text) || text.starts_with('/') || text.starts_with('\\')) return;
  std::size_t colon = text.find(':', scheme_bytes);
  std::size_t at = text.rfind('@');
  if (colon == text.npos || at == text.npos || at < colon) return;
  std::memset(operand + colon + 1, '*', at - colon - 1);
}

}  // namespace smb3::cli
