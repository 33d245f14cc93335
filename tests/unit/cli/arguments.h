// An argv that a parser may write into.
#pragma once

#include <string>
#include <vector>

namespace smb3::cli {

class Arguments {
 public:
  explicit Arguments(std::vector<std::string> arguments) : texts_(std::move(arguments)) {
    texts_.insert(texts_.begin(), "program");
    for (std::string& text : texts_) pointers_.push_back(text.data());
    pointers_.push_back(nullptr);
  }
  Arguments(const Arguments&) = delete;

  int count() const { return static_cast<int>(texts_.size()); }
  char** pointers() { return pointers_.data(); }
  // What another user would see: all arguments, with a blank behind each.
  std::string seen() const {
    std::string all;
    for (const std::string& text : texts_) all += text + " ";
    return all;
  }

 private:
  std::vector<std::string> texts_;
  std::vector<char*> pointers_;
};

}  // namespace smb3::cli
