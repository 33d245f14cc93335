#include "support/server/faults.h"

#include <algorithm>
#include <cstdlib>

namespace smb3::server {

namespace {

bool fits(const FaultRule& rule, const FaultMoment& moment) {
  if (rule.command && *rule.command != moment.command) return false;
  if (rule.connection && *rule.connection != moment.connection) return false;
  if (!moment.path.ends_with(rule.path)) return false;
  return rule.information.empty() ||
         std::strtoull(rule.information.c_str(), nullptr, 0) == moment.information;
}

}  // namespace

std::vector<Fault> FaultScript::strike(const FaultMoment& moment) {
  std::vector<Fault> faults;
  for (FaultRule& rule : rules_) {
    if (!fits(rule, moment)) continue;
    ++rule.seen;
    const std::uint32_t first = std::max(rule.first, 1U);
    const std::uint32_t every = std::max(rule.every, 1U);
    if (rule.seen < first) continue;
    const std::uint32_t since = rule.seen - first;
    if (since % every != 0) continue;
    if (rule.times != 0 && since / every >= rule.times) continue;
    faults.push_back(rule.fault);
  }
  return faults;
}

std::vector<ConnectionFault> FaultScript::of_connection(std::uint32_t number) const {
  std::vector<ConnectionFault> faults;
  for (const ConnectionFault& fault : connections_) {
    if (!fault.connection || *fault.connection == number) faults.push_back(fault);
  }
  return faults;
}

}  // namespace smb3::server
