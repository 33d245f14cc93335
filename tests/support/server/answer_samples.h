// One answer of each command, with all that it can carry.
#pragma once

#include "base/bytes.h"
#include "wire/command.h"

#include <cstdint>
#include <string>
#include <vector>

namespace smb3::server {

struct AnswerSample {
  std::string name;  // the command and, where there are several, which: "IOCTL srv_copychunk"
  wire::Command command{};
  std::uint32_t information = 0;
  std::vector<std::byte> element;  // from its header on
};

std::vector<AnswerSample> answer_samples();

}  // namespace smb3::server
