// What a run did and what failed: the source of the exit code and of the --json object.
#pragma once

#include "exit_code.h"

#include <smbclient3/share.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace smb3::cli {

// What is to be said of a failure on `path`, without the path itself.
std::string message_for(const std::string& path, const Error& error);

// Not for several threads at once.
// A line for each connection of a session, and why there are no more.
std::vector<std::string> channel_table(const ConnectionInformation& information);

class Report {
 public:
  void copied(std::uint64_t bytes) {
    ++files_;
    bytes_ += bytes;
  }
  void failed(Phase phase, std::string path, const Error& error);
  // The tables of several shares are joined: one channel can carry more than one share.
  void connected(const ConnectionInformation& information);

  std::uint64_t files() const noexcept { return files_; }
  std::uint64_t bytes() const noexcept { return bytes_; }
  std::size_t failures() const noexcept { return failures_.size(); }
  // `signal_number`: 0, or the one that ended the run.
  int exit_code(int signal_number) const noexcept;
  // One object in one line, with a line end.
  std::string json(std::chrono::duration<double> elapsed) const;

 private:
  struct Failure {
    std::string path;
    ErrorKind kind;
    std::string message;
  };

  std::uint64_t files_ = 0;
  std::uint64_t bytes_ = 0;
  int worst_code_ = 0;
  std::vector<Failure> failures_;
  std::optional<ConnectionInformation> connection_;
};

}  // namespace smb3::cli
