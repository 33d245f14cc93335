// The command line of smbget: that of Samba's (4.19 and newer).
#include "options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace smb3::cli {
namespace {

Error usage(std::string what) { return Error(ErrorKind::local, std::move(what)); }

std::string upper(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 32);
  }
  return out;
}

Result<void> check_max_protocol(std::string_view value) {
  std::string name = upper(value);
  if (name == "SMB3" || name == "SMB3_11") return {};
  return std::unexpected(usage("only SMB3_11 is spoken"));
}

Result<void> set_protection(ClientOptions& client, std::string_view value) {
  if (value != "sign" && value != "encrypt" && value != "off") {
    return std::unexpected(usage("it is sign, encrypt or off"));
  }
  client.sign = value == "sign";
  client.encrypt = value == "encrypt";
  return {};
}

std::vector<Option> download_options(SmbgetOptions& options) {
  return {
      flag(0, "recursive", "download directories and what is in them", options.recursive),
      {'o', "outputfile", Takes::value, "FILE", "write to this file",
       [&options](char* value) {
         options.output_file = value;
         return *value == '\0' ? Result<void>(std::unexpected(usage("it is empty")))
                               : Result<void>();
       }},
      flag(0, "stdout", "write the data to standard output", options.to_stdout),
  };
}

std::vector<Option> protection_options(SmbgetOptions& options) {
  ClientOptions& client = options.client;
  return {
      flag('e', "encrypt", "fail unless everything is encrypted", client.encrypt),
      {0, "client-protection", Takes::value, "sign|encrypt|off", "the same in Samba's words",
       [&client](char* value) { return set_protection(client, value); }},
      {'m', "max-protocol", Takes::value, "SMB3_11", "only for the sake of Samba's command lines",
       [](char* value) { return check_max_protocol(value); }},
  };
}

std::vector<Option> help_options(SmbgetOptions& options) {
  return {flag('?', "help", "show this help", options.show_help)};
}

Result<void> check(const SmbgetOptions& options) {
  if (options.operands.empty()) return std::unexpected(usage("no URL is named"));
  bool one_file = !options.output_file.empty();
  if (options.to_stdout && one_file) {
    return std::unexpected(usage("--stdout and --outputfile exclude each other"));
  }
  if (options.recursive && (options.to_stdout || one_file)) {
    return std::unexpected(usage("--recursive needs a directory to write to, not one file"));
  }
  if (one_file && options.operands.size() > 1) {
    return std::unexpected(usage("--outputfile takes one URL"));
  }
  for (const std::string& operand : options.operands) {
    if (!SharePath::is_share_path(operand)) {
      return std::unexpected(usage("not a URL smb://host/share/path").on(operand));
    }
  }
  return {};
}

}  // namespace

Result<SmbgetOptions> read_smbget_options(int argc, char** argv) {
  SmbgetOptions options;
  std::vector<Option> table = download_options(options);
  append(table, credential_options(options));
  append(table, connection_options(options));
  append(table, protection_options(options));
  append(table, output_options(options));
  append(table, help_options(options));
  auto operands = read_options(table, argc, argv);
  if (!operands) return std::unexpected(std::move(operands).error());
  options.operands = take_operands(*operands);
  if (options.show_help || options.show_version) return options;
  if (auto checked = check(options); !checked) return std::unexpected(std::move(checked).error());
  return options;
}

std::string smbget_help() {
  SmbgetOptions options;
  std::vector<Option> connection = connection_options(options);
  append(connection, protection_options(options));
  std::vector<Option> output = output_options(options);
  append(output, help_options(options));
  return fmt::format(
      R"(Usage: smbget [OPTION]... URL...
Downloads files from SMB 3.1.1 shares into the current directory.

A URL is smb://[[DOMAIN;]USER[:PASSWORD]@]HOST[:PORT]/SHARE/PATH (with %XX escapes). A file that
exists already is not touched. What arrived before a failure is kept.

Downloading:
{}
Credentials:
{}
Connection:
{}
Output:
{}
{}
Examples:
  smbget -U alice smb://files/team/report.pdf
  smbget -U alice --recursive smb://files/team/2024
  smbget -a --stdout smb://files/public/list.txt | head
)",
      help_of(download_options(options)), help_of(credential_options(options)), help_of(connection),
      help_of(output), exit_code_help());
}

}  // namespace smb3::cli
