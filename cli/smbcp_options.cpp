// The command line of smbcp.
#include "options.h"

#include <fmt/format.h>

#include <utility>

namespace smb3::cli {
namespace {

std::vector<Option> copy_options(SmbcpOptions& options) {
  return {
      flag('r', "recursive", "copy directories and what is in them", options.recursive),
      flag('p', "preserve", "keep times and the read-only attribute", options.preserve),
      flag('n', "dry-run", "say what would be copied, and copy nothing", options.dry_run),
      flag(0, "inplace", "write into an existing file instead of replacing it", options.in_place),
      flag(0, "writethrough", "have the server write to the disk before it answers",
           options.write_through),
  };
}

std::vector<Option> safety_options(SmbcpOptions& options) {
  return {flag(0, "encrypt", "fail unless everything is encrypted", options.client.encrypt)};
}

std::vector<Option> help_options(SmbcpOptions& options) {
  return {flag('h', "help", "show this help", options.show_help)};
}

}  // namespace

Result<SmbcpOptions> read_smbcp_options(int argc, char** argv) {
  SmbcpOptions options;
  std::vector<Option> table = copy_options(options);
  append(table, credential_options(options));
  append(table, connection_options(options));
  append(table, safety_options(options));
  append(table, output_options(options));
  append(table, help_options(options));
  auto operands = read_options(table, argc, argv);
  if (!operands) return std::unexpected(std::move(operands).error());
  options.operands = take_operands(*operands);
  if (options.show_help || options.show_version) return options;
  if (options.operands.empty()) {
    return std::unexpected(Error(ErrorKind::local, "no source and no destination are named"));
  }
  if (options.operands.size() == 1) {
    return std::unexpected(Error(ErrorKind::local, "no destination is named"));
  }
  return options;
}

std::string smbcp_help() {
  SmbcpOptions options;
  std::vector<Option> connection = connection_options(options);
  append(connection, safety_options(options));
  std::vector<Option> output = output_options(options);
  append(output, help_options(options));
  return fmt::format(
      R"(Usage: smbcp [OPTION]... SOURCE... DEST
Copies files between SMB 3.1.1 shares and the local system, or between shares.

A share path is smb://[[DOMAIN;]USER[:PASSWORD]@]HOST[:PORT]/SHARE/PATH (with %XX escapes),
//HOST/SHARE/PATH or \\HOST\SHARE\PATH; anything else is local, and what begins with ./ or
file: always is. An existing directory, or a DEST that ends in a slash, receives the sources.

Copying:
{}
Credentials:
{}
Connection:
{}
Output:
{}
In the directories that -r copies, symbolic links, devices, pipes, sockets and reparse points
are left out with a warning. A link that is named itself is followed.

{}
Examples:
  smbcp -U alice report.pdf //files/team/
  smbcp -r 'smb://LAB;alice@files/team/2024' archive
  smbcp -U alice --encrypt //files/team/a.iso smb://backup:4450/store/a.iso
)",
      help_of(copy_options(options)), help_of(credential_options(options)), help_of(connection),
      help_of(output), exit_code_help());
}

}  // namespace smb3::cli
