#include "unit/wire/vector_file.h"

#include <gtest/gtest.h>

#include <cctype>
#include <fstream>

namespace smb3::wire::testing {

namespace {

std::string trimmed(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front()))) {
    text.remove_prefix(1);
  }
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) {
    text.remove_suffix(1);
  }
  return std::string(text);
}

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

std::vector<std::byte> from_hex(std::string_view text) {
  std::vector<std::byte> bytes;
  int high = -1;
  for (const char c : text) {
    if (std::isspace(static_cast<unsigned char>(c))) continue;
    const int value = digit(c);
    if (value < 0) {
      ADD_FAILURE() << "not hex: " << text;
      return {};
    }
    if (high < 0) {
      high = value;
    } else {
      bytes.push_back(static_cast<std::byte>(high << 4 | value));
      high = -1;
    }
  }
  EXPECT_LT(high, 0) << "half a byte: " << text;
  return bytes;
}

std::string to_hex(std::span<const std::byte> bytes) {
  std::string text;
  for (const std::byte b : bytes) {
    text += "0123456789abcdef"[std::to_integer<unsigned>(b) >> 4];
    text += "0123456789abcdef"[std::to_integer<unsigned>(b) & 15];
  }
  return text;
}

std::vector<Vector> read_vectors(const std::string& name) {
  const std::string path = std::string(SMB3_TESTS_DIR) + "/vectors/" + name;
  std::ifstream file(path);
  EXPECT_TRUE(file) << "no " << path;
  std::vector<Vector> vectors;
  bool in_block = false, in_hex = false;
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    line = trimmed(line.substr(0, line.find('#')));
    if (line.empty()) continue;
    if (line.starts_with("---")) {
      in_block = in_hex = false;
      continue;
    }
    if (!in_block) {
      vectors.push_back({.where = path + ':' + std::to_string(number), .fields = {}, .hex = {}});
      in_block = true;
    }
    const std::size_t equals = line.find('=');
    const std::string key = equals == line.npos ? line : trimmed(line.substr(0, equals));
    if (key == "hex") {
      in_hex = true;
      line = equals == line.npos ? "" : line.substr(equals + 1);
    }
    if (in_hex) {
      const std::vector<std::byte> more = from_hex(line);
      vectors.back().hex.insert(vectors.back().hex.end(), more.begin(), more.end());
    } else {
      EXPECT_NE(equals, line.npos) << path << ':' << number << ": neither a field nor hex";
      vectors.back().fields[key] = trimmed(line.substr(equals + 1));
    }
  }
  EXPECT_FALSE(vectors.empty()) << path << " has no vectors";
  return vectors;
}

std::string file_of(std::string_view type_name) {
  std::string name;
  for (const char c : type_name) {
    if (std::isupper(static_cast<unsigned char>(c))) {
      if (!name.empty()) name += '_';
      name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else {
      name += c;
    }
  }
  return name + ".txt";
}

TEST(VectorFile, NamesFilesAfterTypes) {
  EXPECT_EQ(file_of("ReadRequest"), "read_request.txt");
  EXPECT_EQ(file_of("FileIdBothDirectoryInformation"), "file_id_both_directory_information.txt");
}

TEST(VectorFile, ReadsHex) { EXPECT_EQ(to_hex(from_hex("00 fF\n1 2")), "00ff12"); }

}  // namespace smb3::wire::testing
