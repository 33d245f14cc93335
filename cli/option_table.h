// The options of a command line: one table for reading them and for --help.
#pragma once

#include <smbclient3/error.h>

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace smb3::cli {

enum class Takes : std::uint8_t {
  nothing,
  value,        // "--name=VALUE", "--name VALUE", "-nVALUE", "-n VALUE"
  maybe_value,  // "--name=VALUE" or "--name" alone, without a letter: the next argument is never
                // taken for a value
};

struct Option {
  char letter;  // 0: none
  std::string name;
  Takes takes;
  std::string value_name;
  std::string help;
  // The value (null: none) lies in argv, so that a secret in it can be overwritten where it is.
  std::function<Result<void>(char* value)> apply;
};

// An option without a value that sets `target`.
Option flag(char letter, std::string name, std::string help, bool& target);

void append(std::vector<Option>& table, std::vector<Option> more);

// Applies the options, which may stand between the operands up to a "--", and returns the
// operands.
Result<std::vector<char*>> read_options(std::span<const Option> table, int argc, char** argv);

// One entry an option, in the table's order.
std::string help_of(std::span<const Option> table);

// Overwrites a secret of argv, which every user of the machine can read.
void overwrite(char* secret) noexcept;
// The same for the password of a URL.
void overwrite_url_password(char* operand) noexcept;

}  // namespace smb3::cli
