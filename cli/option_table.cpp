#include "option_table.h"

#include <smbclient3/share_path.h>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

namespace smb3::cli {
namespace {

// Stand for a value that is absent ("--name") or empty ("--name="): in either case CLI11 would take
// the next argument for it. No command line can hold them.
constexpr std::string_view no_value("\0n", 2);
constexpr std::string_view empty_value("\0e", 2);

Error usage(std::string what) { return Error(ErrorKind::local, std::move(what)); }

std::string shown(const Option& option) { return "--" + option.name; }

// Whether an argument is this option, with `value` in it: "--name=VALUE", or "-nVALUE" behind other
// letters.
bool holds(std::string_view argument, const Option& option, std::string_view value) {
  if (argument == shown(option) + "=" + std::string(value)) return true;
  return option.letter != 0 && !value.empty() && !argument.starts_with("--") &&
         argument.starts_with('-') && argument.ends_with(option.letter + std::string(value));
}

// Whether an argument is this option, with its value in the next argument.
bool announces(std::string_view argument, const Option& option) {
  if (argument == shown(option)) return true;
  return option.letter != 0 && argument.size() > 1 && !argument.starts_with("--") &&
         argument.starts_with('-') && argument.ends_with(option.letter);
}

// One command line on its way through CLI11.
class Reading {
 public:
  Reading(std::span<const Option> table, std::span<char* const> arguments)
      : table_(table), arguments_(arguments), is_value_(arguments.size()) {
    app_.set_help_flag();
    app_.allow_extras();
    for (const Option& entry : table) add(entry);
  }

  Result<std::vector<char*>> read() {
    const auto mark = std::ranges::find_if(
        arguments_, [](const char* argument) { return std::strcmp(argument, "--") == 0; });
    std::vector<std::string> before(arguments_.begin(), mark);
    for (std::string& argument : before) say_what_is_absent(argument);
    std::ranges::reverse(before);  // as CLI11 takes them
    try {
      app_.parse(std::move(before));
    } catch (const CLI::ParseError& error) {
      return std::unexpected(refusal(error));
    }
    if (failure_) return std::unexpected(std::move(*failure_));
    return operands(static_cast<std::size_t>(mark - arguments_.begin()));
  }

 private:
  void add(const Option& entry) {
    std::string names = shown(entry);
    if (entry.letter != 0) names = std::string("-") + entry.letter + "," + names;
    if (entry.takes == Takes::nothing) {
      app_.add_flag_callback(names, [this, &entry] { apply(entry, nullptr); })
          ->disable_flag_override()
          ->trigger_on_parse();
    } else {
      app_.add_option_function<std::string>(
              names,
              [this, &entry](const std::string& value) {
                if (value == no_value) return apply(entry, nullptr);
                char* found = find_value(entry, value == empty_value ? "" : value);
                if (found != nullptr) return apply(entry, found);
                if (!failure_) failure_.emplace(usage(shown(entry) + " needs a value"));
              })
          ->trigger_on_parse();
    }
  }

  // Where in argv the value lies: CLI11 hands out copies, but a secret is overwritten where it is.
  // Options are applied in their order, so that what was passed by is not looked at again.
  char* find_value(const Option& entry, std::string_view value) {
    while (next_ < arguments_.size()) {
      char* argument = arguments_[next_++];
      const std::string_view text(argument);
      if (holds(text, entry, value)) return argument + (text.size() - value.size());
      if (announces(text, entry) && next_ < arguments_.size() && value == arguments_[next_]) {
        is_value_[next_] = true;
        return arguments_[next_++];
      }
    }
    return nullptr;
  }

  void apply(const Option& entry, char* value) {
    if (failure_) return;
    auto applied = entry.apply(value);
    if (!applied) failure_.emplace(std::move(applied).error().on(shown(entry)));
  }

  void say_what_is_absent(std::string& argument) const {
    for (const Option& entry : table_) {
      if (entry.takes == Takes::maybe_value && argument == shown(entry)) {
        argument.append("=").append(no_value);
      } else if (entry.takes != Takes::nothing && argument == shown(entry) + "=") {
        argument.append(empty_value);
      }
    }
  }

  // In our own words: CLI11's can hold the value of an unknown option, which can be a secret.
  Error refusal(const CLI::ParseError& error) const {
    const std::string text = error.what();
    for (const Option& entry : table_) {
      if (text.find(shown(entry)) == text.npos && !text.starts_with(entry.name + " ")) continue;
      return usage(shown(entry) +
                   (entry.takes == Takes::nothing ? " takes no value" : " needs a value"));
    }
    return usage("the command line cannot be read");
  }

  Result<std::vector<char*>> operands(std::size_t mark) {
    auto is_option = [](std::string_view text) { return text.size() > 1 && text.front() == '-'; };
    for (const std::string& text : app_.remaining()) {
      if (is_option(text)) {
        return std::unexpected(usage("unknown option " + text.substr(0, text.find('='))));
      }
    }
    std::vector<char*> found;
    for (std::size_t i = 0; i < arguments_.size(); ++i) {
      bool is_operand = i > mark || (i < mark && !is_value_[i] && !is_option(arguments_[i]));
      if (is_operand) found.push_back(arguments_[i]);
    }
    return found;
  }

  std::span<const Option> table_;
  std::span<char* const> arguments_;
  std::vector<bool> is_value_;  // of each argument: it is the value of the option before it
  std::size_t next_ = 0;        // the first argument that no option was looked for in
  CLI::App app_;
  std::optional<Error> failure_;
};

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
  const auto count = static_cast<std::size_t>(std::max(argc - 1, 0));
  return Reading(table, std::span<char* const>(argv + std::min(argc, 1), count)).read();
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
