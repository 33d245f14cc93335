#include "support/server/faults.h"

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
    if (rule.seen < rule.first) continue;
    const std::uint32_t since = rule.seen - rule.first;
    const std::uint32_t every = rule.every == 0 ? 1 : rule.every;
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
