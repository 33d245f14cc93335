// What the tests of auth share: octets, published vectors, folders, processes.
#pragma once

#include "base/bytes.h"

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace smb3::test {

using Octets = std::vector<std::byte>;

inline Octets from_hex(std::string_view hex) {
  Octets octets;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    octets.push_back(
        static_cast<std::byte>(std::stoul(std::string(hex.substr(i, 2)), nullptr, 16)));
  }
  return octets;
}

inline std::string to_hex(Bytes bytes) {
  std::string hex;
  for (const std::byte byte : bytes) {
    hex += "0123456789abcdef"[std::to_integer<unsigned>(byte >> 4)];
    hex += "0123456789abcdef"[std::to_integer<unsigned>(byte & std::byte{15})];
  }
  return hex;
}

inline Octets octets(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

// A line of tests/vectors/auth.txt.
inline Octets vector(const std::string& name) {
  static const auto all = [] {
    std::map<std::string, Octets> vectors;
    std::ifstream file(SMB3_TESTS_DIR "/vectors/auth.txt");
    for (std::string line; std::getline(file, line);) {
      if (line.empty() || line.front() == '#') continue;
      const auto space = line.find(' ');
      vectors[line.substr(0, space)] = from_hex(std::string_view(line).substr(space + 1));
    }
    return vectors;
  }();
  return all.at(name);
}

// A folder of its own, removed at the end.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "smb3-auth-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp");
    path_ = name;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }

  std::string operator/(std::string_view name) const { return (path_ / name).string(); }
  std::string write(std::string_view name, std::string_view text) const {
    const std::string path = *this / name;
    std::ofstream(path) << text;
    return path;
  }

 private:
  std::filesystem::path path_;
};

struct Outcome {
  int status = 0;  // as waitpid gives it
  std::string output;

  bool exited_with(int code) const { return WIFEXITED(status) && WEXITSTATUS(status) == code; }
};

// A shell command with our environment; stdout and stderr come back. It dies with us, and after 60
// seconds.
inline Outcome shell(const std::string& command) {
  TemporaryFolder folder;
  const std::string log = folder / "log";
  const pid_t child = ::fork();
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    const std::string whole = "exec >" + log + " 2>&1 </dev/null\n" + command;
    ::execl("/usr/bin/timeout", "timeout", "60", "/bin/bash", "-c", whole.c_str(), nullptr);
    ::_exit(127);
  }
  Outcome outcome;
  ::waitpid(child, &outcome.status, 0);
  std::ostringstream text;
  text << std::ifstream(log).rdbuf();
  outcome.output = text.str();
  return outcome;
}

}  // namespace smb3::test
