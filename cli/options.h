// The command lines of smbcp and smbget.
#pragma once

#include "credentials.h"
#include "option_table.h"

#include <smbclient3/client.h>

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace smb3::cli {

enum class Verbosity : std::uint8_t { quiet, normal, verbose };
enum class ProgressMode : std::uint8_t { automatic, always, never };

// What both tools have.
struct CommonOptions {
  CredentialOptions credentials;
  ClientOptions client;
  Verbosity verbosity = Verbosity::normal;
  ProgressMode progress = ProgressMode::automatic;
  bool json = false;
  bool recursive = false;
  bool show_help = false;
  bool show_version = false;
  std::vector<std::string> operands;
};

struct SmbcpOptions : CommonOptions {
  bool preserve = false;
  bool dry_run = false;
  bool in_place = false;
  bool write_through = false;
};

struct SmbgetOptions : CommonOptions {
  std::string output_file;
  bool to_stdout = false;
};

// Reads argv, and overwrites the secrets in it.
// Errors: kind local, with what is wrong in words that hold no secret.
Result<SmbcpOptions> read_smbcp_options(int argc, char** argv);
Result<SmbgetOptions> read_smbget_options(int argc, char** argv);

std::string smbcp_help();
std::string smbget_help();

// Whether --json stands on a command line that could not be read, as its caller waits for an
// object.
bool asks_for_json(int argc, char** argv) noexcept;

// The options by subject; each applies to `options`.
std::vector<Option> credential_options(CommonOptions& options);
std::vector<Option> connection_options(CommonOptions& options);
std::vector<Option> output_options(CommonOptions& options);

// The tools' exit codes, for --help.
std::string exit_code_help();

// Takes the operands over; those that are URLs lose their password in argv.
std::vector<std::string> take_operands(const std::vector<char*>& operands);

}  // namespace smb3::cli
