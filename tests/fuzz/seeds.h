// Seeds: a folder a target, in it one file a seed.
#pragma once

#include "fuzz/fuzz.h"

#include <string>

namespace smb3::fuzz {

class Corpus {
 public:
  explicit Corpus(std::string folder) : folder_(std::move(folder)) {}
  void add(const std::string& target, Bytes seed);
  std::size_t count() const noexcept { return count_; }

 private:
  std::string folder_;
  std::size_t count_ = 0;
};

// Of the targets that hold a conversation.
void add_conversations(Corpus& corpus);

}  // namespace smb3::fuzz
