#include "fuzz/vector_hex.h"

#include <cctype>
#include <fstream>

namespace smb3::fuzz {
namespace {

bool is_digit(char c) { return std::isxdigit(static_cast<unsigned char>(c)) != 0; }
bool is_upper(char c) { return std::isupper(static_cast<unsigned char>(c)) != 0; }
char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }
int value_of(char c) { return c <= '9' ? c - '0' : lower(c) - 'a' + 10; }

// "FileIdBothDirectoryInformation" is in file_id_both_directory_information.txt.
std::string file_of(std::string_view type) {
  std::string name;
  for (const char c : type) {
    if (is_upper(c) && !name.empty()) name += '_';
    name += lower(c);
  }
  return std::string(SMB3_TESTS_DIR) + "/vectors/" + name + ".txt";
}

void append_hex(Octets& bytes, std::string_view line) {
  std::string digits;
  for (const char c : line) {
    if (is_digit(c)) digits += c;
  }
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
    bytes.push_back(static_cast<std::byte>(value_of(digits[i]) * 16 + value_of(digits[i + 1])));
  }
}

}  // namespace

std::vector<Octets> vectors_of(std::string_view type) {
  std::vector<Octets> list;
  std::ifstream file(file_of(type));
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    line = line.substr(0, line.find('#'));
    const std::size_t equals = line.find('=');
    if (line.starts_with("hex") && equals != line.npos) {
      list.emplace_back();
      inside = true;
      line = line.substr(equals + 1);
    } else if (equals != line.npos || line.starts_with('-')) {
      inside = false;
    }
    if (inside) append_hex(list.back(), line);
  }
  return list;
}

}  // namespace smb3::fuzz
