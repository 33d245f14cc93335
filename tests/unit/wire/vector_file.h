// Reads tests/vectors/*.txt: blocks of "name = value" lines and one "hex" line that may go on over
// the lines below it. '#' begins a comment, a line of dashes the next block.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace smb3::wire::testing {

struct Vector {
  std::string where;  // file and line, for failures
  std::map<std::string, std::string> fields;
  std::vector<std::byte> hex;
};

std::vector<std::byte> from_hex(std::string_view text);
std::string to_hex(std::span<const std::byte> bytes);

// All blocks of tests/vectors/<name>. An unreadable file is no blocks, and fails the test.
std::vector<Vector> read_vectors(const std::string& name);

// "FileIdBothDirectoryInformation" is in file_id_both_directory_information.txt
std::string file_of(std::string_view type_name);

}  // namespace smb3::wire::testing
